//! Runs the demo's asks on the real server; the person answers here or elsewhere.

use std::sync::{Arc, Mutex};

use askbridge_bridge::chance::Chance;
use serde_json::{Value, json};

use crate::client::{Ask, Client, Shown};
use crate::commands::answer::{Deed, Prompt, by_hand, outcome, refused};
use crate::commands::ask::until_settled;
use crate::commands::inbox::headline;
use crate::failure::Failure;
use crate::output::{Paint, print, tell, visible};

/// The open ask, shared with the signal handler that has to withdraw it.
pub(super) type OpenAsk = Arc<Mutex<Open>>;

#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) id: Option<String>,
    /// The demo is being stopped.
    pub(super) stopping: bool,
}

pub(super) struct DemoRun {
    pub(super) client: Client,
    pub(super) session: String,
    /// `None`: the person answers elsewhere.
    pub(super) prompt: Option<Prompt>,
    pub(super) paint: Paint,
    pub(super) json: bool,
    pub(super) open: OpenAsk,
}

/// Who answers an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answered {
    ByThePerson,
    /// The ask is there to expire.
    ByNobody,
}

impl DemoRun {
    /// Prints a line of the demo's agent.
    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
        let line = format!("\n{} {}", self.paint.bold("demo agent:"), visible(text));
        if self.json {
            tell(&line);
            return Ok(());
        }
        Ok(print(&line)?)
    }

    /// Asks, and returns the ask as it ended.
    pub(super) async fn ask(&mut self, mut body: Value, by: Answered) -> Result<Shown, Failure> {
        body["session"] = json!(self.session);
        body["agent"] = json!("demo");
        let key = format!("{:032x}", Chance::System.u128());
        let ask = self.client.post_once("/v1/asks", &body, &key).await?.ask()?;
        self.note(Some(&ask.shown.id));
        match (&mut self.prompt, by) {
            (Some(prompt), Answered::ByThePerson) => {
                tell("");
                answer(&self.client, &ask, prompt).await?;
            }
            (Some(_), Answered::ByNobody) => tell(&format!("  {}", headline(&ask.shown))),
            (None, _) => tell(&format!("waiting for an answer to: {}", headline(&ask.shown))),
        }
        let settled = until_settled(&self.client, &ask.shown.id).await?;
        if self.note(None) {
            // The signal handler has withdrawn this ask, and ends the process.
            return std::future::pending().await;
        }
        if self.json {
            print(&settled.raw)?;
        }
        Ok(settled.shown)
    }

    /// Records which ask is open. Returns whether the demo is being stopped.
    fn note(&self, id: Option<&str>) -> bool {
        self.open.lock().is_ok_and(|mut open| {
            open.id = id.map(str::to_owned);
            open.stopping
        })
    }
}

/// Lets the person answer here, until they have answered or dismissed the ask.
async fn answer(client: &Client, ask: &Ask, prompt: &mut Prompt) -> Result<(), Failure> {
    loop {
        let deed = match by_hand(&ask.shown, prompt)? {
            Some(deed) => deed,
            None if prompt.yes("Close it without an answer?", false)? => Deed::dismiss(None),
            None => continue,
        };
        match client.decide(&format!("/v1/asks/{}/{}", ask.shown.id, deed.verb), &deed.body).await {
            Ok(reply) => {
                tell(&outcome(&reply, deed.verb)?);
                return Ok(());
            }
            Err(error) => {
                let failure = refused(client, error).await;
                // Another person was faster, or the answer does not fit: the server knows the current state.
                let now = client.ask(&ask.shown.id).await?;
                if now.is_none_or(|now| !now.shown.is_open()) {
                    tell(&failure.what());
                    return Ok(());
                }
                tell(&failure.to_string());
            }
        }
    }
}
