//! Checks the askbridge that this machine is connected to: reachable, trusted, ours, of this release, with the same
//! time.

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::client::{Connection, Error};
use crate::commands::connect::{CLOCK_OFF_MAX, Standing, stand};

const OURS: &str = env!("CARGO_PKG_VERSION");

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let connection = match Connection::read(&patient.settings) {
        Ok(Some(connection)) => connection,
        // As most machines are; there is nothing to check.
        Ok(None) => return Vec::new(),
        Err(failure) => {
            return vec![Finding::bad(failure.what(), "type `askbridge disconnect`, and connect it again")];
        }
    };
    let url = &connection.url;
    if let Some(named) = patient.settings.top.url.as_deref().filter(|named| named != url) {
        let what = format!("this machine is connected to {url}, and `url` names {named}, which wins");
        return vec![Finding::warning(what, "unset ASKBRIDGE_URL, or take `url` out of the settings")];
    }
    let (version, clock_off) = match stand(&connection).await {
        Ok(Standing::Good { version, clock_off }) => (version, clock_off),
        Ok(Standing::Revoked) => {
            let what = format!("{url} does not know this machine any more: its connection was revoked there");
            return vec![Finding::bad(what, format!("type `askbridge connect {url}`, or `askbridge disconnect`"))];
        }
        Ok(Standing::Trouble(error @ Error::Untrusted { .. })) => {
            let hint = format!(
                "if its certificate changed on purpose, type `askbridge disconnect` and `askbridge connect {url} --ca FILE`"
            );
            return vec![Finding::bad(error.to_string(), hint)];
        }
        Ok(Standing::Trouble(error)) => {
            let hint =
                "does the server run there, and is this machine online? Until then terminals show their own dialogs";
            return vec![Finding::bad(error.to_string(), hint)];
        }
        Err(failure) => return vec![Finding::bad(failure.what(), "type `askbridge disconnect`, and connect it again")],
    };
    let mut findings = vec![Finding::good(format!("{url} answers, and knows this machine as `{}`", connection.name))];
    if version != OURS {
        let what = format!("{url} is {version}, and this is {OURS}");
        findings.push(Finding::warning(what, "install the same release on both machines"));
    }
    if let Some(off) = clock_off.filter(|off| *off > CLOCK_OFF_MAX) {
        let what = format!("this clock and that of {url} are {} seconds apart", off.as_secs());
        findings.push(Finding::warning(what, "set the time on both, as with `sudo timedatectl set-ntp true`"));
    }
    findings
}
