//! An authority of our own, for a network without a public name: it can certify our names and addresses, and nothing
//! else.
//!
//! The root is what devices install. Its key signs one certificate, that of the intermediate, and is forgotten: it is
//! never written to a file. The intermediate's key stays here and renews the server's certificate. What it may certify
//! is in both certificates, critically: not every program checks the constraints of a root that was installed, every one
//! checks those of an intermediate. So who steals the key can pretend to be this server, and no other one.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use askbridge_core::ids::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, SerialNumber,
};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::keep::keep;
use crate::chance::Chance;

/// How long devices trust the root: it cannot be renewed, so devices install another one after this time.
const YEARS: i64 = 10;
/// How long the server's certificate is valid. Apple's devices refuse more than 825 days, other programs more than 398.
const DAYS: i64 = 397;

#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    #[error("could not make a certificate: {0}")]
    Make(#[from] rcgen::Error),
    #[error("could not {doing} `{}`", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("`{}` is not what we wrote", path.display())]
    Garbled { path: PathBuf },
}

/// The authority in a folder.
#[derive(Debug, Clone)]
pub struct Authority {
    pub folder: PathBuf,
}

/// What an authority is for, beside its certificates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// The host names and addresses that it may certify.
    names: Vec<String>,
    /// Tells authorities of several machines apart, on a device that trusts more than one.
    title: String,
}

impl Authority {
    /// The certificate with its chain and its key, in one file.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    /// What devices install.
    pub fn root(&self) -> PathBuf {
        self.folder.join("root.pem")
    }

    /// The names that this authority may certify. `None`: there is no authority yet.
    pub fn names(&self) -> Option<Vec<String>> {
        Some(self.kept().ok()?.names)
    }

    /// Makes an authority for these names and addresses, and the server's first certificate.
    pub fn make(&self, names: &[String], title: &str, now: Timestamp, chance: &Chance) -> Result<(), AuthorityError> {
        let kept = Kept { names: names.to_vec(), title: title.to_owned() };
        let (root_key, key) = (KeyPair::generate()?, KeyPair::generate()?);
        let root = params(&kept, "root", 1);
        let root = with_dates(root, now, Duration::days(365 * YEARS), chance);
        let root_certificate = root.self_signed(&root_key)?;
        let intermediate = with_dates(intermediate(&kept), now, Duration::days(365 * YEARS), chance);
        let certificate = intermediate.signed_by(&key, &Issuer::new(root, root_key))?;
        let written = serde_json::to_string_pretty(&kept).expect("texts can be written");
        for (name, text) in [
            ("root.pem", root_certificate.pem()),
            ("intermediate.pem", certificate.pem()),
            ("intermediate-key.pem", key.serialize_pem()),
            ("names.json", written),
        ] {
            let path = self.folder.join(name);
            keep(&path, &text).map_err(|source| AuthorityError::File { doing: "write", path, source })?;
        }
        self.renew(now, chance)
    }

    /// Makes a new certificate for the server.
    pub fn renew(&self, now: Timestamp, chance: &Chance) -> Result<(), AuthorityError> {
        let kept = self.kept()?;
        let path = self.folder.join("intermediate-key.pem");
        let key = KeyPair::from_pem(&read(&path)?).map_err(|_| AuthorityError::Garbled { path })?;
        let issuer = Issuer::new(intermediate(&kept), key);
        let chain = read(&self.folder.join("intermediate.pem"))?;
        let own = KeyPair::generate()?;
        let mut params = CertificateParams::new(kept.names.clone())?;
        params.distinguished_name = DistinguishedName::new();
        // Not a name: some programs read one here, and check it against the constraints.
        params.distinguished_name.push(DnType::CommonName, "askbridge server");
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = with_dates(params, now, Duration::days(DAYS), chance).signed_by(&own, &issuer)?;
        let text = format!("{}{chain}{}", certificate.pem(), own.serialize_pem());
        let path = self.certificate();
        keep(&path, &text).map_err(|source| AuthorityError::File { doing: "write", path, source })
    }

    fn kept(&self) -> Result<Kept, AuthorityError> {
        let path = self.folder.join("names.json");
        serde_json::from_str(&read(&path)?).map_err(|_| AuthorityError::Garbled { path })
    }
}

fn read(path: &Path) -> Result<String, AuthorityError> {
    fs::read_to_string(path).map_err(|source| AuthorityError::File { doing: "read", path: path.to_owned(), source })
}

fn intermediate(kept: &Kept) -> CertificateParams {
    params(kept, "intermediate", 0)
}

/// A certificate that may sign others, for our names only.
fn params(kept: &Kept, rank: &str, below: u8) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "askbridge");
    params.distinguished_name.push(DnType::CommonName, format!("askbridge on {} ({rank})", kept.title));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(below));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.name_constraints = Some(constraints(&kept.names));
    params.use_authority_key_identifier_extension = rank != "root";
    params
}

/// Permits our names and addresses. A kind of name of which nothing is permitted would be unconstrained (RFC 5280,
/// 4.2.1.10), so all of it is excluded.
fn constraints(names: &[String]) -> NameConstraints {
    let everything = |ip: [u16; 8]| CidrSubnet::from_addr_prefix(ip.into(), 0);
    let mut permitted_subtrees = Vec::new();
    let mut excluded_subtrees = vec![GeneralSubtree::Rfc822Name(String::new())];
    let (addresses, hosts): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.parse::<IpAddr>().is_ok());
    permitted_subtrees.extend(hosts.iter().map(|host| GeneralSubtree::DnsName((*host).clone())));
    for ip in addresses.iter().filter_map(|address| address.parse::<IpAddr>().ok()) {
        let prefix = if ip.is_ipv4() { 32 } else { 128 };
        permitted_subtrees.push(GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(ip, prefix)));
    }
    if hosts.is_empty() {
        excluded_subtrees.push(GeneralSubtree::DnsName(String::new()));
    }
    if !addresses.iter().any(|address| address.contains('.')) {
        excluded_subtrees.push(GeneralSubtree::IpAddress(CidrSubnet::V4([0; 4], [0; 4])));
    }
    if !addresses.iter().any(|address| address.contains(':')) {
        excluded_subtrees.push(GeneralSubtree::IpAddress(everything([0; 8])));
    }
    NameConstraints { permitted_subtrees, excluded_subtrees }
}

fn with_dates(mut params: CertificateParams, now: Timestamp, span: Duration, chance: &Chance) -> CertificateParams {
    let now = OffsetDateTime::from_unix_timestamp(now.0.div_euclid(1000)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    // A device whose clock is behind takes it all the same.
    params.not_before = now - Duration::hours(1);
    params.not_after = params.not_before + span;
    let mut serial: [u8; 16] = chance.bytes();
    serial[0] &= 0x7f;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    params
}

#[cfg(test)]
mod tests;
