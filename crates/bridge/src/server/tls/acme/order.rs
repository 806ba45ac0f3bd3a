//! One certificate, from the order to the file.

use std::net::IpAddr;

use askbridge_core::limits;
use instant_acme::{
    AuthorizationStatus, ChallengeStatus, ChallengeType, Identifier, NewOrder, Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, DistinguishedName, KeyPair};

use super::super::TlsFiles;
use super::super::certificate::Certificate;
use super::super::challenges::{Challenges, Shown};
use super::super::keep::keep;
use super::caller::Caller;
use super::error::AcmeError;
use super::{Acme, ChallengeKind, account};

pub(super) async fn obtain(acme: &Acme, challenges: &Challenges) -> Result<(), AcmeError> {
    let caller = Caller::new(&acme.outbound, &acme.directory);
    let account = account::sign_in(acme, &caller).await?;
    if let Some(wanted) = &acme.profile
        && !account.profiles().any(|profile| profile.name == wanted)
    {
        let has = account.profiles().map(|profile| profile.name.to_owned()).collect();
        return Err(AcmeError::NoProfile { wanted: wanted.clone(), has });
    }
    let identifiers = acme.names.iter().map(|name| identifier(name)).collect::<Result<Vec<_>, _>>()?;
    let wish = NewOrder::new(&identifiers);
    let wish = match &acme.profile {
        Some(profile) => wish.profile(profile),
        None => wish,
    };
    let mut order = account.new_order(&wish).await.map_err(|error| caller.error(error))?;
    let shown = answer_challenges(acme, challenges, &caller, &mut order).await?;
    let polls = RetryPolicy::new().timeout(limits::ACME_ORDER_MAX);
    let is_ready = matches!(order.poll_ready(&polls).await, Ok(OrderStatus::Ready));
    if !is_ready {
        return Err(unconfirmed(&caller, &mut order).await);
    }
    drop(shown);
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(acme.names.clone())?;
    params.distinguished_name = DistinguishedName::new();
    let request = params.serialize_request(&key)?;
    order.finalize_csr(request.der()).await.map_err(|error| caller.error(error))?;
    let chain = order.poll_certificate(&polls).await.map_err(|error| caller.error(error))?;
    put(acme, &format!("{}\n{}", chain.trim_end(), key.serialize_pem()))
}

/// Puts the certificate with its key in force, if it can be served.
fn put(acme: &Acme, pem: &str) -> Result<(), AcmeError> {
    let path = acme.certificate();
    let failed = |source| AcmeError::File { doing: "write", path: path.clone(), source };
    let tried = path.with_extension("tried");
    keep(&tried, pem).map_err(failed)?;
    let read = Certificate::read(&TlsFiles { certificate: tried.clone(), key: tried.clone() });
    let _ = std::fs::remove_file(&tried);
    let covers = read.map_err(|error| AcmeError::Unusable(error.to_string()))?;
    if let Some(name) = acme.names.iter().find(|name| !covers.is_for(name)) {
        return Err(AcmeError::Unusable(format!("it is not for `{name}`")));
    }
    keep(&path, pem).map_err(failed)
}

/// Shows the proofs that the server asks for, and says that they can be looked at.
async fn answer_challenges(
    acme: &Acme,
    challenges: &Challenges,
    caller: &Caller,
    order: &mut Order,
) -> Result<Vec<Shown>, AcmeError> {
    let (wanted, kind) = match acme.challenge {
        ChallengeKind::TlsAlpn01 => (ChallengeType::TlsAlpn01, "TLS-ALPN-01"),
        ChallengeKind::Http01 => (ChallengeType::Http01, "HTTP-01"),
    };
    let mut shown = Vec::new();
    let mut authorizations = order.authorizations();
    while let Some(next) = authorizations.next().await {
        let mut authorization = next.map_err(|error| caller.error(error))?;
        // Confirmed for an earlier order, and remembered by the server.
        if authorization.status == AuthorizationStatus::Valid {
            continue;
        }
        let name = authorization.identifier().to_string();
        let Some(mut challenge) = authorization.challenge(wanted.clone()) else {
            return Err(AcmeError::NoChallenge { name, kind });
        };
        let proof = challenge.key_authorization();
        shown.push(match acme.challenge {
            ChallengeKind::TlsAlpn01 => challenges.show_in_handshake(&name, proof.digest().as_ref())?,
            ChallengeKind::Http01 => challenges.show_as_file(&challenge.token, proof.as_str()),
        });
        challenge.set_ready().await.map_err(|error| caller.error(error))?;
    }
    Ok(shown)
}

/// Finds out which name the server could not confirm, and why.
async fn unconfirmed(caller: &Caller, order: &mut Order) -> AcmeError {
    let mut authorizations = order.authorizations();
    while let Some(next) = authorizations.next().await {
        let mut authorization = match next {
            Ok(authorization) => authorization,
            Err(error) => return caller.error(error),
        };
        if let Err(error) = authorization.refresh().await {
            return caller.error(error);
        }
        if authorization.status == AuthorizationStatus::Valid {
            continue;
        }
        let name = authorization.identifier().to_string();
        let failed = authorization.challenges.iter().find_map(|challenge| challenge.error.clone());
        let is_checking =
            authorization.challenges.iter().any(|challenge| challenge.status == ChallengeStatus::Processing);
        let why = match failed {
            Some(problem) => problem.detail.unwrap_or_else(|| "it does not say why".to_owned()),
            None if is_checking => format!("it was not done after {} seconds", limits::ACME_ORDER_MAX.as_secs()),
            None => "it does not say why".to_owned(),
        };
        return AcmeError::Unconfirmed { name, why };
    }
    AcmeError::Refused { why: "the order did not become ready, and it does not say why".to_owned(), again_after: None }
}

fn identifier(name: &str) -> Result<Identifier, AcmeError> {
    if let Ok(ip) = name.parse::<IpAddr>() {
        return Ok(Identifier::Ip(ip));
    }
    let fits = |label: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty() && label.len() <= 63 && label.bytes().all(is_part) && !label.starts_with('-')
    };
    match name.len() <= 253 && name.split('.').all(fits) {
        true => Ok(Identifier::Dns(name.to_ascii_lowercase())),
        false => Err(AcmeError::NoName { name: name.to_owned() }),
    }
}
