//! Reads a certificate and its key, and checks that they belong together.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use askbridge_core::limits;
use askbridge_platform::files::open_regular;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, InconsistentKeys};
use webpki::EndEntityCert;

use super::files::TlsFiles;
use super::validity::Validity;

/// Why a certificate cannot be served. Each says which file, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("could not read `{}`", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` has no {what} in PEM form (`-----BEGIN {mark}-----`)", path.display())]
    Missing { path: PathBuf, what: &'static str, mark: &'static str },
    #[error("could not make sense of `{}`: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("the key in `{}` does not belong to the certificate in `{}`", key.display(), certificate.display())]
    Mismatch { key: PathBuf, certificate: PathBuf },
}

/// A certificate that can be served.
#[derive(Debug)]
pub(super) struct Certificate {
    pub(super) key: CertifiedKey,
    /// The host names that it is for, without patterns like `*.example.org`.
    pub(super) names: Vec<String>,
    pub(super) validity: Validity,
}

impl Certificate {
    pub(super) fn read(files: &TlsFiles) -> Result<Self, CertificateError> {
        let unreadable = |path: &Path, why: String| CertificateError::Unreadable { path: path.to_owned(), why };
        let pem = read(&files.certificate)?;
        let chain = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, pem::Error>>();
        let chain = chain.map_err(|error| unreadable(&files.certificate, error.to_string()))?;
        let Some(first) = chain.first() else {
            let (what, mark) = ("certificate", "CERTIFICATE");
            return Err(CertificateError::Missing { path: files.certificate.clone(), what, mark });
        };
        let names = names(first).map_err(|why| unreadable(&files.certificate, why))?;
        let validity =
            Validity::of(first).ok_or_else(|| unreadable(&files.certificate, "it has no dates".to_owned()))?;
        let key = PrivateKeyDer::from_pem_slice(&read(&files.key)?).map_err(|error| match error {
            pem::Error::NoItemsFound => {
                let (what, mark) = ("unencrypted private key", "PRIVATE KEY");
                CertificateError::Missing { path: files.key.clone(), what, mark }
            }
            other => unreadable(&files.key, other.to_string()),
        })?;
        let key = CertifiedKey::from_der(chain, key, &ring::default_provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                CertificateError::Mismatch { key: files.key.clone(), certificate: files.certificate.clone() }
            }
            other => unreadable(&files.key, other.to_string()),
        })?;
        Ok(Self { key, names, validity })
    }

    /// Is it for this host name or address? A pattern in it counts.
    pub(super) fn is_for(&self, name: &str) -> bool {
        let parsed = self.key.cert.first().and_then(|first| EndEntityCert::try_from(first).ok());
        let Some((parsed, name)) = parsed.zip(ServerName::try_from(name).ok()) else { return false };
        parsed.verify_is_valid_for_subject_name(&name).is_ok()
    }
}

fn names(certificate: &CertificateDer<'_>) -> Result<Vec<String>, String> {
    let parsed = EndEntityCert::try_from(certificate).map_err(|error| error.to_string())?;
    Ok(parsed.valid_dns_names().filter(|name| !name.contains('*')).map(str::to_ascii_lowercase).collect())
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateError> {
    let failed = |source| CertificateError::Read { path: path.to_owned(), source };
    // A FIFO would be waited for, with everything else that this thread serves.
    let file = open_regular(path).map_err(failed)?;
    let mut pem = Vec::new();
    file.take(limits::CERTIFICATE_BYTES_MAX).read_to_end(&mut pem).map_err(failed)?;
    Ok(pem)
}
