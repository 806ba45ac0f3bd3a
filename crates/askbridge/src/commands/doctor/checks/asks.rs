//! Checks the whole way of an ask: asked, seen, answered, fetched. With a test ask on the running server, as far as
//! this process may; on a temporary server otherwise.

use std::time::Duration;

use askbridge_bridge::chance::Chance;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::finding::Finding;
use super::super::patient::Patient;
use crate::client::{Ask, Client, Error, Shown};
use crate::failure::Failure;
use crate::scratch::Scratch;

const QUESTION: &str = "This is a test by `askbridge doctor`; it answers this itself. Works?";

/// How long the answer may take to come back.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    if patient.is_served() {
        return vec![on_the_running_server(patient).await];
    }
    let hint = "the server would not work either; see what it says with `askbridge --log-level debug`";
    match on_a_server_of_its_own(patient).await {
        Ok(()) => vec![Finding::good("a test was asked, answered and fetched, on a server that is gone again")],
        Err(failure) => vec![Finding::bad(format!("a test failed on a server of its own: {}", failure.what()), hint)],
    }
}

async fn on_a_server_of_its_own(patient: &Patient) -> Result<(), Failure> {
    let scratch = Scratch::start(&patient.settings, "doctor").await?;
    let tried = async {
        let token = scratch.served.person("doctor").await?;
        let asker = Client::local(&scratch.settings);
        let ask = place(&asker).await?;
        answer(&Client::here(&scratch.settings, Some(token)), &ask).await?;
        fetch(&asker, &ask).await
    };
    let tried = tried.await;
    scratch.stop().await;
    tried
}

#[derive(Deserialize)]
struct Me {
    role: String,
}

/// If the caller may not decide, it only asks, looks and withdraws: the doctor has no rights that its caller lacks.
async fn on_the_running_server(patient: &Patient) -> Finding {
    let client = Client::local(&patient.settings);
    let bad = |what: &str, error: &dyn std::fmt::Display| {
        let hint = "look at what the server logs; start it with `askbridge --log-level debug` to see more";
        Finding::bad(format!("{what}: {error}"), hint)
    };
    let role = match client.get("/v1/me").await.and_then(|reply| reply.json::<Me>()) {
        Ok(me) => me.role,
        Err(error) => return bad("the server does not say who we are", &error),
    };
    let ask = match place(&client).await {
        Ok(ask) => ask,
        Err(failure) => return bad("a test could not be asked", &failure.what()),
    };
    let finding = try_it(&client, &role, &ask, bad).await;
    close(&client, &ask.shown).await;
    finding
}

/// Closes the session of a test, so that it does not look as if it went on.
pub(super) async fn close(client: &Client, test: &Shown) {
    let why = json!({"why": "it was a test by askbridge doctor"});
    // It may be closed already: the session of a program ends with its process.
    let _ = client.post(&format!("/v1/sessions/{}/close", test.session), &why).await;
}

async fn try_it(
    client: &Client,
    role: &str,
    ask: &Ask,
    bad: impl Fn(&str, &dyn std::fmt::Display) -> Finding,
) -> Finding {
    if role != "terminal" {
        return match withdraw(client, ask).await {
            Ok(()) => {
                let why = match role {
                    "agent" => "a process below an agent may not decide",
                    "unproven" => "deciding from this terminal needs a tap on a paired device",
                    _ => "there is no terminal here",
                };
                Finding::good(format!("a test was asked, seen and withdrawn; not answered, since {why}"))
            }
            Err(error) => bad("a test could not be withdrawn", &error),
        };
    }
    let tried = async {
        answer(client, ask).await?;
        fetch(client, ask).await
    };
    match tried.await {
        Ok(()) => Finding::good("a test was asked, answered and fetched"),
        Err(failure) => {
            // Withdrawn, so that no person has to answer it.
            let _ = withdraw(client, ask).await;
            bad("a test was asked and not answered", &failure.what())
        }
    }
}

async fn place(client: &Client) -> Result<Ask, Failure> {
    let body = json!({
        "questions": [{"question": QUESTION, "options": ["Yes"]}],
        "agent": "doctor",
        "context": {"title": "A test by askbridge doctor", "text": "Nothing depends on it."},
        // If we are killed in the middle, it expires by itself.
        "timeout_seconds": 60,
        "undo_seconds": 0,
        "quorum": 1,
    });
    let key = format!("doctor-{:032x}", Chance::System.u128());
    let ask = client.post_once("/v1/asks", &body, &key).await?.ask()?;
    let seen = client.asks("open").await?;
    if !seen.iter().any(|open| open.shown.id == ask.shown.id) {
        return Err(Failure::new("it was asked, and is not in the inbox"));
    }
    Ok(ask)
}

async fn answer(client: &Client, ask: &Ask) -> Result<(), Failure> {
    let answers = json!({"answers": {QUESTION: {"options": [0]}}});
    client.post(&format!("/v1/asks/{}/answer", ask.shown.id), &answers).await?;
    Ok(())
}

async fn fetch(client: &Client, ask: &Ask) -> Result<(), Failure> {
    let settled = client.wait_for(&ask.shown.id, PATIENCE).await?.shown;
    let said = settled.answers.get(QUESTION).and_then(Value::as_str);
    match (settled.state.as_str(), said) {
        ("answered", Some("Yes")) => Ok(()),
        (state, _) => Err(Failure::new(format!("it was answered, and is {state}"))),
    }
}

async fn withdraw(client: &Client, ask: &Ask) -> Result<(), Error> {
    let why = json!({"why": "it was a test by askbridge doctor"});
    client.post(&format!("/v1/asks/{}/withdraw", ask.shown.id), &why).await.map(drop)
}
