//! What each wish needs of its caller: one table. A wish that is not in it does not compile.

use askbridge_core::event::Settings;
use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::terms::Wishes;
use askbridge_peers::listing::hosted_door;
use askbridge_peers::wish::{AGENTS_OWN, AskRef, Wish};

use crate::auth::Action;

/// What a wish needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// That the caller is known.
    Known,
    /// That the caller may do this at all.
    Caller(Action),
    /// That the caller may do this in a session that exists, and that they may see.
    Session(Action, SessionId),
    /// The same about an ask: one that may not be seen is an unknown ask.
    Ask(Action, AskId),
}

/// Returns what a wish needs.
pub(super) fn needs(wish: &Wish) -> Needs {
    match wish {
        Wish::Ask(wish) => match wish.session {
            Some(session) => Needs::Session(Action::Ask, session),
            None => Needs::Caller(Action::Ask),
        },
        Wish::Answer { ask, .. } => Needs::Ask(Action::Answer, named(ask)),
        Wish::Dismiss { ask, .. } | Wish::Undo { ask } | Wish::Extend { ask, .. } | Wish::Draft { ask, .. } => {
            Needs::Ask(Action::Decide, named(ask))
        }
        Wish::Snooze { ask, .. } => Needs::Ask(Action::Snooze, named(ask)),
        Wish::Remember { ask, .. } => Needs::Ask(Action::Remember, named(ask)),
        Wish::Revoke { .. } => Needs::Caller(Action::Loosen),
        Wish::Withdraw { ask, .. } | Wish::Abandon { ask, .. } => Needs::Ask(Action::Withdraw, named(ask)),
        Wish::Overtake { ask, .. } | Wish::Park { ask } | Wish::Strand { ask } => {
            Needs::Ask(Action::Report, named(ask))
        }
        Wish::Hand { parcel } | Wish::Deliver { parcel, .. } | Wish::Took { parcel, .. } => {
            Needs::Session(Action::Report, parcel.session())
        }
        Wish::Return { ask, .. } => Needs::Session(Action::Report, ask.session),
        Wish::ReportSettings { session, .. } => Needs::Session(Action::ReportSettings, *session),
        Wish::Start { door, .. } if hosted_door(door).is_some() => Needs::Caller(Action::RunAgent),
        Wish::Start { .. } => Needs::Caller(Action::StartSession),
        Wish::Configure { session, settings } if loosens(settings) => Needs::Session(Action::Loosen, *session),
        Wish::Configure { session, .. } => Needs::Session(Action::Configure, *session),
        Wish::Close { session, .. } => Needs::Session(Action::Close, *session),
        Wish::Forget { session } => Needs::Session(Action::Forget, *session),
        Wish::Say { session, .. } | Wish::Interrupt { session } => Needs::Session(Action::Talk, *session),
        Wish::Unsay { message } => Needs::Session(Action::Talk, message.session),
        Wish::Note { session, .. } => Needs::Session(Action::Ask, *session),
        Wish::Keep { name, .. } if name.starts_with(AGENTS_OWN) => Needs::Known,
        Wish::Keep { .. } => Needs::Caller(Action::Keep),
        Wish::Look { session: Some(session), .. } => Needs::Session(Action::See, *session),
        Wish::Look { session: None, .. } => Needs::Known,
        Wish::Call(_) => Needs::Caller(Action::CallOut),
    }
}

/// Could these settings let an agent do more without asking?
fn loosens(settings: &Settings) -> bool {
    // Field by field, so that a new one does not compile until it is considered.
    let Settings { title: _, branch: _, model: _, folder, mode, wishes, more } = settings;
    folder.is_some() || mode.is_some() || more.is_some() || *wishes != Wishes::default()
}

/// The ask that is meant, as far as it is known before the session is read: its session always is.
fn named(ask: &AskRef) -> AskId {
    match ask {
        AskRef::Id(ask) => *ask,
        AskRef::Call(session, _) | AskRef::OnlyOpen(session, _) => AskId { session: *session, number: 0 },
    }
}
