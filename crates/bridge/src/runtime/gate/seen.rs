//! What a caller is shown in lists and told of: the same rule as [`Action::See`], as a filter of queries.

use askbridge_core::ids::{PartyId, PersonId};
use askbridge_journal::index::{AskFilter, SessionFilter};

use super::roles::Action;
use crate::auth::{Access, Caller, Role};

/// May this caller see a session? Called for each entry and subscriber.
pub(crate) fn sees(caller: &Caller, access: Option<&Access>) -> bool {
    caller.may(Action::See, access).is_ok()
}

pub(crate) fn seen_asks(caller: &Caller) -> AskFilter {
    let (party, person) = seen(caller);
    AskFilter { party, person, ..AskFilter::default() }
}

pub(crate) fn seen_sessions(caller: &Caller) -> SessionFilter {
    let (owner, person) = seen(caller);
    SessionFilter { owner, person, ..SessionFilter::default() }
}

/// Whose sessions these are, or to whom they are addressed. Neither: all of them.
fn seen(caller: &Caller) -> (Option<PartyId>, Option<PersonId>) {
    match caller.role {
        Role::Agent => (Some(caller.party.clone()), None),
        Role::Person | Role::Operator | Role::Bot => (None, Some((&*caller.name).into())),
        Role::Local | Role::Terminal | Role::Unproven => (None, None),
    }
}
