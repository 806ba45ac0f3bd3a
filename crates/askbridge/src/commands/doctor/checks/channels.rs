//! Checks the channels over which people are rung. At a terminal it sends a test over each of the person who runs this,
//! all at once, and waits for the tap.

use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::Value;

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::client::Client;
use crate::output::tell;

/// How long a test waits for the tap.
const TAP_MAX: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct Page {
    items: Vec<Channel>,
}

#[derive(Deserialize)]
struct Channel {
    id: String,
    kind: String,
    name: String,
    person: String,
    paired: bool,
    #[serde(default)]
    broken: Option<Broken>,
}

#[derive(Deserialize)]
struct Broken {
    why: String,
}

#[derive(Deserialize)]
struct Tested {
    state: String,
    #[serde(default)]
    why: Option<String>,
    can_be_tapped: bool,
}

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    if !patient.is_served() {
        return vec![Finding::skipped("channels are looked at when a server runs")];
    }
    let client = Client::local(&patient.settings);
    let channels = match client.get("/v1/channels").await.and_then(|reply| reply.json::<Page>()) {
        Ok(page) => page.items,
        // An agent may not see them.
        Err(error) => return vec![Finding::skipped(format!("the channels are not shown to this process: {error}"))],
    };
    if channels.is_empty() {
        return vec![Finding::skipped("nobody is rung while away; see `askbridge channel add --help`")];
    }
    let user: &str = &patient.settings.top.user;
    let (tried, others): (Vec<_>, Vec<_>) =
        channels.iter().partition(|channel| patient.rings && channel.paired && channel.person == user);
    if !tried.is_empty() {
        let names: Vec<_> = tried.iter().map(|channel| called(channel)).collect();
        tell(&format!("ringing {}: tap the message within a minute", names.join(", ")));
    }
    let mut findings: Vec<_> = others.into_iter().map(as_listed).collect();
    findings.extend(join_all(tried.into_iter().map(|channel| try_out(&client, channel))).await);
    findings
}

fn called(Channel { name, kind, person, .. }: &Channel) -> String {
    match name == kind {
        true => format!("{name} of {person}"),
        false => format!("{name} ({kind}) of {person}"),
    }
}

/// What the server knows of a channel that is not tried.
fn as_listed(channel: &Channel) -> Finding {
    let (what, id) = (called(channel), &channel.id);
    match &channel.broken {
        _ if !channel.paired => Finding::warning(
            format!("{what} is not paired yet"),
            format!("if its code is lost, `askbridge channel remove {id}` and add it again"),
        ),
        Some(broken) => broken_finding(&what, id, &broken.why),
        None => Finding::good(format!("{what} has no known trouble; `askbridge channel test {id}` tries it")),
    }
}

fn broken_finding(what: &str, id: &str, why: &str) -> Finding {
    let hint = format!("try it with `askbridge channel test {id}`, or remove it and add it again");
    Finding::bad(format!("{what} does not work: {why}"), hint)
}

async fn try_out(client: &Client, channel: &Channel) -> Finding {
    let (what, id) = (called(channel), &channel.id);
    let address = format!("/v1/channels/{id}/test?wait={}", TAP_MAX.as_secs());
    let tested = client.post_and_wait(&address, &Value::Null, TAP_MAX).await.and_then(|reply| reply.json::<Tested>());
    match tested {
        Ok(Tested { state, why, can_be_tapped }) => match (&*state, can_be_tapped) {
            ("seen", _) => Finding::good(format!("{what}: a test arrived, and you tapped it")),
            ("delivered", _) => Finding::good(format!("{what}: a test was shown on the device")),
            ("sent", false) => Finding::good(format!("{what} took a test; whether it arrived is not known there")),
            ("sent", true) => Finding::warning(
                format!("{what} took a test, and nobody tapped it within a minute"),
                format!("look whether it arrived; then `askbridge channel test {id} --wait 1m`"),
            ),
            (state, _) => broken_finding(&what, id, why.as_deref().unwrap_or(state)),
        },
        Err(error) => broken_finding(&what, id, &error.to_string()),
    }
}
