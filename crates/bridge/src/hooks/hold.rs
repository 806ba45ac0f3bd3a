//! Holds one hook: makes the ask, waits for its end, and returns what the hook prints.

use std::time::Duration;

use askbridge_core::ask::Reach;
use askbridge_core::event::Parcel;
use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::Wait;
use askbridge_core::view::By;
use askbridge_peers::doors::hook::{
    Around, HookEvent, HookEventKind, Mouth, NAME, ToolCall, answer, defer, swallowed, wish,
};
use askbridge_peers::wish::{AskRef, AskWish, Receipt, Rejection, Wish};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::handler::Output;
use super::mouth::WENT_ON;
use super::parked::{forget_parked, remember_parked};
use super::visitor::{Farewell, Parting, parting};
use super::waiting::{Connection, WaitingHook, forget_waiting, remember_waiting};
use crate::auth::{Caller, ProcessId};
use crate::runtime::Entrance;
use crate::server::App;

/// How often to check whether the agent still runs. A hook can outlive an agent that was killed.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A hook whose agent waits.
pub(super) struct HeldHook<'a> {
    pub(super) heard: &'a HookEvent,
    pub(super) call: ToolCall,
    pub(super) session: SessionId,
    pub(super) around: Around,
    pub(super) agent: Option<ProcessId>,
    /// The hook, if it can be found again: its process on this machine, or the name that it gave itself.
    pub(super) waiting: Option<WaitingHook>,
    pub(super) park: Option<Duration>,
    pub(super) follows: bool,
    pub(super) caller: &'a Caller,
}

impl HeldHook<'_> {
    fn entrance(&self) -> Entrance {
        Entrance::agent(NAME, self.session)
    }
}

/// Why the waiting ended.
enum WaitEnd {
    Settled,
    /// The hook has disconnected: its agent cancelled it, or has exited.
    Gone,
    /// The process was kept long enough; the ask is parked.
    Warm,
    /// The server stops. The terminal goes on without us.
    Stopping,
    /// The caller's token was revoked; it is told nothing.
    Revoked,
    /// The hook came back on another connection, which goes on.
    Superseded,
}

/// Makes the ask and waits. Returns what the hook prints.
pub(super) async fn hold(app: &App, held: HeldHook<'_>, gone: CancellationToken) -> Result<Option<Output>, Rejection> {
    let reach = if held.park.is_some() { Reach::Resumable } else { Reach::Held };
    let wish = match wish(held.heard, &held.call, held.session, &held.around, reach) {
        Ok(mut wish) => {
            if held.around.mouth == Mouth::Nobody {
                wish.wishes.wait = app.hooks.options().headless.map(Wait::For);
            }
            wish
        }
        Err(why) => {
            debug!(why, "A call is not one that a person could decide about");
            return Ok(None);
        }
    };
    let receipt = ask(app, &held, wish).await?;
    let ask = receipt.ask.ok_or_else(|| Rejection::Down("the ask was not recorded".to_owned()))?;
    if let Some(waiting) = &held.waiting {
        remember_waiting(app, ask, waiting).await;
    }
    wait_and_answer(app, &held, ask, gone).await
}

/// Waits for an ask that exists. Returns what the hook prints.
pub(super) async fn wait_and_answer(
    app: &App,
    held: &HeldHook<'_>,
    ask: AskId,
    gone: CancellationToken,
) -> Result<Option<Output>, Rejection> {
    let connected = app.hooks.connected.enter(ask);
    app.hooks.farewells.tell_return();
    let end = wait(app, held, ask, gone, &connected).await?;
    drop(connected);
    match end {
        WaitEnd::Stopping | WaitEnd::Superseded => Ok(None),
        WaitEnd::Revoked => revoked(app, held, ask).await,
        WaitEnd::Gone => {
            let is_alive = match &held.waiting {
                Some(WaitingHook::Elsewhere { .. }) => match parting(app, ask, Some(held.caller)).await {
                    Parting::Said(farewell) => farewell != Farewell::AgentEnded,
                    Parting::Returned | Parting::Stopping => return Ok(None),
                    Parting::Revoked => return revoked(app, held, ask).await,
                    Parting::Lost => {
                        app.handle.submit(ask.session, vec![Intent::Strand { ask }]).await?;
                        return Ok(None);
                    }
                },
                _ => held.agent.is_none_or(ProcessId::is_alive),
            };
            let taken_back = |why: &str| Wish::Withdraw { ask: AskRef::Id(ask), why: why.to_owned() };
            let wish = match held.around.mouth {
                _ if !is_alive => taken_back("the agent has ended"),
                // The agent has its denial, and goes on. A person may still overrule it.
                _ if matches!(held.heard.what, HookEventKind::Denied { .. }) => Wish::Strand { ask: AskRef::Id(ask) },
                Mouth::Nobody => taken_back(WENT_ON),
                mouth => Wish::Overtake { ask: AskRef::Id(ask), mouth: mouth.words().to_owned(), ran: None },
            };
            forget_waiting(app, ask).await;
            app.gate().grant(held.caller, held.entrance(), wish).await?;
            Ok(None)
        }
        WaitEnd::Warm => Ok(park(app, held, ask).await?.map(Output::from)),
        WaitEnd::Settled => {
            let view = app.handle.ask(ask).await?;
            let Some(text) = answer(held.heard, &held.call, held.follows, &view) else { return Ok(None) };
            forget_parked(app, ask).await;
            if let Some(text) = swallowed(held.heard, &held.call, &view) {
                let by = match &view.by {
                    Some(By::Person(who)) => Some(who.clone()),
                    _ => None,
                };
                let say = Intent::Say { text, by, about: Some(ask), client_id: None };
                if let Err(error) = app.handle.submit(held.session, vec![say]).await {
                    warn!(ask.id = %ask, %error, "The agent is stopped and will not hear why");
                }
            }
            let parcel = Parcel::Verdict(ask);
            drop(app.gate().note(held.caller, held.entrance(), Wish::Hand { parcel }));
            let is_denied = matches!(held.heard.what, HookEventKind::Denied { .. });
            let told = if is_denied || held.heard.agent.hears_only_its_hook() { vec![parcel] } else { Vec::new() };
            Ok(Some(Output { text, told }))
        }
    }
}

async fn revoked(app: &App, held: &HeldHook<'_>, ask: AskId) -> Result<Option<Output>, Rejection> {
    let wish = Wish::Withdraw { ask: AskRef::Id(ask), why: "the agent's token was revoked".to_owned() };
    app.gate().grant(held.caller, held.entrance(), wish).await?;
    Ok(None)
}

/// Makes the ask, or finds the one made before. If its key was used for something else, asks without a key.
pub(super) async fn ask(app: &App, held: &HeldHook<'_>, wish: AskWish) -> Result<Receipt, Rejection> {
    let nameless = AskWish { key: None, call: None, ..wish.clone() };
    let grant = async |wish| app.gate().grant(held.caller, held.entrance(), Wish::Ask(Box::new(wish))).await;
    match grant(wish).await {
        Err(Rejection::Refused(Refusal::BadRequest(_))) => grant(nameless).await,
        granted => granted,
    }
}

async fn wait(
    app: &App,
    held: &HeldHook<'_>,
    ask: AskId,
    gone: CancellationToken,
    connected: &Connection<'_>,
) -> Result<WaitEnd, Rejection> {
    let end = app.handle.end_of(ask);
    if !app.handle.is_open(ask).await? {
        return Ok(WaitEnd::Settled);
    }
    // On this machine, hooks that are installed twice may wait for one ask, and each prints the answer.
    let is_elsewhere = matches!(held.waiting, Some(WaitingHook::Elsewhere { .. }));
    let warm = async {
        match held.park {
            Some(park) => sleep(park).await,
            None => std::future::pending().await,
        }
    };
    let agent_is_gone = async {
        match held.agent {
            Some(agent) => {
                while agent.is_alive() {
                    sleep(LOOK_EVERY).await;
                }
            }
            None => std::future::pending().await,
        }
    };
    Ok(tokio::select! {
        biased;
        () = app.tokens.revoked(held.caller) => WaitEnd::Revoked,
        _ = end => WaitEnd::Settled,
        () = connected.superseded.cancelled(), if is_elsewhere => WaitEnd::Superseded,
        () = app.hooks.farewells.said(ask) => WaitEnd::Gone,
        () = gone.cancelled() => WaitEnd::Gone,
        () = agent_is_gone => WaitEnd::Gone,
        () = app.stop.cancelled() => WaitEnd::Stopping,
        () = warm => WaitEnd::Warm,
    })
}

/// Parks the ask and ends the agent's process. The ask is found again when the run is resumed.
async fn park(app: &App, held: &HeldHook<'_>, ask: AskId) -> Result<Option<String>, Rejection> {
    // Of two calls that are deferred together, the agent forgets one.
    let others = app.handle.look(held.session, |state| state.session.open().filter(|live| live.ask.id != ask).count());
    let alone = others.await? == 0;
    let remembered = match (alone, held.agent) {
        (true, Some(agent)) => remember_parked(app, held.heard, ask, agent).await?,
        _ => false,
    };
    if !remembered {
        return Ok(None);
    }
    match app.gate().grant(held.caller, held.entrance(), Wish::Park { ask: AskRef::Id(ask) }).await {
        Ok(_) => {
            info!(ask.id = %ask, "Ask {ask} is parked; `askbridge resume` goes on once it is answered");
            Ok(Some(defer()))
        }
        // It was answered at this moment.
        Err(Rejection::Refused(_)) => {
            forget_parked(app, ask).await;
            let view = app.handle.ask(ask).await?;
            Ok(answer(held.heard, &held.call, held.follows, &view))
        }
        Err(error) => Err(error),
    }
}
