//! What happens, as it happens, through restarts of the server.

use tokio::sync::mpsc::Sender;

use crate::client::{Ask, Backoff, Client, Error, Heard};
use crate::failure::Failure;

/// News that wait to be shown. Beyond: the stream is not read until some are.
pub(super) const NEWS_MAX: usize = 64;

/// What is worth showing: the rest is between us and the agent.
const NEWS: &[&str] =
    &["asked", "proposed", "undone", "extended", "settled", "withdrawn", "overtaken", "stranded", "late_answered"];

#[derive(Debug)]
pub(super) enum News {
    /// Everything that is open: at the start, or when the server could not tell what was missed.
    Open(Vec<Ask>),
    Happened {
        what: String,
        ask: Box<Ask>,
    },
    Lost,
    Back,
}

/// Follows until nobody listens any more, or until something happens that does not pass.
pub(super) async fn follow(client: Client, to: Sender<Result<News, Failure>>) {
    if let Err(failure) = try_to_follow(&client, &to).await {
        // Nobody listens: nobody is left to tell.
        let _ = to.send(Err(failure)).await;
    }
}

async fn try_to_follow(client: &Client, to: &Sender<Result<News, Failure>>) -> Result<(), Failure> {
    let mut last: Option<String> = None;
    let mut backoff = Backoff::default();
    let mut lost = false;
    loop {
        let mut events = match client.events(last.as_deref()).await {
            Ok(events) => events,
            // The first time, there may be nothing to come back.
            Err(error) if last.is_none() || !error.passes() => return Err(error.into()),
            Err(_) => {
                if !lost && to.send(Ok(News::Lost)).await.is_err() {
                    return Ok(());
                }
                lost = true;
                backoff.wait().await;
                continue;
            }
        };
        if lost && to.send(Ok(News::Back)).await.is_err() {
            return Ok(());
        }
        lost = false;
        while let Some(heard) = events.next().await {
            backoff = Backoff::default();
            let news = match heard {
                Heard::Snapshot { asks, more } => match open(client, asks, more).await {
                    Ok(asks) => Some(News::Open(asks)),
                    Err(error) if error.passes() => break,
                    Err(error) => return Err(error.into()),
                },
                Heard::News { what, ask } if NEWS.contains(&what.as_str()) => match client.ask(&ask).await {
                    Ok(ask) => ask.map(|ask| News::Happened { what, ask: Box::new(ask) }),
                    // Heard again after reconnecting, because `last` stays where it was.
                    Err(error) if error.passes() => break,
                    Err(Error::Refused(_)) => None,
                    Err(error) => return Err(error.into()),
                },
                Heard::Beat | Heard::News { .. } => None,
            };
            if let Some(news) = news
                && to.send(Ok(news)).await.is_err()
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

/// Everything that is open, each ask whole: it may be decided as soon as it is shown.
async fn open(client: &Client, asks: Vec<Ask>, more: bool) -> Result<Vec<Ask>, Error> {
    let asks = if more { client.asks("open").await? } else { asks };
    let mut open = Vec::with_capacity(asks.len());
    for ask in asks {
        open.push(client.whole(ask).await?);
    }
    Ok(open)
}
