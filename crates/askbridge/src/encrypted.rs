//! What the settings say of https: the certificate and where it comes from, the address and the origins that follow.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Context;
use askbridge_bridge::outbound::{Outbound, OutboundOptions};
use askbridge_bridge::server::{
    Acme, Authority, CertificateSource, ChallengeKind, LETS_ENCRYPT, Offer, Origins, Tailscale, Tls, TlsFiles,
};
use askbridge_config::AcmeChallenge;

use crate::failure::Failure;
use crate::settings::{Settings, trusted};

impl Settings {
    /// The certificate that connections are encrypted with, if one is configured.
    pub(crate) fn tls(&self) -> Result<Option<Tls>, Failure> {
        let (certificate, key) = match (&*self.tls.cert, &*self.tls.key) {
            (None, None) => return Ok(None),
            (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
            (Some(_), None) => {
                return Err(Failure::new("`tls.cert` is set, and `tls.key` is not")
                    .hint("name the file of its private key: `--tls-key FILE`"));
            }
            (None, Some(_)) => {
                return Err(Failure::new("`tls.key` is set, and `tls.cert` is not")
                    .hint("name the file of the certificate: `--tls-cert FILE`"));
            }
        };
        let is_ours = self.certificate_source()?.is_some();
        let tls = Tls::open(TlsFiles { certificate, key }).context("could not use the certificate for https");
        let tls = tls.map_err(|error| match is_ours {
            true => Failure::from(error).hint("obtain it again with `askbridge expose`, as when you began"),
            false => Failure::from(error),
        })?;
        let offer = self.tls.authority.as_ref().and_then(|folder| Offer::read(&folder.join("root.pem")));
        Ok(Some(match offer {
            Some(offer) => tls.offering(offer),
            None => tls,
        }))
    }

    /// Where the certificate is renewed from, if that is configured.
    pub(crate) fn certificate_source(&self) -> Result<Option<CertificateSource>, Failure> {
        let (tls, acme) = (&self.tls, &self.acme);
        if !acme.names.is_empty() {
            let folder = tls.cert.as_ref().and_then(|cert| Some(cert.parent()?.to_owned()));
            let folder = folder.unwrap_or_else(|| self.tls_folder().join("acme"));
            let directory = (*acme.directory).clone().unwrap_or_else(|| LETS_ENCRYPT.to_owned());
            let challenge = match *acme.challenge {
                AcmeChallenge::TlsAlpn01 => ChallengeKind::TlsAlpn01,
                AcmeChallenge::Http01 => ChallengeKind::Http01,
            };
            let outbound = self.outbound_to_acme(acme.authorities.as_deref())?;
            let (names, profile) = ((*acme.names).clone(), (*acme.profile).clone());
            let acme = Acme { folder, directory, names, profile, challenge, outbound };
            return Ok(Some(CertificateSource::Acme(acme)));
        }
        if let Some(folder) = &*tls.authority {
            return Ok(Some(CertificateSource::Authority(Authority { folder: folder.clone() })));
        }
        let (Some(name), Some(certificate), Some(key)) = (&*tls.tailscale, &*tls.cert, &*tls.key) else {
            return Ok(None);
        };
        let (name, certificate, key) = (name.clone(), certificate.clone(), key.clone());
        Ok(Some(CertificateSource::Tailscale(Tailscale { name, certificate, key })))
    }

    /// The client for an ACME server, whose own address may be vouched for by another authority.
    pub(crate) fn outbound_to_acme(&self, authorities: Option<&Path>) -> Result<Outbound, Failure> {
        let Some(path) = authorities else { return Ok(Outbound::new(self.calls.clone())) };
        let authorities = trusted(path, "acme.authorities")?;
        Ok(Outbound::new(OutboundOptions { authorities, ..self.calls.clone() }))
    }

    /// Where people open a server on `address`: as configured, or at the first name of its certificate.
    pub(crate) fn public_url(&self, tls: Option<&Tls>, address: SocketAddr) -> Option<String> {
        let named = || {
            let name = tls?.names().into_iter().next()?;
            Some(match self.tls.listen.unwrap_or(address).port() {
                443 => format!("https://{name}"),
                port => format!("https://{name}:{port}"),
            })
        };
        (*self.top.public_url).clone().or_else(named)
    }

    /// Our own names, and other origins that may call the server.
    pub(crate) fn origins(&self, tls: Option<&Tls>, public_url: Option<&str>) -> Origins {
        let origins = Origins::new(&self.top.allowed_origins).with_hosts(&self.top.allowed_hosts);
        let origins = origins.with_hosts(&tls.map(Tls::names).unwrap_or_default());
        // Those of a certificate that is still to be obtained, too.
        let origins = origins.with_hosts(&self.acme.names);
        // A certificate is for others. A tunnel may carry them here, and then they seem to be on this machine.
        let origins = if tls.is_some() || *self.top.behind_proxy { origins.with_others() } else { origins };
        match public_url {
            Some(url) => origins.with_public_url(url),
            None => origins,
        }
    }
}
