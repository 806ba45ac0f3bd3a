//! A call that the agent's own classifier denied becomes a card: a person may overrule the denial.
//!
//! The agent waits for that only where no person sits at it, and not for long: it has its denial, and may go on with
//! something else. The card stays, and a later yes reaches the agent as a message.

use askbridge_core::ids::AskId;
use askbridge_core::terms::Wait;
use askbridge_peers::doors::hook::{Agent, Around, HookEvent, Mouth, NAME, ToolCall, denied_wish};
use askbridge_peers::wish::{AskRef, AskWish, Rejection, Wish};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::around::look_around;
use super::away::{presence, presence_at};
use super::back::{come_back, left_by};
use super::handler::{Event, Output};
use super::hold::{HeldHook, ask, wait_and_answer};
use super::mouth::mouth_beside;
use super::sessions::started;
use super::visitor::SeenThere;
use super::waiting::remember_waiting;
use crate::auth::ProcessId;
use crate::runtime::Entrance;
use crate::server::App;

/// What the hook of a denial says.
#[derive(Clone, Copy)]
pub(super) struct DeniedCall<'a> {
    pub(super) heard: &'a HookEvent,
    pub(super) call: &'a ToolCall,
    /// Why, in the classifier's words.
    pub(super) reason: &'a str,
    pub(super) agent: Option<ProcessId>,
}

/// Asks a person, and waits a while if no person is at the agent.
pub(super) async fn ask_about(
    app: &App,
    event: &Event,
    denied: DeniedCall<'_>,
    gone: CancellationToken,
) -> Result<Option<Output>, Rejection> {
    let DeniedCall { heard, call, reason, agent } = denied;
    if heard.agent != Agent::Claude {
        return Ok(None);
    }
    if event.again
        && let Some(ask) = left_by(app, event).await?
    {
        return come_back(app, event, heard, agent, ask, gone).await;
    }
    // As for every ask: only a process of this machine names files. A hook on another machine has looked itself.
    let (around, away) = match (event.hook, &event.visitor) {
        (None, Some(_)) => {
            let seen = SeenThere::read(&event.text);
            (seen.around(), presence_at(app, seen.quiet()).await?.is_away)
        }
        (hook, _) => {
            let mouth = mouth_beside(heard, event.attended, agent);
            let (around, _) = match hook {
                Some(_) => look_around(&app.hooks, heard, None).await,
                None => Default::default(),
            };
            (Around { mouth, ..around }, presence(app).await?.is_away)
        }
    };
    let session = started(app, &event.caller, heard, &around).await?;
    let wait = app.hooks.options().denied_wait;
    let waits = !wait.is_zero() && (around.mouth != Mouth::Terminal || away);
    let mut wish = match denied_wish(heard, call, reason, session, &around) {
        Ok(wish) => wish,
        Err(why) => {
            debug!(why, "A denied call is not one that a person could decide about");
            return Ok(None);
        }
    };
    if waits {
        wish.wishes.wait = Some(Wait::For(wait));
    }
    let (call, caller, waiting) = (call.clone(), &event.caller, event.waiting(agent));
    let held = HeldHook { heard, call, session, around, agent, waiting, park: None, follows: false, caller };
    let asked = match open_card(app, &wish).await? {
        Some(ask) => ask,
        None => {
            let receipt = ask(app, &held, wish).await?;
            receipt.ask.ok_or_else(|| Rejection::Down("the ask was not recorded".to_owned()))?
        }
    };
    if !waits {
        let strand = Wish::Strand { ask: AskRef::Id(asked) };
        app.gate().grant(caller, Entrance::agent(NAME, session), strand).await?;
        return Ok(None);
    }
    if let Some(waiting) = &held.waiting {
        remember_waiting(app, asked, waiting).await;
    }
    wait_and_answer(app, &held, asked, gone).await
}

/// The open card about the same denial: the agent has tried again meanwhile, and one card is enough.
async fn open_card(app: &App, wish: &AskWish) -> Result<Option<AskId>, Rejection> {
    let Some(session) = wish.session else { return Ok(None) };
    app.handle
        .look(session, |state| {
            let same = state.session.open().find(|live| live.ask.body == wish.body);
            same.map(|live| live.ask.id)
        })
        .await
}
