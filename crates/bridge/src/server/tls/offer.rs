//! What a device installs before it trusts an authority of our own: the root certificate, and an Apple profile with it.
//!
//! Both are public, and served without encryption too: a device that does not trust the certificate yet cannot use an
//! encrypted connection. So a person compares the fingerprint on the device with the one in the terminal.

use std::fs;
use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// Where devices find the root certificate.
pub const ROOT_PATH: &str = "/lan/askbridge-root.crt";
/// Where Apple's devices find the profile.
pub const PROFILE_PATH: &str = "/lan/askbridge.mobileconfig";

/// The root certificate of our own authority.
#[derive(Debug, Clone)]
pub struct Offer {
    der: Vec<u8>,
}

impl Offer {
    /// Reads the root certificate. `None`: the file has none.
    pub fn read(root: &Path) -> Option<Self> {
        let certificate = CertificateDer::from_pem_slice(&fs::read(root).ok()?).ok()?;
        Some(Self { der: certificate.to_vec() })
    }

    /// The SHA-256 of the certificate, as devices show it.
    pub fn fingerprint(&self) -> String {
        let pairs: Vec<_> = Sha256::digest(&self.der).iter().map(|byte| format!("{byte:02X}")).collect();
        pairs.join(":")
    }

    /// A configuration profile with the certificate
    /// (<https://developer.apple.com/documentation/devicemanagement/certificateroot>).
    fn profile(&self) -> String {
        let digest = Sha256::digest(&self.der);
        let (root, whole) = (uuid(&digest[..16]), uuid(&digest[16..]));
        let data = STANDARD.encode(&self.der);
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadCertificateFileName</key><string>askbridge-root.crt</string>
      <key>PayloadContent</key><data>{data}</data>
      <key>PayloadDescription</key><string>Lets this device trust askbridge on your own network, and nothing else.</string>
      <key>PayloadDisplayName</key><string>askbridge root certificate</string>
      <key>PayloadIdentifier</key><string>dev.askbridge.lan.root.{root}</string>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadUUID</key><string>{root}</string>
      <key>PayloadVersion</key><integer>1</integer>
    </dict>
  </array>
  <key>PayloadDisplayName</key><string>askbridge</string>
  <key>PayloadDescription</key><string>SHA-256: {fingerprint}</string>
  <key>PayloadIdentifier</key><string>dev.askbridge.lan.{whole}</string>
  <key>PayloadRemovalDisallowed</key><false/>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadUUID</key><string>{whole}</string>
  <key>PayloadVersion</key><integer>1</integer>
</dict>
</plist>
"#,
            fingerprint = self.fingerprint()
        )
    }

    /// Answers a request for one of the two files. `None`: it is for something else.
    pub(in crate::server) fn answer(&self, path: &str) -> Option<Response> {
        let (kind, name, body) = match path {
            ROOT_PATH => ("application/x-x509-ca-cert", "askbridge-root.crt", self.der.clone()),
            PROFILE_PATH => ("application/x-apple-aspen-config", "askbridge.mobileconfig", self.profile().into_bytes()),
            _ => return None,
        };
        let name = HeaderValue::try_from(format!("attachment; filename=\"{name}\"")).ok()?;
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(kind)),
            (CONTENT_DISPOSITION, name),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        Some((HeaderMap::from_iter(headers), body).into_response())
    }
}

/// Writes 16 bytes as a UUID of version 8, which is for values like this.
fn uuid(bytes: &[u8]) -> String {
    let mut bytes: Vec<u8> = bytes.to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_holds_the_certificate_and_is_the_same_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root.pem");
        assert!(Offer::read(&path).is_none());
        let made = rcgen::generate_simple_self_signed(vec!["desk.local".to_owned()]).unwrap();
        fs::write(&path, made.cert.pem()).unwrap();
        let offer = Offer::read(&path).unwrap();
        let profile = offer.profile();
        assert_eq!(profile, Offer::read(&path).unwrap().profile(), "installed again, it replaces the one before");
        let data = profile.split_once("<data>").unwrap().1.split_once("</data>").unwrap().0;
        assert_eq!(STANDARD.decode(data).unwrap(), made.cert.der().to_vec());
        assert!(offer.answer(ROOT_PATH).is_some() && offer.answer(PROFILE_PATH).is_some());
        assert!(offer.answer("/lan/other").is_none());
    }
}
