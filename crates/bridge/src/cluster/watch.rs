//! Keeps what this node remembers of the shared shelf equal to the shelf: what another node changes there counts here
//! within a moment. A revoked token is refused everywhere, and its connections are closed.
//!
//! The bus may lose a message; the watch may not: it begins at the start of the shelf, and goes on where it was interrupted.

use askbridge_journal::shelf::{Revision, ShelfChange, WatchShelf, Watched};
use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use crate::auth::is_of_tokens;
use crate::hooks::presence;
use crate::ringing::ShelfPart as RingingPart;
use crate::runtime::{ShelfPart as RulesPart, chain};
use crate::server::App;

/// Changes that are taken in together, so that a part that is read again as a whole is read once for all of them.
const TOGETHER: usize = 256;

/// What has to be read again as a whole.
#[derive(Debug, Default)]
struct Stale {
    channels: bool,
    remembered: bool,
    unattended: bool,
    away: bool,
}

/// Takes in changes until `stop`.
pub(super) async fn watch(app: App, stop: CancellationToken) {
    let mut changes = Box::pin(app.handle.store().watch("", Revision(0)).ready_chunks(TOGETHER));
    loop {
        let chunk = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            chunk = changes.next() => chunk,
        };
        let Some(chunk) = chunk else { return };
        let mut stale = Stale::default();
        for watched in chunk {
            match watched {
                Watched::Changed(change) => take_in(&app, change, &mut stale).await,
                Watched::CaughtUp => {}
                Watched::Interrupted(fault) => debug!(error = chain(&fault), "The shelf is watched again"),
            }
        }
        read_again(&app, &stale).await;
    }
}

async fn take_in(app: &App, change: ShelfChange, stale: &mut Stale) {
    let ShelfChange { key, revision, item } = change;
    if is_of_tokens(&key) {
        return app.tokens.learn(&key, item.as_ref()).await;
    }
    match RingingPart::of(&key) {
        Some(RingingPart::Ring(ring)) => return app.ringing().learn(ring, revision, item.as_ref()),
        Some(RingingPart::Channel) => stale.channels = true,
        Some(RingingPart::Away) => stale.away = true,
        None => {}
    }
    match RulesPart::of(&key) {
        Some(RulesPart::Remembered) => stale.remembered = true,
        Some(RulesPart::Unattended) => stale.unattended = true,
        Some(RulesPart::Draft(ask)) => app.handle.there_is_a_draft(ask, item.is_some()),
        None => {}
    }
}

async fn read_again(app: &App, stale: &Stale) {
    let mut failed = Vec::new();
    if stale.channels {
        failed.extend(app.ringing().channels.load(&app.handle).await.err().map(|error| chain(&error)));
        app.ringing().changed();
    }
    if stale.remembered {
        failed.extend(app.handle.load_remembered().await.err().map(|error| error.to_string()));
    }
    if stale.unattended {
        failed.extend(app.handle.load_unattended().await.err().map(|error| error.to_string()));
    }
    if stale.away
        && let Ok(presence) = presence(app).await
    {
        app.ringing().away(presence.mode);
    }
    for error in failed {
        warn!(error, "What another node changed could not be read; the next change reads it again");
    }
}
