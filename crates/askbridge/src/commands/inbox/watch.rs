//! The list, kept up to date: redrawn on a terminal, appended to otherwise.

use std::io::{IsTerminal, Write, stdout};

use serde_json::json;
use serde_json::value::RawValue;

use super::card::{card, summary};
use super::short_id::short_ids;
use crate::client::{Ask, Backoff, Client, Error, Heard};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{Paint, print, tell};
use crate::settings::Settings;

/// What is worth a line: the rest is between us and the agent.
const NEWS: &[&str] =
    &["asked", "proposed", "undone", "extended", "settled", "withdrawn", "overtaken", "stranded", "late_answered"];

/// Stays until it is stopped, through restarts of the server.
pub(super) async fn watch(settings: &Settings, client: &Client, json: bool) -> Result<Exit, Failure> {
    let mut screen = Screen { paint: Paint::stdout(settings), look: Look::of(json), open: Vec::new() };
    let mut last: Option<String> = None;
    let mut backoff = Backoff::default();
    let mut told = false;
    loop {
        let mut events = match client.events(last.as_deref()).await {
            Ok(events) => events,
            // The first time, there may be nothing to come back.
            Err(error) if last.is_none() || !error.passes() => return Err(error.into()),
            Err(_) => {
                if !told {
                    tell("lost the connection to askbridge; waiting for it to come back");
                    told = true;
                }
                backoff.wait().await;
                continue;
            }
        };
        if told {
            tell("askbridge is back");
            told = false;
        }
        while let Some(heard) = events.next().await {
            backoff = Backoff::default();
            match heard {
                Heard::Beat => screen.beat()?,
                Heard::Snapshot(asks) => screen.snapshot(asks)?,
                Heard::News { what, ask } if NEWS.contains(&what.as_str()) => match client.ask(&ask).await {
                    Ok(Some(ask)) => screen.news(&what, ask)?,
                    Ok(None) => {}
                    // Heard again after reconnecting, because `last` stays where it was.
                    Err(error) if error.passes() => break,
                    Err(Error::Refused(_)) => {}
                    Err(error) => return Err(error.into()),
                },
                Heard::News { .. } => {}
            }
            if events.last.is_some() {
                last.clone_from(&events.last);
            }
        }
        backoff.wait().await;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Json,
    Lines,
    Redraw,
}

impl Look {
    fn of(json: bool) -> Self {
        match (json, stdout().is_terminal()) {
            (true, _) => Self::Json,
            (false, true) => Self::Redraw,
            (false, false) => Self::Lines,
        }
    }
}

struct Screen {
    paint: Paint,
    look: Look,
    /// What waits, in the order in which it was asked.
    open: Vec<Ask>,
}

impl Screen {
    /// Everything that is open: at the start, or when the server could not tell what was missed.
    fn snapshot(&mut self, asks: Vec<Ask>) -> Result<(), Failure> {
        let known = std::mem::replace(&mut self.open, asks);
        for ask in &self.open {
            if !known.iter().any(|old| old.shown.id == ask.shown.id) {
                self.line("open", ask)?;
            }
        }
        self.redraw()
    }

    fn news(&mut self, what: &str, ask: Ask) -> Result<(), Failure> {
        let place = self.open.iter().position(|old| old.shown.id == ask.shown.id);
        match (place, ask.shown.is_open()) {
            (Some(place), true) => self.open[place] = ask.clone(),
            (None, true) => self.open.push(ask.clone()),
            (_, false) => {}
        }
        // A line says how it ended, not that it did.
        let what = if what == "settled" { ask.shown.state.as_str() } else { what };
        self.line(what, &ask)?;
        if let (Some(place), false) = (place, ask.shown.is_open()) {
            self.open.remove(place);
        }
        self.redraw()
    }

    /// Times go on even when nothing happens.
    fn beat(&self) -> Result<(), Failure> {
        self.redraw()
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
            Look::Redraw => Ok(()),
        }
    }

    fn redraw(&self) -> Result<(), Failure> {
        if self.look != Look::Redraw {
            return Ok(());
        }
        let ids = short_ids(self.open.iter().map(|ask| ask.shown.id.as_str()));
        let cards: Vec<_> = self.open.iter().zip(&ids).map(|(ask, id)| card(&ask.shown, id, self.paint)).collect();
        let list = if cards.is_empty() { "nothing waits for an answer".to_owned() } else { cards.join("\n\n") };
        let mut out = stdout().lock();
        // Home, and clear from there: what was on the screen before stays in the scrollback.
        write!(out, "\x1b[H\x1b[J{list}\n\n{}\n", self.paint.dim("watching; Ctrl-C stops"))?;
        Ok(out.flush()?)
    }
}
