//! Prints one line, or one JSON object, for each event.

use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::super::card::summary;
use super::super::short_id::short_ids;
use super::feed::{InboxUpdate, UPDATES_MAX, follow};
use crate::client::{Ask, Client};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Look {
    Json,
    Lines,
}

/// Runs until it is stopped, across restarts of the server.
pub(in super::super) async fn print_lines(client: &Client, look: Look) -> Result<Exit, Failure> {
    let (to, mut updates) = mpsc::channel(UPDATES_MAX);
    tokio::spawn(follow(client.clone(), to));
    let mut log = Log { look, open: Vec::new() };
    while let Some(update) = updates.recv().await {
        match update? {
            InboxUpdate::Open(asks) => log.snapshot(asks)?,
            InboxUpdate::Happened { what, ask } => log.update(&what, *ask)?,
            InboxUpdate::Lost => tell("lost the connection to askbridge; waiting for it to come back"),
            InboxUpdate::Back => tell("askbridge is back"),
        }
    }
    Ok(Exit::Good)
}

struct Log {
    look: Look,
    /// The open asks, in the order in which they were asked.
    open: Vec<Ask>,
}

impl Log {
    fn snapshot(&mut self, asks: Vec<Ask>) -> Result<(), Failure> {
        let known = std::mem::replace(&mut self.open, asks);
        for ask in &self.open {
            if !known.iter().any(|old| old.shown.id == ask.shown.id) {
                self.line("open", ask)?;
            }
        }
        Ok(())
    }

    fn update(&mut self, what: &str, ask: Ask) -> Result<(), Failure> {
        let place = self.open.iter().position(|old| old.shown.id == ask.shown.id);
        match (place, ask.shown.is_open()) {
            (Some(place), true) => self.open[place] = ask.clone(),
            (None, true) => self.open.push(ask.clone()),
            (_, false) => {}
        }
        // A line says how an ask ended, not only that it did.
        let what = if what == "settled" { ask.shown.state.as_str() } else { what };
        self.line(what, &ask)?;
        if let (Some(place), false) = (place, ask.shown.is_open()) {
            self.open.remove(place);
        }
        Ok(())
    }

    fn line(&self, what: &str, ask: &Ask) -> Result<(), Failure> {
        match self.look {
            Look::Json => {
                let raw: Option<&RawValue> = serde_json::from_str(&ask.raw).ok();
                Ok(print(&format!(r#"{{"event":{},"ask":{}}}"#, json!(what), raw.map_or("null", RawValue::get)))?)
            }
            Look::Lines => {
                let others = self.open.iter().map(|open| open.shown.id.as_str()).filter(|id| *id != ask.shown.id);
                let id = short_ids(others.chain([ask.shown.id.as_str()])).pop().unwrap_or_default();
                Ok(print(&format!("{:<9}  {id}  {}", what.replace('_', " "), summary(&ask.shown)))?)
            }
        }
    }
}
