//! The advisers, in order, and how what they say is put together.

use askbridge_core::ask::Body;
use askbridge_core::event::ToolRuling;
use askbridge_core::limits::CONSULT_MAX;
use askbridge_peers::consult::{Advice, Consultation, Consulted, Occurrence, OccurrenceKind, OccurrenceKinds};
use askbridge_peers::doors::claude::{MODE_THAT_DENIES, NAME as CLAUDE};
use askbridge_peers::tools::ToolCall;
use askbridge_peers::wish::Rejection;
use tokio::time::timeout;
use tracing::warn;

use super::{rules, workflows};
use crate::runtime::Handle;

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Adviser {
    /// The rules of the operator and the project that look at every call, and the built-in `always_ask`.
    Rules,
    /// gobby's rules, of the operator's folder and the project.
    Workflows,
}

/// In the order in which they are asked. What a person decided about this very call belongs before the rules.
const ADVISERS: [Adviser; 2] = [Adviser::Rules, Adviser::Workflows];

/// What is recorded of a call that a person lets through although it was denied.
const OVERRULED: &str = "a person overruled the denial";

impl Adviser {
    fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Workflows => "workflows",
        }
    }

    /// What it looks at, in a session that works in this folder. An agent is made to report no more than that.
    async fn looks_at(self, handle: &Handle, folder: Option<&str>) -> OccurrenceKinds {
        match self {
            Self::Rules if rules::look_at_calls(handle, folder).await => {
                OccurrenceKinds::NONE.with(OccurrenceKind::Calling)
            }
            Self::Workflows if handle.workflows_look_at(folder).await => OccurrenceKinds::ALL.into_iter().collect(),
            Self::Rules | Self::Workflows => OccurrenceKinds::NONE,
        }
    }

    async fn advise(self, handle: &Handle, about: &Consultation) -> Consulted {
        match self {
            Self::Rules => rules::advise(handle, about).await,
            Self::Workflows => workflows::advise(handle, about).await,
        }
    }
}

/// What some adviser looks at, in a session that works in this folder and in this mode.
///
/// Denials always, because a person may overrule them. In the mode that denies, calls as well: a call that a person lets
/// through is allowed before it runs.
pub(crate) async fn looked_at(handle: &Handle, folder: Option<&str>, mode: Option<&str>) -> OccurrenceKinds {
    let mut kinds = OccurrenceKinds::NONE.with(OccurrenceKind::Denied);
    if mode == Some(MODE_THAT_DENIES) {
        kinds = kinds.with(OccurrenceKind::Calling);
    }
    for adviser in ADVISERS {
        kinds = kinds.and(adviser.looks_at(handle, folder).await);
    }
    kinds
}

/// Asks the advisers. A denial ends it: those that come after are not asked, and see nothing of it.
///
/// Fails if the session cannot be read, or if an adviser has no answer about a call in time: then nothing is known. About
/// anything else such an adviser has no opinion.
pub(crate) async fn consult(handle: &Handle, about: &Consultation) -> Result<Consulted, Rejection> {
    if let Some(said) = overruled(handle, about).await? {
        return Ok(said);
    }
    if let Some(said) = asked_before(handle, about).await? {
        return Ok(said);
    }
    let mut heard: Vec<(Adviser, Consulted)> = Vec::with_capacity(ADVISERS.len());
    for adviser in ADVISERS {
        let said = one(adviser, handle, about).await?;
        let is_denied = said.is_denied();
        heard.push((adviser, said));
        if is_denied {
            break;
        }
    }
    // A part of an input is not what an adviser may replace the whole with.
    if about.is_cut {
        heard.iter_mut().for_each(|(_, said)| said.input = None);
    }
    if let Some(changed) = changed(about, &heard) {
        // The rules have not seen the input that will run.
        let again = one(Adviser::Rules, handle, &changed).await?;
        for (_, said) in heard.iter_mut().filter(|(adviser, _)| *adviser == Adviser::Rules) {
            said.ruling = again.ruling.clone();
        }
    }
    let mut all = Consulted::default();
    heard.into_iter().for_each(|(_, said)| all.take(said));
    Ok(all)
}

/// A call that the agent itself denied before, and that a person lets through. They decided about this very call, so no
/// adviser is asked.
async fn overruled(handle: &Handle, about: &Consultation) -> Result<Option<Consulted>, Rejection> {
    let Occurrence::Calling(call) = &about.what else { return Ok(None) };
    // Of a large input only a part is here. The rest may be something else than what the person saw.
    if about.is_cut {
        return Ok(None);
    }
    if handle.use_overrule(about.session, call, about.folder.as_deref()).await?.is_none() {
        return Ok(None);
    }
    let (rule, words) = (OVERRULED.to_owned(), String::new());
    let advice = Advice { rule, place: None, ruling: ToolRuling::Allow, words };
    Ok(Some(Consulted { ruling: Some(advice), ..Consulted::default() }))
}

/// A call about which a person was asked before: it was heard again after a restart, or comes back with a resume. It
/// belongs to its ask, whatever the rules say by now.
async fn asked_before(handle: &Handle, about: &Consultation) -> Result<Option<Consulted>, Rejection> {
    let Occurrence::Calling(ToolCall { id: Some(id), .. }) = &about.what else { return Ok(None) };
    let known = handle.look(about.session, |state| {
        let mut asks = state.session.asks.values();
        let about_it = asks.find(|live| live.ask.call.as_ref().is_some_and(|call| call.as_str() == id));
        // What runs is what the person saw: the agent's own record of a parked call may have been changed since.
        about_it.map(|live| {
            let is_approval = about.door == CLAUDE && matches!(live.ask.body, Body::Approval(_));
            (Box::new(live.ask.body.clone()), live.ask.original.clone().filter(|_| is_approval))
        })
    });
    Ok(known.await?.map(|(asked, input)| Consulted { asked: Some(asked), input, ..Consulted::default() }))
}

async fn one(adviser: Adviser, handle: &Handle, about: &Consultation) -> Result<Consulted, Rejection> {
    match timeout(CONSULT_MAX, adviser.advise(handle, about)).await {
        Ok(said) => Ok(said),
        // An agent that makes them slow must not gain a call by it.
        Err(_) if matches!(about.what, Occurrence::Calling(_)) => {
            warn!(session.id = %about.session, adviser = adviser.name(), "An adviser took too long about a call");
            Err(Rejection::Down("the rules took too long".to_owned()))
        }
        Err(_) => {
            warn!(session.id = %about.session, adviser = adviser.name(), "An adviser took too long; it has no opinion");
            Ok(Consulted::default())
        }
    }
}

/// The call as an adviser wants it to run, unless it is denied anyway.
fn changed(about: &Consultation, heard: &[(Adviser, Consulted)]) -> Option<Consultation> {
    let Occurrence::Calling(call) = &about.what else { return None };
    if heard.iter().any(|(_, said)| said.ruling() == Some(ToolRuling::Deny)) {
        return None;
    }
    let input = heard.iter().rev().find_map(|(_, said)| said.input.clone())?;
    let what = Occurrence::Calling(ToolCall { input, ..call.clone() });
    Some(Consultation { what, ..about.clone() })
}
