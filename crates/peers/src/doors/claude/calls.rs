//! The tool calls that wait for a person, and the stage of each.

use askbridge_core::ask::{Body, Reach};
use askbridge_core::event::CallMade;
use askbridge_core::ids::{AskId, Raw, Timestamp};
use askbridge_core::terms::WhileOpen;
use askbridge_core::verdict::Verdict;
use serde_json::Value;

use crate::tools::ran::{self, Folder};

/// One call that waits for a person.
#[derive(Debug)]
pub(super) struct PendingCall {
    /// What was asked, as the rules know it.
    pub(super) body: Body,
    /// The tool's input as it was written: unchanged parts go back untouched.
    pub(super) input: Raw,
    /// The call, if it is stored together with its ask.
    pub(super) made: Option<CallMade>,
    /// Whether the result is stored together with the proof of delivery. Not for lines replayed after a restart: the
    /// result may be stored already, on its own.
    pub(super) returns_along: bool,
    /// A tool that always goes to a person: it may not run unless one allows it, even if something else would.
    pub(super) always: bool,
    /// How Claude Code waits for it right now. `None`: it no longer does.
    pub(super) channel: Option<ReplyChannel>,
    /// Unknown until the ask is durable.
    pub(super) ask: Option<AskId>,
    /// Whether only this process leads back to the call, or a resume as well.
    pub(super) reach: Reach,
    /// A subagent's call runs beside the turn, and cannot be parked.
    pub(super) in_subagent: bool,
    /// The mode in which it was asked.
    pub(super) mode: Option<String>,
    /// Until when the process is kept for it. `None`: for good, or not known yet.
    pub(super) warm_until: Option<Timestamp>,
    /// What a chat message does meanwhile.
    pub(super) messages: WhileOpen,
    pub(super) stage: CallStage,
    pub(super) verdict: Option<Verdict>,
    /// The input that it ran with, once it did.
    pub(super) ran: Option<Raw>,
    /// Advisers want it to run with this input, which is also the one that is asked about.
    pub(super) rewritten: bool,
    /// What the model is to read beside the call, from advisers.
    pub(super) context: Option<String>,
    /// Claude Code cancelled its request; the tool's result will say why.
    pub(super) cancelled: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ReplyChannel {
    /// Held at the hook: can be answered, passed on, or deferred.
    Hook(String),
    CanUse(String),
    /// A call of our own tool: the control request, and the id of the call inside it.
    Mcp(String, Value),
    Elicitation(String),
    /// The hook of a call that Claude Code itself denied.
    Denied(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallStage {
    /// Not durable yet.
    Asking,
    Open,
    /// Settled; sent once the handing over is recorded.
    Handing,
    /// The hook has let it pass; the words are the response to `can_use_tool`, which follows.
    Passing,
    /// Sent. The result of the tool is the proof.
    Told,
    /// Being deferred: the end of the turn is the proof.
    Deferring,
}

impl PendingCall {
    pub(super) fn new(body: Body, input: Raw, channel: ReplyChannel) -> Self {
        Self {
            body,
            input,
            made: None,
            returns_along: false,
            always: false,
            channel: Some(channel),
            ask: None,
            reach: Reach::Held,
            in_subagent: false,
            mode: None,
            warm_until: None,
            messages: WhileOpen::Hold,
            stage: CallStage::Asking,
            verdict: None,
            ran: None,
            rewritten: false,
            context: None,
            cancelled: false,
        }
    }

    /// The input that it ran with, if it is not the allowed one.
    pub(super) fn ran_instead(&self, folder: Folder<'_>) -> Option<Raw> {
        ran::instead(&self.body, self.input.as_str(), self.verdict.as_ref(), self.ran.as_ref()?.as_str(), folder)
    }

    /// Whether a person still has to decide.
    pub(super) fn is_undecided(&self) -> bool {
        matches!(self.stage, CallStage::Asking | CallStage::Open)
    }

    /// Whether chat messages wait for this call.
    pub(super) fn holds_messages(&self) -> bool {
        match self.stage {
            CallStage::Told => false,
            // A message now would run as the next turn, and the question would be lost.
            CallStage::Deferring => true,
            _ => self.messages != WhileOpen::PassOn,
        }
    }

    pub(super) fn is_held_at_the_hook(&self) -> bool {
        matches!(self.channel, Some(ReplyChannel::Hook(_)))
    }

    /// Whether a person is asked to overrule a denial: the call itself has ended.
    pub(super) fn is_denied(&self) -> bool {
        self.body.denied().is_some()
    }

    /// Whether the call waits with this request.
    pub(super) fn waits_with(&self, request: &str) -> bool {
        match &self.channel {
            Some(
                ReplyChannel::Hook(id)
                | ReplyChannel::CanUse(id)
                | ReplyChannel::Mcp(id, _)
                | ReplyChannel::Elicitation(id)
                | ReplyChannel::Denied(id),
            ) => id == request,
            None => false,
        }
    }
}
