//! Asks that are withdrawn when the connection that waits for their answer is lost.

use std::future::Future;

use askbridge_peers::wish::{AskRef, Rejection, Wish};
use axum::response::Response;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, warn};

use super::show::{Shown, respond};
use crate::auth::Caller;
use crate::server::app::App;
use crate::server::aside::unless_panicked;
use crate::server::problem::Trouble;
use crate::server::v1::HTTP;

/// The reason that people read.
const WHY: &str = "the asker went away without waiting for the answer";

/// Runs `work` in a task that goes on when the request is dropped, because it has to withdraw the ask then. The token
/// tells it.
pub(super) async fn held<W>(app: App, work: impl FnOnce(App, CancellationToken) -> W) -> Result<Response, Trouble>
where
    W: Future<Output = Result<Response, Trouble>> + Send + 'static,
{
    let gone = CancellationToken::new();
    // Dropped with this future when the connection is lost.
    let waits = gone.clone().drop_guard();
    let task = app.tasks.spawn(work(app.clone(), gone).in_current_span());
    let done = unless_panicked(task.await);
    drop(waits.disarm());
    done
}

/// Waits for the end of the ask; if `gone` comes first, withdraws it, unless a person has answered: their answer stays,
/// even while they can still undo it.
pub(super) async fn respond_or_withdraw(
    app: App,
    caller: &Caller,
    shown: Shown,
    gone: CancellationToken,
) -> Result<Response, Trouble> {
    let ask = shown.ask;
    tokio::select! {
        biased;
        response = respond(app.clone(), caller, shown) => return response,
        () = gone.cancelled() => {}
    }
    let wish = Wish::Abandon { ask: AskRef::Id(ask), why: WHY.to_owned() };
    match app.gate().grant(caller, HTTP, wish).await {
        // A person was faster, or the ask has ended: then there is nothing to withdraw.
        Ok(_) | Err(Rejection::Refused(_)) => {}
        Err(error) => warn!(ask.id = %ask, %error, "An ask could not be withdrawn after its asker went away"),
    }
    // The client is gone, so this is not read.
    Err(Trouble::new(410, "gone", WHY))
}
