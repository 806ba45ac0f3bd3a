//! Handles one event of one hook, and returns what the hook prints.

use std::sync::{Arc, OnceLock};

use askbridge_core::event::{Event as Happened, Level, Parcel, ToolRuling};
use askbridge_core::ids::{AskId, Epoch, Raw, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::limits::HOOK_LOOKS_MAX;
use askbridge_core::view::{AskView, State};
use askbridge_peers::doors::hook::{
    Facts, Finished, HookAction, HookEvent, HookEventKind, Mouth, NAME, ToolCall, advice, choose, finished, hear,
    is_about, say_along, say_more, told,
};
use askbridge_peers::wish::{AskRef, Rejection, Wish};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use super::around::look_around;
use super::away::{presence, presence_at};
use super::back::{GoOn, come_back, go_on, left_by};
use super::consulting::{AllowedCalls, consulted, record_result, record_ruling};
use super::denied::{DeniedCall, ask_about};
use super::hold::{HeldHook, hold};
use super::mouth::{WENT_ON, mouth_beside};
use super::notes::Notes;
use super::options::HookOptions;
use super::parked::forget_parked;
use super::prompting::asks_by_tool;
use super::sessions::{Current, current, started};
use super::visitor::{Farewells, SeenThere};
use super::waiting::{Connected, WaitingHook, forget_waiting};
use crate::auth::{Caller, ProcessId, agent_above};
use crate::runtime::{Entrance, down};
use crate::server::App;

/// State kept between events.
#[derive(Debug)]
pub(crate) struct Hooks {
    pub(super) notes: Notes,
    pub(super) connected: Connected,
    /// Calls that rules have allowed.
    pub(super) allowed: AllowedCalls,
    pub(super) farewells: Farewells,
    /// Permits for threads that read an agent's files.
    pub(super) looking: Arc<Semaphore>,
    options: OnceLock<HookOptions>,
}

impl Default for Hooks {
    fn default() -> Self {
        let looking = Arc::new(Semaphore::new(HOOK_LOOKS_MAX));
        Self {
            notes: Notes::default(),
            connected: Connected::default(),
            allowed: AllowedCalls::default(),
            farewells: Farewells::default(),
            looking,
            options: OnceLock::new(),
        }
    }
}

impl Hooks {
    /// Sets how agents in terminals are treated. Only the first call counts.
    pub(crate) fn set(&self, options: HookOptions) {
        let _ = self.options.set(options);
    }

    pub(crate) fn options(&self) -> HookOptions {
        self.options.get().copied().unwrap_or_default()
    }
}

/// One event, as a hook sent it.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) text: String,
    pub(crate) caller: Caller,
    /// The hook's process, if it called on the local socket.
    pub(crate) hook: Option<ProcessId>,
    /// The name that a hook on another machine gave itself, to be found again.
    pub(crate) visitor: Option<String>,
    /// Does a person sit at its agent? Set only if the agent says so.
    pub(crate) attended: Option<bool>,
    /// The hook reconnects after its server went away.
    pub(crate) again: bool,
}

impl Event {
    /// The hook as it is found again when it reconnects. `None`: it cannot be.
    pub(super) fn waiting(&self, agent: Option<ProcessId>) -> Option<WaitingHook> {
        match (self.hook, &self.visitor) {
            (Some(hook), _) => Some(WaitingHook::Here { hook, agent }),
            (None, Some(id)) => Some(WaitingHook::Elsewhere { party: self.caller.party.to_string(), id: id.clone() }),
            (None, None) => None,
        }
    }
}

/// What a hook prints.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) text: String,
    /// What the agent has received once the hook has taken this.
    pub(crate) told: Vec<Parcel>,
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self { text, told: Vec::new() }
    }
}

/// Returns what the hook prints; `None` is no opinion. `gone` is cancelled when the hook has disconnected.
///
/// Fails only about a call that is about to run: its hook then knows that no rule was asked.
pub(crate) async fn attend(app: &App, event: &Event, gone: CancellationToken) -> Result<Option<Output>, Rejection> {
    let Some(heard) = hear(&event.text) else { return Ok(None) };
    let agent = event.hook.and_then(|hook| agent_above(hook.pid, "hook")).and_then(ProcessId::of);
    let done = async {
        if let Some(agent) = agent {
            know(app, agent).await?;
        }
        Box::pin(act(app, event, &heard, agent, gone)).await
    };
    match done.await {
        Ok(output) => Ok(output),
        Err(error) => {
            debug!(%error, "A hook gets no opinion");
            if matches!(heard.what, HookEventKind::Calling(_)) { Err(error) } else { Ok(None) }
        }
    }
}

/// Announces the agent: nothing below it may decide.
async fn know(app: &App, agent: ProcessId) -> Result<(), Rejection> {
    if app.agents.knows(agent) {
        return Ok(());
    }
    let (store, now) = (&app.handle.store.own(), app.handle.clock.now());
    let known = app.agents.announce_for_good(agent.pid, store, now).await;
    if known.map_err(down)? {
        info!(pid = agent.pid, "The hook of process {} called: nothing below it may decide", agent.pid);
    }
    Ok(())
}

async fn act(
    app: &App,
    event: &Event,
    heard: &HookEvent,
    agent: Option<ProcessId>,
    gone: CancellationToken,
) -> Result<Option<Output>, Rejection> {
    let caller = &event.caller;
    let said = consulted(app, caller, heard, event.hook.is_some()).await?;
    match &heard.what {
        HookEventKind::Began { .. } | HookEventKind::Compacting { .. } => {
            Ok(advice::around(heard, &said).map(Output::from))
        }
        HookEventKind::Denied { call, reason } => match advice::around(heard, &said) {
            Some(retry) => Ok(Some(Output::from(retry))),
            None => ask_about(app, event, DeniedCall { heard, call, reason, agent }, gone).await,
        },
        HookEventKind::Other => Ok(None),
        HookEventKind::Calling(call) if said.is_denied() || advice::is_allowed(call, &said) => {
            record_ruling(app, caller, heard, call, &said).await?;
            Ok(advice::before(call, &said, false).map(Output::from))
        }
        HookEventKind::Calling(call) => {
            let is_sent = said.ruling() == Some(ToolRuling::Ask);
            if is_sent && !call.asks_a_person() {
                record_ruling(app, caller, heard, call, &said).await?;
            }
            let output = asked(app, event, heard, agent, is_sent, gone).await?;
            match output {
                AskedOutput::Done(Some(output)) => Ok(Some(output)),
                AskedOutput::Done(None) => Ok(advice::before(call, &said, false).map(Output::from)),
                AskedOutput::Send => Ok(advice::before(call, &said, true).map(Output::from)),
            }
        }
        HookEventKind::Wanted { .. } => match asked(app, event, heard, agent, false, gone).await? {
            AskedOutput::Done(output) => Ok(output),
            AskedOutput::Send => Ok(None),
        },
        HookEventKind::Called { call, response, failed } => {
            let called = Called { call, response: response.as_ref(), failed: *failed };
            let over = over(app, caller, heard, Some(called)).await?;
            record_result(app, caller, heard, call, *failed).await?;
            Ok(advice::after(*failed, over.told.as_deref(), &said).map(Output::from))
        }
        HookEventKind::Prompted { .. } => {
            if let Some(blocked) = advice::around(heard, &said) {
                return Ok(Some(Output::from(blocked)));
            }
            let Current { id: session, exists } = current(&app.handle, &caller.party, heard).await?;
            let session = Some(session).filter(|_| exists);
            messages(app, caller, session, said.context, say_along).await
        }
        HookEventKind::TurnEnded { .. } => {
            let session = over(app, caller, heard, None).await?.session;
            let goes_on = said.ruling.filter(|advice| advice.ruling == ToolRuling::Deny).map(|advice| advice.words);
            messages(app, caller, session.filter(|_| !heard.in_subagent), goes_on.into_iter().collect(), say_more).await
        }
        HookEventKind::Ended { why } => {
            if let Some(session) = over(app, caller, heard, None).await?.session {
                end(app, caller, session, why).await?;
                // A conversation that is taken up again is another session, and goes on where it was.
                let next = current(&app.handle, &caller.party, heard).await?.id;
                app.handle.hand_over_workflows(session, next).await?;
            }
            Ok(None)
        }
        HookEventKind::Notified { kind, text } => {
            notified(app, caller, heard, agent, kind, text).await?;
            Ok(None)
        }
    }
}

/// Handles a call that is about to run, or that a person is asked about.
async fn asked(
    app: &App,
    event: &Event,
    heard: &HookEvent,
    agent: Option<ProcessId>,
    is_sent: bool,
    gone: CancellationToken,
) -> Result<AskedOutput, Rejection> {
    let mut asks_anew = false;
    if event.again
        && let Some(ask) = left_by(app, event).await?
    {
        match go_on(app, ask).await? {
            GoOn::WithTheSame => {
                return come_back(app, event, heard, agent, ask, gone).await.map(AskedOutput::Done);
            }
            GoOn::Anew => asks_anew = true,
        }
    }
    let notes = &app.hooks.notes;
    let asked = match &heard.what {
        HookEventKind::Wanted { call, .. } => {
            let known = notes.take(&heard.conversation, call).and_then(|known| known.id);
            // Under its own name it would be the ask that was withdrawn.
            let id = call.id.clone().or(known).filter(|_| !asks_anew);
            Some(ToolCall { id, ..call.clone() })
        }
        _ => None,
    };
    // Files are read for a process of the same user, which could read them itself. A request over the network may come
    // from an agent on another machine, which must not read files here; its hook has looked itself.
    let (around, facts) = match (event.hook, &event.visitor) {
        (None, Some(_)) => {
            let seen = SeenThere::read(&event.text);
            let away = presence_at(app, seen.quiet()).await?.is_away;
            // Not parked: no process there would take it up again.
            let facts = Facts {
                away,
                mouth: seen.mouth(),
                asks_by_tool: seen.asks_by_tool(),
                park: None,
                version: seen.version(),
                is_sent,
            };
            (seen.around(), facts)
        }
        (hook, _) => {
            // Before the files are read: that may take a moment, in which the run may end.
            let mouth = mouth_beside(heard, event.attended, agent);
            let (mut around, version) = match hook {
                Some(_) => look_around(&app.hooks, heard, asked.as_ref()).await,
                None => Default::default(),
            };
            around.mouth = mouth;
            let away = presence(app).await?.is_away;
            let park = app.hooks.options().park;
            (around, Facts { away, mouth, asks_by_tool: asks_by_tool(agent), park, version, is_sent })
        }
    };
    match choose(heard, &facts) {
        HookAction::Pass => Ok(AskedOutput::Done(None)),
        HookAction::Note(call) => {
            notes.keep(&heard.conversation, call);
            Ok(AskedOutput::Done(None))
        }
        HookAction::Send(call) => {
            notes.keep(&heard.conversation, call);
            Ok(AskedOutput::Send)
        }
        HookAction::Hold { call, park, follows } => {
            let call = asked.unwrap_or(call);
            // The next event about this call finds the same ask by it.
            if follows {
                notes.keep(&heard.conversation, call.clone());
            }
            let session = started(app, &event.caller, heard, &around).await?;
            let waiting = event.waiting(agent);
            let held = HeldHook { heard, call, session, around, agent, waiting, park, follows, caller: &event.caller };
            hold(app, held, gone).await.map(AskedOutput::Done)
        }
    }
}

/// What came of a call that is about to run, or that a person is asked about.
enum AskedOutput {
    /// What the hook prints, if anything.
    Done(Option<Output>),
    /// The agent is to show its dialog.
    Send,
}

/// A call that was run.
#[derive(Clone, Copy)]
struct Called<'a> {
    call: &'a ToolCall,
    response: Option<&'a Raw>,
    failed: bool,
}

/// The result of `over`.
#[derive(Default)]
struct Over {
    /// `None`: nothing was ever asked in this conversation.
    session: Option<SessionId>,
    /// What the agent's hook prints about the call.
    told: Option<String>,
}

/// Handles a call that was run, or a turn that ended: no answer to it is waited for any longer.
async fn over(app: &App, caller: &Caller, heard: &HookEvent, called: Option<Called<'_>>) -> Result<Over, Rejection> {
    let Current { id: session, exists } = current(&app.handle, &caller.party, heard).await?;
    if !exists {
        return Ok(Over::default());
    }
    // A delivery that a hook took a moment ago may not be written yet.
    app.handle.flush(session).await?;
    let untold = app.handle.look(session, |state| {
        let untold = state.session.asks.values().filter(|live| live.delivered_at.is_none());
        untold.map(|live| AskView::of(live)).collect::<Vec<_>>()
    });
    let mut about = untold.await?;
    if let Some(Called { call, .. }) = called {
        about.retain(|view| is_about(view, call));
        // A call without an id ends one ask.
        about.truncate(1);
    }
    let mut told = None;
    for view in about {
        let ask = view.ask.id;
        told = called.and_then(|called| self::told(&view, called.call, called.failed));
        let wish = match finished(&view, called.map(|called| (called.call, called.response))) {
            None => continue,
            Some(Finished::Delivered) => {
                let named =
                    |called: Called<'_>| called.call.id.clone().unwrap_or_else(|| "the call was run".to_owned());
                let proof = called.map_or_else(|| "the turn ended".to_owned(), named);
                Wish::Deliver { parcel: Parcel::Verdict(ask), proof }
            }
            Some(Finished::Overtaken { ran }) => {
                if called.is_some() && matches!(view.state, State::Answered | State::Dismissed) {
                    unsay(app, ask).await?;
                }
                let mouth = Mouth::of(&view.ask.context).words().to_owned();
                Wish::Overtake { ask: AskRef::Id(ask), mouth, ran }
            }
            Some(Finished::Untold) => Wish::Strand { ask: AskRef::Id(ask) },
            Some(Finished::LetGo) => Wish::Withdraw { ask: AskRef::Id(ask), why: WENT_ON.to_owned() },
        };
        forget_parked(app, ask).await;
        forget_waiting(app, ask).await;
        app.gate().grant(caller, Entrance::agent(NAME, session), wish).await?;
    }
    Ok(Over { session: Some(session), told })
}

/// Takes back the messages about an ask whose call ran although we had said no: we did not stop the agent, so there is
/// no reason to give.
pub(super) async fn unsay(app: &App, ask: AskId) -> Result<(), Rejection> {
    for message in app.handle.messages_about(ask).await? {
        // Refused for a message that was read already.
        let _ = app.handle.submit(ask.session, vec![Intent::Unsay { message }]).await;
    }
    Ok(())
}

/// Passes waiting messages to the agent, at a new prompt or at the end of its turn: late answers, why it was stopped,
/// and what a person wrote to it. `advised` is what the advisers want it to read before that.
async fn messages(
    app: &App,
    caller: &Caller,
    session: Option<SessionId>,
    advised: Vec<String>,
    printed: fn(&str) -> String,
) -> Result<Option<Output>, Rejection> {
    let waiting = match session {
        Some(session) => app.handle.session(session).await?.queued,
        None => Vec::new(),
    };
    let text: Vec<_> = advised.iter().chain(waiting.iter().map(|(_, text)| text)).map(String::as_str).collect();
    if text.is_empty() {
        return Ok(None);
    }
    for (message, _) in &waiting {
        let session = message.session;
        app.gate()
            .grant(caller, Entrance::agent(NAME, session), Wish::Hand { parcel: Parcel::Message(*message) })
            .await?;
    }
    let told = waiting.iter().map(|(message, _)| Parcel::Message(*message)).collect();
    Ok(Some(Output { text: printed(&text.join("\n\n")), told }))
}

/// Closes the session of a conversation that ended, unless one of its asks is parked.
async fn end(app: &App, caller: &Caller, session: SessionId, why: &str) -> Result<(), Rejection> {
    let open = app.handle.look(session, |state| {
        let open = state.session.open();
        open.map(|live| (live.ask.id, live.parked)).collect::<Vec<_>>()
    });
    let open = open.await?;
    let why =
        if why.is_empty() { "it ended in the terminal".to_owned() } else { format!("it ended in the terminal: {why}") };
    if open.iter().all(|(_, parked)| !parked) {
        app.gate().grant(caller, Entrance::agent(NAME, session), Wish::Close { session, why: Some(why) }).await?;
        return Ok(());
    }
    for (ask, _) in open.into_iter().filter(|(_, parked)| !parked) {
        app.gate()
            .grant(caller, Entrance::agent(NAME, session), Wish::Withdraw { ask: AskRef::Id(ask), why: why.clone() })
            .await?;
    }
    Ok(())
}

/// Handles a notification of the agent. Permission prompts are known from their own event.
async fn notified(
    app: &App,
    caller: &Caller,
    heard: &HookEvent,
    agent: Option<ProcessId>,
    kind: &str,
    text: &str,
) -> Result<(), Rejection> {
    const ASKS: &str = "permission_prompt";
    // An MCP server of the agent opened a dialog. It may be our own, shown beside the card; its result is not news.
    const DIALOG: &str = "elicitation_dialog";
    const DIALOG_IS_OVER: &str = "elicitation_response";
    let is_our_dialog = match agent.filter(|_| kind == DIALOG) {
        Some(agent) => app.asks_below(agent).await?,
        None => kind == DIALOG_IS_OVER,
    };
    if is_our_dialog {
        return Ok(());
    }
    let session = started(app, caller, heard, &Default::default()).await?;
    let is_open = app.handle.look(session, |state| state.session.open().next().is_some()).await?;
    if kind == ASKS && is_open {
        return Ok(());
    }
    let notice = Happened::Notice { level: Level::Info, text: text.to_owned() };
    let recorded = app.handle.record(session, None, Epoch(0), notice).await;
    recorded.map_err(down)
}
