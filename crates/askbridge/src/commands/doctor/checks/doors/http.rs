//! Checks hooks over HTTP: the token is set, and the server listens at the configured address.

use std::net::SocketAddr;

use super::examiner::{Examiner, Seen};
use super::hook::{again, answer_in, event, place};
use crate::client::{Client, Error};
use crate::commands::doctor::finding::Finding;
use crate::commands::init::Door;
use crate::settings::named_token;

pub(super) async fn try_hook(examiner: &Examiner, door: &Door, url: &str, bearer: &str) -> Finding {
    let (place, own) = (place(door), again(door));
    if examiner.folder().is_some() {
        return Finding::skipped(format!(
            "{place}: askbridge is not running; start it with `askbridge`, then this can be tried"
        ));
    }
    let Some(token) = named_token(bearer) else {
        let hint = "before `claude`, type `export ASKBRIDGE_TOKEN=\"$(askbridge token create claude)\"`";
        return Finding::warning(format!("{place}: {bearer} is not set here, so the hooks would be refused"), hint);
    };
    let Some(address) = address(url) else {
        return Finding::skipped(format!("{place}: `{url}` is not a plain address of this machine; not tried"));
    };
    let client = Client::at(address, token);
    if let Err(error) = client.get("/v1/me").await {
        return match error {
            Error::Refused(problem) if problem.status == 401 => Finding::bad(
                format!("{place}: the token is not known to the server"),
                "make another: `export ASKBRIDGE_TOKEN=\"$(askbridge token create claude)\"`",
            ),
            error => Finding::bad(format!("{place}: {error}"), own),
        };
    }
    let question = format!(
        "This is a test by `askbridge doctor`, through a hook over HTTP of {}; it answers this itself. Works?",
        door.program.name()
    );
    let event = event(&question);
    let asked = async { client.post("/v1/hook", &event).await };
    match examiner.attend(&question, asked).await {
        Ok(Seen::Answered(Some(Ok(reply)))) => {
            let output = reply.json().unwrap_or_default();
            match answer_in(&output, &question).as_deref() {
                Some("Yes") => Finding::good(format!("{place}: a test was asked, answered and heard")),
                _ => {
                    Finding::bad(format!("{place}: a test was asked and answered, and the server did not say so"), own)
                }
            }
        }
        Ok(Seen::Withdrawn(why)) => {
            Finding::good(format!("{place}: a test was asked, seen and withdrawn; not answered, since {why}"))
        }
        Ok(Seen::NotAsked(Err(Error::Refused(problem)))) if problem.code == "unknown_address" => Finding::bad(
            format!("{place}: this askbridge hears no hooks over HTTP"),
            "install a newer release, and start it",
        ),
        Ok(Seen::NotAsked(Err(error))) => Finding::bad(format!("{place}: {error}"), own),
        Ok(_) => Finding::bad(format!("{place}: nothing was asked at `{url}`"), own),
        Err(failure) => Finding::bad(format!("{place}: {}", failure.what()), own),
    }
}

/// Returns the address in a URL, without a DNS lookup.
fn address(url: &str) -> Option<SocketAddr> {
    let host = url.strip_prefix("http://")?.split('/').next()?;
    host.replace("localhost", "127.0.0.1").parse().ok()
}
