//! What each wish and each right needs of its caller: two tables. What is not in them does not compile.

use askbridge_core::event::Settings;
use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::terms::Wishes;
use askbridge_peers::listing::hosted_door;
use askbridge_peers::wish::{AGENTS_OWN, AskRef, Wish};

use super::right::Right;
use super::roles::Action;
use crate::auth::TokenInfo;

/// What a wish or a right needs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Needs<'a> {
    /// That the caller is known.
    Known,
    /// That the caller may do this at all.
    Caller(Action),
    /// That the caller may do this in a session that exists, and that they may see.
    Session(Action, SessionId),
    /// The same about an ask: one that may not be seen is an unknown ask.
    Ask(Action, AskId),
    /// That the caller may keep devices, and that this one is theirs.
    Device(&'a TokenInfo),
    /// That the caller may keep channels, and those of this person.
    ChannelOf(&'a str),
}

/// Returns what a wish needs.
pub(super) fn needs(wish: &Wish) -> Needs<'static> {
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

/// Returns what a right needs.
pub(super) fn needs_of(right: Right<'_>) -> Needs<'_> {
    match right {
        Right::ReadSession(session) => Needs::Session(Action::See, session),
        Right::ReadAsk(ask) => Needs::Ask(Action::See, ask),
        Right::RecordIn(session) => Needs::Session(Action::Ask, session),
        Right::WithdrawOnDisconnect(ask) => Needs::Ask(Action::Withdraw, ask),
        // Its variables may let an agent do more than the step before.
        Right::DriveWorkflow(session) => Needs::Session(Action::Loosen, session),
        Right::ForgetWith(session) => Needs::Session(Action::Forget, session),
        Right::Prune => Needs::Caller(Action::Forget),
        Right::ReportByHook => Needs::Caller(Action::Ask),
        Right::ListSnoozes => Needs::Caller(Action::Snooze),
        Right::Remember => Needs::Caller(Action::Remember),
        Right::RememberDecisionOf(ask) => Needs::Ask(Action::Remember, ask),
        Right::RevokeRemembered => Needs::Caller(Action::Loosen),
        Right::ListParked
        | Right::ListRemembered
        | Right::ShowRules
        | Right::ShowMetrics
        | Right::ShowAway
        | Right::ShowCluster
        | Right::ShowTaps => Needs::Caller(Action::Inspect),
        Right::ForgetNode => Needs::Caller(Action::ForgetNode),
        Right::SetAway
        | Right::SwitchTaps
        | Right::ListTokens
        | Right::MakeToken
        | Right::RevokeToken
        | Right::MakeCode => Needs::Caller(Action::Administer),
        Right::KeepDevices | Right::PairOwnDevice => Needs::Caller(Action::Decide),
        Right::KeepDevice(device) => Needs::Device(device),
        Right::Disconnect => Needs::Caller(Action::Disconnect),
        Right::KeepChannels => Needs::Caller(Action::KeepChannels),
        Right::KeepChannelOf(person) => Needs::ChannelOf(person),
        Right::BrowseFolders => Needs::Caller(Action::BrowseFolders),
        Right::ReachByProgram | Right::TryFolder => Needs::Caller(Action::RunAgent),
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
