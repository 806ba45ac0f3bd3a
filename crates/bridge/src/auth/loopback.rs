//! Whoever calls from this machine and cannot send a token, where the operator has said that this is enough.

use askbridge_core::ids::PartyId;

use super::caller::{Caller, Role};

/// The party of everybody who is let in without a token.
const PARTY: &str = "insecure_loopback";

impl Caller {
    /// Somebody on this machine, taken for its user. An agent that runs here is taken for them too.
    pub fn without_token(user: &str) -> Self {
        Self { party: PartyId::from(PARTY), role: Role::Operator, name: user.into(), device: "loopback".into() }
    }

    /// Was this caller let in without a token? Then there is none that could be revoked.
    pub(crate) fn has_no_token(&self) -> bool {
        self.party.as_str() == PARTY
    }
}
