//! What requests and connections do besides wishing: they read, and they administer the server.

use askbridge_core::ids::{AskId, SessionId};
use askbridge_peers::wish::Rejection;

use super::needs::needs_of;
use crate::auth::{Caller, TokenInfo};
use crate::runtime::Handle;

/// What a caller may be entitled to besides wishes. One for each idea, not for each address.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Right<'a> {
    /// Read a session, follow it, sit in it.
    ReadSession(SessionId),
    ReadAsk(AskId),
    /// Store what an agent says and does in a session.
    RecordIn(SessionId),
    /// Have an ask withdrawn when the connection is lost.
    WithdrawOnDisconnect(AskId),
    /// Start and end a session's step workflow.
    DriveWorkflow(SessionId),
    /// Forget a session with the conversation that it belongs to.
    ForgetWith(SessionId),
    Prune,
    /// Tell what happened in an agent's terminal.
    ReportByHook,
    ListParked,
    ListSnoozes,
    /// Make a rule of a decision, of whichever ask.
    Remember,
    RememberDecisionOf(AskId),
    ListRemembered,
    RevokeRemembered,
    ShowRules,
    ShowMetrics,
    ShowAway,
    ShowCluster,
    /// Declare another node gone, whose agents no node runs any more.
    ForgetNode,
    SetAway,
    ShowTaps,
    SwitchTaps,
    ListTokens,
    MakeToken,
    RevokeToken,
    MakeCode,
    /// See one's own devices, rename and revoke them.
    KeepDevices,
    KeepDevice(&'a TokenInfo),
    /// Pair another device of one's own.
    PairOwnDevice,
    /// Take oneself off, as a connected machine.
    Disconnect,
    /// See the ways in which one is reached, and what was rung; add and remove them.
    KeepChannels,
    /// The same for this person.
    KeepChannelOf(&'a str),
    /// Have a channel run a program here, or call a private address.
    ReachByProgram,
    /// Look for a folder for an agent.
    BrowseFolders,
    /// Ask whether an agent may be started in a folder.
    TryFolder,
}

impl Handle {
    /// Checks a right. A session or an ask that the caller may not see is an unknown one.
    pub(crate) fn check(&self, caller: &Caller, right: Right<'_>) -> Result<(), Rejection> {
        self.meets(caller, needs_of(right))
    }

    /// The same as a question, for lists that leave out what the caller may not see.
    pub(crate) fn may(&self, caller: &Caller, right: Right<'_>) -> bool {
        self.check(caller, right).is_ok()
    }
}
