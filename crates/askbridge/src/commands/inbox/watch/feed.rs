//! Follows the events of the server, across its restarts.

use tokio::sync::mpsc::Sender;

use crate::client::{Ask, Backoff, Client, Error, StreamUpdate};
use crate::failure::Failure;

/// Updates queued for the screen. Beyond: the stream is not read until some are shown.
pub(super) const UPDATES_MAX: usize = 64;

/// The events worth showing; the others concern only the agent.
const SHOWN: &[&str] =
    &["asked", "proposed", "undone", "extended", "settled", "withdrawn", "overtaken", "stranded", "late_answered"];

#[derive(Debug)]
pub(super) enum InboxUpdate {
    /// All open asks: at the start, or when the server could not resume the stream.
    Open(Vec<Ask>),
    Happened {
        what: String,
        ask: Box<Ask>,
    },
    Lost,
    Back,
}

/// Follows until the receiver is dropped, or until an error that a retry cannot fix.
pub(super) async fn follow(client: Client, to: Sender<Result<InboxUpdate, Failure>>) {
    if let Err(failure) = try_to_follow(&client, &to).await {
        // The receiver may be gone.
        let _ = to.send(Err(failure)).await;
    }
}

async fn try_to_follow(client: &Client, to: &Sender<Result<InboxUpdate, Failure>>) -> Result<(), Failure> {
    let mut last: Option<String> = None;
    let mut backoff = Backoff::default();
    let mut lost = false;
    loop {
        let mut events = match client.events(last.as_deref()).await {
            Ok(events) => events,
            // At the first attempt there may be no server at all.
            Err(error) if last.is_none() || !error.passes() => return Err(error.into()),
            Err(_) => {
                if !lost && to.send(Ok(InboxUpdate::Lost)).await.is_err() {
                    return Ok(());
                }
                lost = true;
                backoff.wait().await;
                continue;
            }
        };
        if lost && to.send(Ok(InboxUpdate::Back)).await.is_err() {
            return Ok(());
        }
        lost = false;
        while let Some(heard) = events.next().await {
            backoff = Backoff::default();
            let update = match heard {
                StreamUpdate::Snapshot { asks, more } => match open(client, asks, more).await {
                    Ok(asks) => Some(InboxUpdate::Open(asks)),
                    Err(error) if error.passes() => break,
                    Err(error) => return Err(error.into()),
                },
                StreamUpdate::News { what, ask } if SHOWN.contains(&what.as_str()) => match client.ask(&ask).await {
                    Ok(ask) => ask.map(|ask| InboxUpdate::Happened { what, ask: Box::new(ask) }),
                    // It comes again after reconnecting, because `last` stays where it was.
                    Err(error) if error.passes() => break,
                    Err(Error::Refused(_)) => None,
                    Err(error) => return Err(error.into()),
                },
                StreamUpdate::Beat | StreamUpdate::News { .. } => None,
            };
            if let Some(update) = update
                && to.send(Ok(update)).await.is_err()
            {
                return Ok(());
            }
            if events.last.is_some() {
                last.clone_from(&events.last);
            }
        }
        backoff.wait().await;
    }
}

/// Returns all open asks in full: each may be decided as soon as it is shown.
async fn open(client: &Client, asks: Vec<Ask>, more: bool) -> Result<Vec<Ask>, Error> {
    let asks = if more { client.asks("open").await? } else { asks };
    let mut open = Vec::with_capacity(asks.len());
    for ask in asks {
        open.push(client.whole(ask).await?);
    }
    Ok(open)
}
