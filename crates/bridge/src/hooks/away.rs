//! Whether the person is away from this machine: as they said, or else by when they last typed.

use std::time::Duration;

use askbridge_journal::shelf::Shelf;
use askbridge_peers::wish::Rejection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::terminals::quiet_for;
use crate::runtime::down;
use crate::server::App;

pub(crate) const AWAY_KEY: &str = "away";

/// What a person said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AwayMode {
    /// They are away.
    On,
    /// They are here.
    Off,
    /// They are away when nobody has typed for a while.
    #[default]
    Auto,
}

/// Whether they are away, and how we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presence {
    pub mode: AwayMode,
    pub is_away: bool,
    /// Time since the last key press at any terminal. `None`: there is no terminal, and only what they said counts.
    pub quiet: Option<Duration>,
}

/// Finds out whether the person is away.
pub(crate) async fn presence(app: &App) -> Result<Presence, Rejection> {
    presence_at(app, quiet_for(app.handle.clock.now())).await
}

/// The same for a person at another machine, where nobody has typed for so long. What they said counts for all.
pub(super) async fn presence_at(app: &App, quiet: Option<Duration>) -> Result<Presence, Rejection> {
    let now = app.handle.clock.now();
    let kept = app.handle.store.get(AWAY_KEY, now).await.map_err(down)?;
    let mode = kept.and_then(|item| serde_json::from_slice(&item.value).ok()).unwrap_or_default();
    let is_away = match mode {
        AwayMode::On => true,
        AwayMode::Off => false,
        AwayMode::Auto => quiet.is_some_and(|quiet| quiet >= app.hooks.options().away_after),
    };
    Ok(Presence { mode, is_away, quiet })
}

/// Stores what they said, across restarts too.
pub(crate) async fn set_away(app: &App, mode: AwayMode) -> Result<(), Rejection> {
    let value = serde_json::to_vec(&mode).expect("a word is JSON");
    app.handle.shelve(AWAY_KEY, &value, None).await?;
    app.ringing().away(mode);
    Ok(())
}
