//! The certificate in force, and the two files that it comes from.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use askbridge_core::ids::Timestamp;
use parking_lot::RwLock;
use tokio::time::interval;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{ServerConfig, version};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::certificate::{Certificate, CertificateError};
use super::challenges::{ACME_TLS, Challenges};
use super::offer::Offer;
use super::validity::Validity;
use crate::runtime::chain;

/// Where the certificate and its key are, both in PEM form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate first, then those between it and the authority.
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// How often the files are looked at: two calls of `stat`.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// HTTPS with the certificate of two files.
#[derive(Debug)]
pub struct Tls {
    files: TlsFiles,
    certificate: Arc<InForce>,
    challenges: Challenges,
    /// What devices have to install before they trust the certificate, if it is from an authority of our own.
    offer: Option<Offer>,
    acceptor: Acceptor,
}

struct Acceptor(TlsAcceptor);

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Acceptor")
    }
}

/// The certificate that new connections are shown.
#[derive(Debug)]
struct InForce {
    key: RwLock<Arc<CertifiedKey>>,
    names: RwLock<Vec<String>>,
    validity: RwLock<Validity>,
    challenges: Challenges,
}

impl ResolvesServerCert for InForce {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if hello.alpn().is_some_and(|mut protocols| protocols.any(|protocol| protocol == ACME_TLS)) {
            return self.challenges.in_handshake(hello.server_name()?);
        }
        Some(Arc::clone(&self.key.read()))
    }
}

impl Tls {
    /// Reads both files. The error says which of them is wrong.
    pub fn open(files: TlsFiles) -> Result<Self, CertificateError> {
        let Certificate { key, names, validity } = Certificate::read(&files)?;
        let challenges = Challenges::default();
        let (key, names, validity) = (RwLock::new(Arc::new(key)), RwLock::new(names), RwLock::new(validity));
        let certificate = Arc::new(InForce { key, names, validity, challenges: challenges.clone() });
        let acceptor = Acceptor(TlsAcceptor::from(Arc::new(config(Arc::clone(&certificate) as _))));
        Ok(Self { files, certificate, challenges, offer: None, acceptor })
    }

    /// Offers devices what they have to install before they trust the certificate.
    #[must_use]
    pub fn offering(self, offer: Offer) -> Self {
        Self { offer: Some(offer), ..self }
    }

    /// Reads the dates of a certificate that could be served.
    pub fn validity(files: &TlsFiles) -> Result<Validity, CertificateError> {
        Ok(Certificate::read(files)?.validity)
    }

    /// Could the certificate in these files be served, and is it for all of these names and addresses?
    pub fn covers(files: &TlsFiles, names: &[String]) -> Result<bool, CertificateError> {
        let read = Certificate::read(files)?;
        Ok(names.iter().all(|name| read.is_for(name)))
    }

    /// Until when the certificate in force is valid.
    pub(crate) fn valid_until(&self) -> Timestamp {
        self.certificate.validity.read().until
    }

    /// The proofs that handshakes show to an ACME server.
    pub fn challenges(&self) -> &Challenges {
        &self.challenges
    }

    pub(in crate::server) fn offer(&self) -> Option<&Offer> {
        self.offer.as_ref()
    }

    /// The host names that the certificate is for.
    pub fn names(&self) -> Vec<String> {
        self.certificate.names.read().clone()
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor.0
    }

    /// Puts a new certificate in force whenever the files have changed, until `stop`. If they cannot be used, the
    /// certificate that is in force stays.
    pub(in crate::server) async fn follow_files(&self, stop: CancellationToken) {
        let mut seen = self.stamps();
        let mut looks = interval(LOOK_EVERY);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = looks.tick() => {}
            }
            let now = self.stamps();
            // The two files are replaced one after the other: a pair that does not fit is tried again when they change.
            if now != seen {
                seen = now;
                self.reload();
            }
        }
    }

    /// Reads the files again. Returns whether they are in force.
    pub(super) fn reload(&self) -> bool {
        match Certificate::read(&self.files) {
            Ok(Certificate { key, names, validity }) => {
                *self.certificate.key.write() = Arc::new(key);
                *self.certificate.validity.write() = validity;
                *self.certificate.names.write() = names;
                info!("The certificate was read again, and new connections get it");
                true
            }
            Err(error) => {
                warn!(error = chain(&error), "The certificate cannot be used; the one before it stays in force");
                false
            }
        }
    }

    fn stamps(&self) -> [Option<(SystemTime, u64)>; 2] {
        [&self.files.certificate, &self.files.key].map(|path| stamp(path))
    }
}

/// The settings of every handshake. ACME's protocol is offered to those who ask for it and get nothing else.
pub(super) fn config(certificates: Arc<dyn ResolvesServerCert>) -> ServerConfig {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])
        .expect("ring has what both versions need")
        .with_no_client_auth();
    let mut config = config.with_cert_resolver(certificates);
    config.alpn_protocols = vec![b"http/1.1".to_vec(), ACME_TLS.to_vec()];
    config
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(folder: &Path, name: &str) -> TlsFiles {
        let made = rcgen::generate_simple_self_signed(vec![name.to_owned(), format!("*.{name}")]).unwrap();
        let files = TlsFiles { certificate: folder.join("cert.pem"), key: folder.join("key.pem") };
        fs::write(&files.certificate, made.cert.pem()).unwrap();
        fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
        files
    }

    #[test]
    fn a_certificate_that_is_replaced_is_in_force_and_a_broken_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let files = write(folder.path(), "one.example");
        let tls = Tls::open(files.clone()).unwrap();
        assert_eq!(tls.names(), ["one.example"], "patterns are not names");
        write(folder.path(), "two.example");
        assert!(tls.reload());
        assert_eq!(tls.names(), ["two.example"]);
        fs::write(&files.key, "half a fi").unwrap();
        assert!(!tls.reload());
        assert_eq!(tls.names(), ["two.example"]);
    }

    #[test]
    fn what_is_wrong_with_the_files_is_said_with_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let files = write(folder.path(), "one.example");
        let other = tempfile::tempdir().unwrap();
        let others = write(other.path(), "two.example");
        let said = |files: TlsFiles| chain(&Tls::open(files).unwrap_err());
        let (cert, key) = (files.certificate.clone(), files.key.clone());

        let mixed = said(TlsFiles { certificate: cert.clone(), key: others.key });
        assert!(mixed.contains("does not belong to the certificate in"), "{mixed}");
        let swapped = said(TlsFiles { certificate: key.clone(), key: cert.clone() });
        assert!(swapped.contains("key.pem` has no certificate in PEM form"), "{swapped}");
        let no_key = said(TlsFiles { certificate: cert.clone(), key: cert.clone() });
        assert!(no_key.contains("cert.pem` has no unencrypted private key in PEM form"), "{no_key}");
        let missing = said(TlsFiles { certificate: cert.with_file_name("none.pem"), key: key.clone() });
        assert!(missing.contains("could not read") && missing.contains("none.pem"), "{missing}");
        let device = said(TlsFiles { certificate: "/dev/zero".into(), key: key.clone() });
        assert!(device.contains("it is not a regular file"), "{device}");
        let fifo = cert.with_file_name("fifo.pem");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let waits = said(TlsFiles { certificate: fifo, key: key.clone() });
        assert!(waits.contains("it is not a regular file"), "{waits}");
        fs::write(&cert, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        let garbled = said(TlsFiles { certificate: cert, key });
        assert!(garbled.contains("could not make sense of"), "{garbled}");
    }
}
