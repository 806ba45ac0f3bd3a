//! What becomes of a wish that comes over a connection: some of them need more than the rules know.

use askbridge_peers::listing::hosted_door;
use askbridge_peers::wish::{Receipt, Rejection, Wish};

use super::app::App;
use super::calling::call;
use super::hosting::prepare_wished;
use super::identify::pace;
use super::v1::sessions;
use crate::auth::Caller;

/// Grants a wish, unless whoever makes it makes too many.
pub(super) async fn grant(
    app: &App,
    caller: Option<Caller>,
    via: &'static str,
    wish: Wish,
) -> Result<Receipt, Rejection> {
    let caller = caller.ok_or(Rejection::Unauthorized)?;
    pace(app, &caller)?;
    match wish {
        // In boxes: every answer would carry room for them.
        Wish::Open(new) => Box::pin(sessions::start(app, &caller, via, *new)).await,
        Wish::Change { session, changes } => Box::pin(sessions::change(app, &caller, via, session, *changes)).await,
        Wish::Call(wanted) => Box::pin(call(app, &caller, *wanted)).await,
        wish @ Wish::Start { .. } => Box::pin(start(app, &caller, via, wish)).await,
        wish => app.handle.grant(&caller, via, wish).await,
    }
}

/// An agent that is to be run is looked at before there is a session.
async fn start(app: &App, caller: &Caller, via: &str, mut wish: Wish) -> Result<Receipt, Rejection> {
    if let Wish::Start { door, settings, .. } = &mut wish
        && let Some(hosted) = hosted_door(door)
    {
        prepare_wished(app, caller, hosted, settings).await?;
    }
    app.handle.grant(caller, via, wish).await
}
