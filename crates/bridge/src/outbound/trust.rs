//! The certificate authorities that we trust: the machine's own, and those that the operator names.

use std::sync::Arc;

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

/// Certificates of further authorities.
#[derive(Debug, Clone, Default)]
pub struct Authorities(Vec<CertificateDer<'static>>);

impl Authorities {
    /// Reads a PEM file.
    pub fn read(pem: &[u8]) -> Result<Self, String> {
        let read = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let certificates = read.map_err(|error| format!("this is no PEM file: {error}"))?;
        if certificates.is_empty() {
            return Err("there is no certificate in it".to_owned());
        }
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|error| format!("a certificate cannot be used: {error}"))?;
        }
        Ok(Self(certificates))
    }

    /// Trusts these beside the machine's own. Takes some time: those are many.
    pub fn connector(&self) -> Result<TlsConnector, String> {
        let mut roots = RootCertStore::empty();
        // Certificates that cannot be read are left out; if none is left, that is an error.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        roots.add_parsable_certificates(self.0.iter().cloned());
        if roots.is_empty() {
            return Err("this machine knows no certificate authority; install ca-certificates, or name a file in \
                        `outbound.authorities` (for commands: `authorities`)"
                .to_owned());
        }
        trusting(roots)
    }

    /// Trusts these and no others: for a server whose authority a person has named.
    pub fn connector_of_these_alone(&self) -> Result<TlsConnector, String> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.0.iter().cloned());
        trusting(roots)
    }
}

fn trusting(roots: RootCertStore) -> Result<TlsConnector, String> {
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| error.to_string())?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
