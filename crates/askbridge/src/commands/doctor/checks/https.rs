//! Checks https: the certificate's dates, whether it is renewed, and whether the address that people open leads here.

use std::time::Duration;

use askbridge_bridge::clock::Clock;
use askbridge_bridge::server::{CertificateSource, RenewalState, Tls, TlsFiles, Validity};
use askbridge_core::ids::Timestamp;
use askbridge_core::verdict::spoken;

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::commands::expose::{Reached, Record, ask_from_outside, authorities};

/// How much of a certificate's time has to be left if this server does not renew it.
const LEFT_MIN: Duration = Duration::from_secs(14 * 24 * 60 * 60);

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let settings = &patient.settings;
    let mut findings = Vec::new();
    if let (Some(certificate), Some(key)) = (&*settings.tls.cert, &*settings.tls.key) {
        let files = TlsFiles { certificate: certificate.clone(), key: key.clone() };
        let source = settings.certificate_source().ok().flatten();
        findings.push(match Tls::validity(&files) {
            Err(error) => Finding::bad(
                format!("the certificate cannot be served: {:#}", anyhow::Error::from(error)),
                match source {
                    Some(_) => "obtain it again with `askbridge expose`, as when you began",
                    None => "name its files with `--tls-cert` and `--tls-key`",
                },
            ),
            Ok(validity) => {
                let state = RenewalState::read(&RenewalState::file(&files)).unwrap_or_default();
                judge(validity, source.as_ref(), &state, Clock::System.now())
            }
        });
    }
    let Some(url) = settings.top.public_url.as_deref().filter(|url| url.starts_with("https://")) else {
        if findings.is_empty() {
            findings.push(Finding::skipped("no other device reaches it over https; see `askbridge expose`"));
        }
        return findings;
    };
    findings.push(reached(patient, url).await);
    findings
}

async fn reached(patient: &Patient, url: &str) -> Finding {
    if !patient.is_served() {
        return Finding::skipped(format!("askbridge does not run, so {url} was not asked"));
    }
    let authorities = match authorities(&patient.settings) {
        Ok(authorities) => authorities,
        Err(failure) => return Finding::bad(failure.what(), "name a PEM file with certificates"),
    };
    let again = match Record::read(&patient.settings) {
        Some(record) if record.way == "acme" => {
            "does the name lead to this machine, and does the router forward the port? Some routers let no machine call \
             its own public address: try it on a phone without Wi-Fi"
        }
        Some(_) => "was askbridge started since `askbridge expose`? type that again, with the same words",
        None => "is the proxy in front of it running, and does it pass on the `Host`? see `askbridge expose`",
    };
    match ask_from_outside(&patient.settings, url, authorities).await {
        Ok(Reached::Us) => Finding::good(format!("{url} leads here")),
        Ok(Reached::Not(why)) => Finding::bad(format!("{url} does not lead here: {why}"), again),
        Err(failure) => Finding::bad(format!("{url} could not be asked: {}", failure.what()), again),
    }
}

fn judge(validity: Validity, source: Option<&CertificateSource>, state: &RenewalState, now: Timestamp) -> Finding {
    let left = validity.until.since(now);
    if now >= validity.until {
        let why = state.why.as_ref().map(|why| format!("; its renewal failed: {why}")).unwrap_or_default();
        return Finding::bad(
            format!("the certificate has expired{why}"),
            match source {
                Some(_) => "keep askbridge running, or obtain it again with `askbridge expose`, as when you began",
                None => "renew it with the program that you have it from; askbridge reads the new files by itself",
            },
        );
    }
    if now < validity.from {
        return Finding::bad("the certificate is not valid yet", "is the clock of this machine right?");
    }
    match (source, &state.why) {
        (Some(_), Some(why)) => Finding::warning(
            format!(
                "the certificate is valid for {} more, and its renewal failed {} times: {why}",
                spoken(left),
                state.failures
            ),
            "it is tried again by itself; what it says is what has to be mended",
        ),
        // Half of the third that is left when it is due: it has not been renewed for long.
        (Some(_), None) if left.as_millis() as i64 * 6 < validity.lifetime_ms() => Finding::warning(
            format!("the certificate is valid for {} more, and was not renewed yet", spoken(left)),
            "keep askbridge running: it renews the certificate itself",
        ),
        (Some(_), None) => {
            Finding::good(format!("the certificate is valid for {} more, and renewed in time", spoken(left)))
        }
        (None, _) if left < LEFT_MIN => Finding::warning(
            format!("the certificate is valid for {} more, and askbridge does not renew it", spoken(left)),
            "renew it with the program that you have it from; askbridge reads the new files by itself",
        ),
        (None, _) => Finding::good(format!("the certificate is valid for {} more", spoken(left))),
    }
}

#[cfg(test)]
mod tests {
    use askbridge_bridge::server::Authority;

    use super::super::super::finding::Health;
    use super::*;

    #[test]
    fn a_certificate_that_ends_soon_or_is_not_renewed_is_noticed() {
        const DAY: i64 = 24 * 60 * 60 * 1000;
        let validity = Validity { from: Timestamp(0), until: Timestamp(90 * DAY) };
        let renewed = CertificateSource::Authority(Authority { folder: "none".into() });
        let failed = RenewalState { failures: 3, why: Some("no answer".to_owned()), ..RenewalState::default() };
        for (source, state, day, health, says) in [
            (None, RenewalState::default(), 10, Health::Good, "valid for"),
            (None, RenewalState::default(), 80, Health::Warning, "does not renew it"),
            (None, RenewalState::default(), 90, Health::Bad, "has expired"),
            (Some(&renewed), RenewalState::default(), 59, Health::Good, "renewed in time"),
            (Some(&renewed), RenewalState::default(), 80, Health::Warning, "was not renewed yet"),
            (Some(&renewed), failed.clone(), 65, Health::Warning, "failed 3 times: no answer"),
            (Some(&renewed), failed, 91, Health::Bad, "its renewal failed: no answer"),
            (Some(&renewed), RenewalState::default(), -1, Health::Bad, "not valid yet"),
        ] {
            let finding = judge(validity, source, &state, Timestamp(day * DAY));
            assert_eq!(finding.health, health, "{day}: {finding:?}");
            assert!(finding.what.contains(says), "{day}: {finding:?}");
        }
    }
}
