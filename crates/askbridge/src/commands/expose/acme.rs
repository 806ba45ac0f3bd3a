//! `askbridge expose acme`: a certificate from an ACME server, obtained now and renewed by the server.

use std::fs;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

use anyhow::Context;
use askbridge_bridge::clock::Clock;
use askbridge_bridge::server::{
    Acme, AcmeError, ChallengeKind, Challenges, LETS_ENCRYPT, LETS_ENCRYPT_STAGING, Tls, TlsFiles, prove,
};
use askbridge_core::limits;

use super::args::{AcmeArgs, Challenge};
use super::plan::{Plan, https};
use super::record::Record;
use crate::failure::Failure;
use crate::output::tell;
use crate::settings::Settings;

const WAY: &str = "acme";
/// What Let's Encrypt issues for addresses: valid for 160 hours.
const FOR_ADDRESSES: &str = "shortlived";

pub(super) async fn plan(settings: &Settings, args: &AcmeArgs) -> Result<Plan, Failure> {
    let acme = acme(settings, args)?;
    let terms = acme.terms().await.map_err(|error| refused(error, args))?;
    if let (Some(terms), false) = (&terms, args.accept_terms) {
        let what = format!("the ACME server wants you to accept its terms of service: {terms}");
        return Err(Failure::usage(what).hint("read them; if you agree, add `--accept-terms`"));
    }
    let first = acme.names.first().cloned().unwrap_or_default();
    let mut plan = Plan::new(WAY, https(&first, args.public_port.unwrap_or(args.https.port())));
    plan.accepted = terms;
    plan.set_path("tls", "cert", &acme.certificate());
    plan.set_path("tls", "key", &acme.certificate());
    plan.set("tls", "listen", args.https.to_string());
    match redirect(settings, args) {
        Some(address) => plan.set("tls", "redirect", address.to_string()),
        None => tell(
            "note: port 80 cannot be used here, so plain http is not redirected; browsers that came once go to https by themselves",
        ),
    }
    plan.set("acme", "names", acme.names.clone());
    if acme.directory != LETS_ENCRYPT {
        plan.set("acme", "directory", acme.directory.clone());
    }
    if let Some(profile) = &acme.profile {
        plan.set("acme", "profile", profile.clone());
    }
    if args.challenge == Challenge::Http01 {
        plan.set("acme", "challenge", "http-01");
    }
    if let Some(authority) = &args.directory_authority {
        plan.set_path("acme", "authorities", &std::path::absolute(authority)?);
    }
    let names = acme.names.join(", ");
    if !is_there(&acme) {
        plan.steps.push(format!("obtain a certificate for {names} from {}", acme.directory));
    }
    if args.staging {
        plan.notes.push("note: this certificate is for trying it out, and no device trusts it".to_owned());
    }
    Ok(plan)
}

/// Obtains the certificate, unless there is one that is good for a while.
pub(super) async fn carry_out(
    settings: &Settings,
    args: &AcmeArgs,
    plan: &Plan,
    record: Option<&Record>,
) -> Result<(), Failure> {
    let acme = acme(settings, args)?;
    if is_there(&acme) {
        return Ok(());
    }
    let challenges = Challenges::default();
    let (kind, at) = match args.challenge {
        Challenge::TlsAlpn01 => (ChallengeKind::TlsAlpn01, args.https),
        Challenge::Http01 => (ChallengeKind::Http01, http(args)),
    };
    let proving = match prove(kind, at, challenges.clone()).await {
        Ok(proving) => proving,
        // Our own server has the port. It obtains what it has no certificate for, with the one before in force until then.
        Err(error) if error.kind() == ErrorKind::AddrInUse && serves_there(record) && is_usable(&acme) => {
            tell("the server that runs has that port: it obtains the certificate when it starts again");
            return Ok(());
        }
        Err(error) => return Err(no_port(at, kind, error)),
    };
    tell(&format!("obtaining a certificate for {} from {}", acme.names.join(", "), acme.directory));
    let obtained = acme.obtain(&challenges).await;
    proving.abort();
    obtained.map_err(|error| refused(error, args))?;
    tell(&format!("obtained; the server renews it in time ({})", plan.url));
    Ok(())
}

fn acme(settings: &Settings, args: &AcmeArgs) -> Result<Acme, Failure> {
    let directory = match (&args.directory, args.staging) {
        (Some(directory), _) => directory.clone(),
        (None, true) => LETS_ENCRYPT_STAGING.to_owned(),
        (None, false) => LETS_ENCRYPT.to_owned(),
    };
    let mut names: Vec<String> = args.name.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
    names.extend(args.address.map(|address| address.to_string()));
    if names.len() > limits::CERTIFICATE_NAMES_MAX {
        return Err(Failure::usage(format!("a certificate is for at most {} names", limits::CERTIFICATE_NAMES_MAX)));
    }
    let challenge = match args.challenge {
        Challenge::TlsAlpn01 => ChallengeKind::TlsAlpn01,
        Challenge::Http01 => ChallengeKind::Http01,
    };
    let profile = args.profile.clone().or_else(|| args.address.map(|_| FOR_ADDRESSES.to_owned()));
    let outbound = settings.outbound_to_acme(args.directory_authority.as_deref())?;
    // Another server's certificates are apart, so that trying it out replaces nothing.
    let folder = settings.tls_folder().join(match directory.as_str() {
        LETS_ENCRYPT => "acme".to_owned(),
        LETS_ENCRYPT_STAGING => "acme-staging".to_owned(),
        other => format!("acme-{}", host_of(other)),
    });
    Ok(Acme { folder, directory, names, profile, challenge, outbound })
}

/// The host of an address, as a part of a file's name.
fn host_of(url: &str) -> String {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or_default();
    host.chars().map(|char| if char.is_ascii_alphanumeric() || char == '.' { char } else { '-' }).collect()
}

fn files(acme: &Acme) -> TlsFiles {
    TlsFiles { certificate: acme.certificate(), key: acme.certificate() }
}

/// Is there a certificate for these names that need not be renewed yet?
fn is_there(acme: &Acme) -> bool {
    let is_fresh = Tls::validity(&files(acme)).is_ok_and(|validity| validity.renewed_at() > Clock::System.now());
    is_fresh && Tls::covers(&files(acme), &acme.names).unwrap_or(false)
}

fn is_usable(acme: &Acme) -> bool {
    Tls::validity(&files(acme)).is_ok()
}

fn serves_there(record: Option<&Record>) -> bool {
    record.is_some_and(|record| record.way == WAY)
}

/// Where plain http is redirected, if anywhere.
fn redirect(settings: &Settings, args: &AcmeArgs) -> Option<SocketAddr> {
    if args.http.is_some() || args.challenge == Challenge::Http01 {
        return Some(http(args));
    }
    let usual = http(args);
    let is_ours_already = *settings.tls.redirect == Some(usual);
    (is_ours_already || TcpListener::bind(usual).is_ok()).then_some(usual)
}

fn http(args: &AcmeArgs) -> SocketAddr {
    args.http.unwrap_or(SocketAddr::from(([0, 0, 0, 0], 80)))
}

fn no_port(address: SocketAddr, kind: ChallengeKind, error: std::io::Error) -> Failure {
    let hint = match (error.kind(), kind) {
        (ErrorKind::PermissionDenied, _) => {
            "ports below 1024 need special rights. If your router forwards port 443, let it lead to another one: `--https \
             0.0.0.0:8443 --public-port 443`. Else allow every program here to use them: `sudo sysctl -w \
             net.ipv4.ip_unprivileged_port_start=80`"
        }
        (ErrorKind::AddrInUse, ChallengeKind::TlsAlpn01) => {
            "another program has this port. Is it a proxy? then `askbridge expose proxy nginx --name NAME`. Is only port \
             80 free? then `--challenge http-01 --https 0.0.0.0:8443`"
        }
        (ErrorKind::AddrInUse, ChallengeKind::Http01) => {
            "another program has this port. Is it a proxy? then `askbridge expose proxy nginx --name NAME`"
        }
        _ => "is it an address of this machine?",
    };
    let failed: Result<(), _> = Err(error).with_context(|| format!("could not listen on {address}"));
    match failed {
        Err(error) => Failure::from(error).hint(hint),
        Ok(()) => Failure::new(hint),
    }
}

fn refused(error: AcmeError, args: &AcmeArgs) -> Failure {
    let hint = match &error {
        AcmeError::Unconfirmed { name, .. } => {
            let port = if args.challenge == Challenge::Http01 { 80 } else { 443 };
            format!(
                "does `{name}` lead to this machine, and does the router forward port {port} to {}? Nothing was changed. \
                 Try with `--staging` until it works: Let's Encrypt allows few failures an hour",
                if port == 80 { http(args) } else { args.https }
            )
        }
        AcmeError::Unreachable(_) => {
            "nothing was changed. Is this machine online? A server in a private network may need \
             `--directory-authority FILE`"
                .to_owned()
        }
        AcmeError::NoProfile { .. } => "nothing was changed; name another with `--profile WORD`".to_owned(),
        AcmeError::NoChallenge { .. } => "nothing was changed; try the other one of `--challenge`".to_owned(),
        _ => "nothing was changed".to_owned(),
    };
    Failure::from(anyhow::Error::from(error)).hint(hint)
}

/// The folders of certificates that this data folder has from ACME servers.
pub(super) fn folders(settings: &Settings) -> Vec<PathBuf> {
    let entries = fs::read_dir(settings.tls_folder()).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with("acme")));
    ours.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_acme_server_has_a_folder_of_its_own() {
        assert_eq!(host_of("https://localhost:14000/dir"), "localhost-14000");
        assert_eq!(host_of("https://acme.example.org/a/b"), "acme.example.org");
    }
}
