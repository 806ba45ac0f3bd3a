//! The account: a key in a file. The server finds the account by it, so nothing else is kept.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use instant_acme::{Account, Key};
use rcgen::KeyPair;
use serde::Deserialize;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::super::keep::keep;
use super::Acme;
use super::caller::Caller;
use super::error::AcmeError;

/// The part of a directory that the library does not show.
#[derive(Deserialize)]
struct Directory {
    #[serde(rename = "newOrder")]
    _new_order: String,
    #[serde(default)]
    meta: Meta,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    terms_of_service: Option<String>,
}

pub(super) async fn terms(acme: &Acme) -> Result<Option<String>, AcmeError> {
    let no_directory = |why| AcmeError::NoDirectory { directory: acme.directory.clone(), why };
    let (status, body) = Caller::new(&acme.outbound, &acme.directory).get(&acme.directory).await?;
    if status != 200 {
        return Err(no_directory(format!("it answered {status}")));
    }
    let directory: Directory = serde_json::from_slice(&body).map_err(|error| no_directory(error.to_string()))?;
    Ok(directory.meta.terms_of_service)
}

/// Signs in with the key in the folder. A key that the server does not know makes an account: there was none, or the
/// server has lost it.
pub(super) async fn sign_in(acme: &Acme, caller: &Caller) -> Result<Account, AcmeError> {
    let (key, der) = key(acme)?;
    let builder = Account::builder_with_http(Box::new(caller.clone()));
    let made = builder.create_from_key((key, PrivateKeyDer::Pkcs8(der)), acme.directory.clone()).await;
    Ok(made.map_err(|error| caller.error(error))?.0)
}

fn key(acme: &Acme) -> Result<(Key, PrivatePkcs8KeyDer<'static>), AcmeError> {
    let path = file(acme);
    let pem = match fs::read_to_string(&path) {
        Ok(pem) => pem,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let pem = KeyPair::generate()?.serialize_pem();
            let failed = |source| AcmeError::File { doing: "write", path: path.clone(), source };
            keep(&path, &pem).map_err(failed)?;
            pem
        }
        Err(source) => return Err(AcmeError::File { doing: "read", path, source }),
    };
    let unusable = || AcmeError::AccountKey { path: path.clone() };
    let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| unusable())?;
    let key = Key::from_pkcs8_der(der.clone_key()).map_err(|_| unusable())?;
    Ok((key, der))
}

fn file(acme: &Acme) -> PathBuf {
    acme.folder.join("account.pem")
}
