//! Proofs for an ACME server that a name leads to us: shown in a TLS handshake (TLS-ALPN-01, RFC 8737), or read over plain
//! HTTP (HTTP-01, RFC 8555 8.3).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::RwLock;
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::sign::CertifiedKey;

/// The protocol that the ACME server asks for in its handshake. No request follows it.
pub(super) const ACME_TLS: &[u8] = b"acme-tls/1";

/// Where the path of a proof over plain HTTP begins.
pub(in crate::server) const WELL_KNOWN: &str = "/.well-known/acme-challenge/{token}";

/// The proofs that are open now: one for each name, while its certificate is ordered. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Challenges(Arc<RwLock<Open>>);

#[derive(Debug, Default)]
struct Open {
    /// By the name in the handshake.
    handshakes: HashMap<String, Arc<CertifiedKey>>,
    /// By the token in the path.
    files: HashMap<String, String>,
}

/// A proof that can be seen until this is dropped.
#[derive(Debug)]
pub(super) struct Shown {
    challenges: Challenges,
    handshake: Option<String>,
    file: Option<String>,
}

impl Challenges {
    /// Shows a proof in handshakes for `identifier`: a name, or an address.
    pub(super) fn show_in_handshake(&self, identifier: &str, digest: &[u8]) -> Result<Shown, rcgen::Error> {
        let mut params = CertificateParams::new(vec![identifier.to_owned()])?;
        params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
        let key = KeyPair::generate()?;
        let certificate = params.self_signed(&key)?;
        let der = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let key = ring::sign::any_supported_type(&der).map_err(|_| rcgen::Error::CouldNotParseKeyPair)?;
        // Not `from_der`, which parses the certificate: the extension with the proof is critical, and unknown to it.
        let shown = CertifiedKey::new(vec![certificate.into()], key);
        let name = name_in_handshake(identifier);
        self.0.write().handshakes.insert(name.clone(), Arc::new(shown));
        Ok(Shown { challenges: self.clone(), handshake: Some(name), file: None })
    }

    /// Shows a proof over plain HTTP.
    pub(super) fn show_as_file(&self, token: &str, proof: &str) -> Shown {
        self.0.write().files.insert(token.to_owned(), proof.to_owned());
        Shown { challenges: self.clone(), handshake: None, file: Some(token.to_owned()) }
    }

    pub(super) fn in_handshake(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        self.0.read().handshakes.get(&name.to_ascii_lowercase()).cloned()
    }

    pub(in crate::server) fn file(&self, token: &str) -> Option<String> {
        self.0.read().files.get(token).cloned()
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut open = self.challenges.0.write();
        if let Some(name) = &self.handshake {
            open.handshakes.remove(name);
        }
        if let Some(token) = &self.file {
            open.files.remove(token);
        }
    }
}

/// The name by which a handshake asks for an identifier. An address has one for this purpose (RFC 8738, 6): that of the
/// reverse lookup.
fn name_in_handshake(identifier: &str) -> String {
    match identifier.parse() {
        Ok(IpAddr::V4(ip)) => {
            let [a, b, c, d] = ip.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        Ok(IpAddr::V6(ip)) => {
            let halves = ip.octets().into_iter().rev().flat_map(|byte| [byte & 15, byte >> 4]);
            halves.map(|half| format!("{half:x}.")).collect::<String>() + "ip6.arpa"
        }
        Err(_) => identifier.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_names_an_address_as_the_reverse_lookup_does() {
        assert_eq!(name_in_handshake("Ask.example.org"), "ask.example.org");
        assert_eq!(name_in_handshake("192.0.2.7"), "7.2.0.192.in-addr.arpa");
        assert_eq!(
            name_in_handshake("2001:db8::1"),
            "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
        );
    }

    #[test]
    fn a_proof_can_be_seen_while_its_certificate_is_ordered_and_no_longer() {
        let challenges = Challenges::default();
        let handshake = challenges.show_in_handshake("one.example", &[7; 32]).unwrap();
        let file = challenges.show_as_file("token", "token.thumbprint");
        assert!(challenges.in_handshake("ONE.example").is_some() && challenges.in_handshake("two.example").is_none());
        assert_eq!(challenges.file("token").as_deref(), Some("token.thumbprint"));
        drop((handshake, file));
        assert!(challenges.in_handshake("one.example").is_none() && challenges.file("token").is_none());
    }
}
