//! A call that asks: stored first, and found again when the same is asked again.

use askbridge_core::ask::{Body, Context, Reach};
use askbridge_core::event::Parcel;
use askbridge_core::ids::{AskId, CallId, Key, Raw};
use askbridge_core::limits;
use askbridge_core::terms::{Wait, Wishes};
use askbridge_core::view::{AskView, State};
use askbridge_core::wild;
use serde_json::Value;

use super::NAME;
use super::client_session::ClientSession;
use super::outcome::Outcome;
use super::peer::{Mcp, McpRequest, PendingReply};
use super::rpc::Request;
use crate::json;
use crate::peer::{Cx, EndsWith, Outbox};
use crate::uuid;
use crate::wish::{AskRef, AskWish, Query, Receipt, Wish};

/// The ask that a call makes.
pub(super) struct Asking {
    pub(super) body: Body,
    pub(super) wishes: Wishes,
    pub(super) context: Context,
    pub(super) original: Raw,
    pub(super) call: Option<CallId>,
    pub(super) kind: Kind,
    /// How often the same was asked before, and answered.
    pub(super) nth: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Question {
        /// Ask although the same was answered a moment ago.
        again: bool,
    },
    /// A permission for Claude Code, which takes yes or no, and no ticket.
    Prompt,
}

/// Reads the arguments of `ask_user_question`. The error says what to change.
pub(super) fn read(asked: &Request, client_session: &ClientSession) -> Result<Asking, String> {
    let arguments = asked.arguments.as_ref().ok_or("`questions` is missing")?.get();
    let value = json::parse(arguments).ok_or("the arguments are not JSON")?;
    let body = wild::body(&value, &json::parse).map_err(|error| error.to_string())?;
    if matches!(&body, Body::Questions(questions) if questions.iter().any(|question| question.secret)) {
        return Err("secret answers cannot be kept safe yet; ask for a place where the secret can be found".to_owned());
    }
    let arguments = &asked.params["arguments"];
    let wait = match &arguments["timeout_seconds"] {
        Value::Null => None,
        seconds => {
            let span = seconds.as_f64().and_then(|secs| std::time::Duration::try_from_secs_f64(secs).ok());
            let span = span.filter(|span| *span <= limits::WAIT_MAX && !span.is_zero());
            Some(Wait::For(span.ok_or("`timeout_seconds` has to be a number of seconds, up to a year")?))
        }
    };
    let context = Context {
        text: arguments["context"].as_str().map(cut).filter(|text| !text.trim().is_empty()).map(str::to_owned),
        ..context(client_session)
    };
    Ok(Asking {
        body,
        wishes: Wishes { wait, ..Wishes::default() },
        context,
        original: original(asked),
        call: call_of(asked),
        kind: Kind::Question { again: arguments["again"] == true },
        nth: 1,
    })
}

/// The context that a phone shows with every question of this session.
pub(super) fn context(client_session: &ClientSession) -> Context {
    Context {
        folder: client_session.whereabouts.folder.clone(),
        branch: client_session.whereabouts.branch.clone(),
        ..Context::default()
    }
}

pub(super) fn original(asked: &Request) -> Raw {
    Raw::from(asked.arguments.as_ref().map_or("{}", |arguments| arguments.get()))
}

/// Claude Code sends the id of its tool call.
pub(super) fn call_of(asked: &Request) -> Option<CallId> {
    asked.params["_meta"]["claudecode/toolUseId"].as_str().map(CallId::from)
}

impl Asking {
    fn wish(&self, client_session: &ClientSession) -> Wish {
        Wish::Ask(Box::new(AskWish {
            door: NAME,
            session: Some(client_session.session),
            agent: None,
            body: self.body.clone(),
            wishes: self.wishes.clone(),
            reach: self.reach(),
            call: self.call.clone(),
            made: None,
            context: self.context.clone(),
            key: Some(self.key()),
            original: Some(self.original.clone()),
        }))
    }

    /// The same question is the same ask, until the agent has got its verdict.
    fn key(&self) -> Key {
        Key::from(format!("mcp/{}/{}", uuid::of_text(&spelling(&self.body)), self.nth))
    }

    /// A question is found again by its ticket. A permission is of use only to the process that asked for it.
    fn reach(&self) -> Reach {
        match self.kind {
            Kind::Question { .. } => Reach::Pull,
            Kind::Prompt => Reach::Held,
        }
    }

    pub(super) fn is_prompt(&self) -> bool {
        self.kind == Kind::Prompt
    }
}

/// Everything in an ask that a person reads.
fn spelling(body: &Body) -> String {
    match body {
        Body::Questions(questions) => {
            let said = questions.iter().map(|question| {
                let options =
                    question.options.iter().map(|option| (&option.label, &option.description, &option.preview));
                (&question.text, &question.header, question.multi, options.collect::<Vec<_>>())
            });
            serde_json::json!(said.collect::<Vec<_>>()).to_string()
        }
        Body::Approval(approval) => serde_json::json!([approval.tool, approval.input.as_str()]).to_string(),
        Body::Plan(plan) => plan.text.clone(),
        Body::Form(form) => form.message.clone(),
    }
}

impl Mcp {
    /// Begins the call.
    pub(super) fn begin(&mut self, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        match &call.what {
            McpRequest::Ask(_) | McpRequest::Notify { .. } => self.start(out),
            McpRequest::Wait(None) => {
                let session = call.client_session.session;
                self.query(PendingReply::Oldest, Query::Session(session), out);
            }
            McpRequest::Wait(Some(ask)) => {
                let ask = *ask;
                self.follow(ask, out);
            }
            McpRequest::TaskGet(ask) | McpRequest::TaskUpdate(ask) => {
                let ask = *ask;
                self.query(PendingReply::Look, Query::Ask(ask), out);
            }
            McpRequest::Cancel { ask, why } => {
                let (ask, why) = (*ask, why.clone());
                call.ask = Some(ask);
                self.wish(PendingReply::Withdrawn, Wish::Withdraw { ask: AskRef::Id(ask), why }, out);
            }
            McpRequest::TaskCancel(ask) => {
                let ask = *ask;
                let why = "the agent's program cancelled it".to_owned();
                self.wish(PendingReply::Withdrawn, Wish::Withdraw { ask: AskRef::Id(ask), why }, out);
            }
            McpRequest::Leave => {}
        }
    }

    /// The session is there.
    pub(super) fn started(&mut self, out: &mut Outbox) {
        let Some(call) = &self.call else { return };
        if call.client_session.whereabouts.is_stdio {
            out.endings.push((call.client_session.session, EndsWith::Process));
        }
        match &call.what {
            McpRequest::Ask(asking) => {
                let wish = asking.wish(&call.client_session);
                self.wish(PendingReply::Asked, wish, out);
            }
            McpRequest::Notify { level, text } => {
                let note = Wish::Note { session: call.client_session.session, level: *level, text: text.clone() };
                self.wish(PendingReply::Noted, note, out);
            }
            _ => {}
        }
    }

    pub(super) fn asked(&mut self, receipt: &Receipt, out: &mut Outbox) {
        let Some(ask) = receipt.ask else { return };
        match receipt.news {
            true => self.follow(ask, out),
            false => self.query(PendingReply::Known, Query::Ask(ask), out),
        }
    }

    /// The same was asked before. If the agent has got that verdict, this is a new question.
    pub(super) fn known(&mut self, receipt: Receipt, cx: &mut Cx<'_>) {
        let (Some(view), Some(call)) = (receipt.view, &mut self.call) else { return };
        let McpRequest::Ask(asking) = &mut call.what else { return };
        let is_unheard = view.state.is_open() || (view.verdict.is_some() && view.delivered_at.is_none());
        if is_unheard && view.moved_to.is_none() {
            return self.follow(view.ask.id, cx.out);
        }
        let since = view.delivered_at.map(|at| cx.now.since(at));
        let is_recent = since.is_some_and(|since| since <= limits::REPEAT_MAX);
        let is_said = matches!(view.state, State::Answered | State::Ruled);
        if asking.kind == (Kind::Question { again: false }) && is_said && is_recent {
            let since = since.unwrap_or_default();
            return self.say(Outcome::Repeated(view, since), cx.out);
        }
        asking.nth += 1;
        let wish = asking.wish(&call.client_session);
        self.wish(PendingReply::Asked, wish, cx.out);
    }

    /// Fetches an ask, and waits for its end if it is open.
    pub(super) fn follow(&mut self, ask: AskId, out: &mut Outbox) {
        if let Some(call) = &mut self.call {
            call.ask = Some(ask);
        }
        self.query(PendingReply::Look, Query::Ask(ask), out);
    }

    /// Fetches the ask of this call once more.
    pub(super) fn look_again(&mut self, out: &mut Outbox) {
        if let Some(ask) = self.call.as_ref().and_then(|call| call.ask) {
            self.query(PendingReply::Look, Query::Ask(ask), out);
        }
    }

    pub(super) fn found_oldest(&mut self, receipt: Receipt, out: &mut Outbox) {
        let (Some(view), Some(call)) = (receipt.session_view, &mut self.call) else {
            return self.say(Outcome::NothingOpen, out);
        };
        let next = view.end.as_ref().and_then(|end| call.after(end));
        match (view.waiting.first(), next) {
            (Some(waiting), _) => self.follow(waiting.ask, out),
            (None, Some(next)) => self.query(PendingReply::Oldest, Query::Session(next), out),
            (None, None) => self.say(Outcome::NothingOpen, out),
        }
    }
}

/// What a result with this view delivers.
pub(super) fn parcel(view: &AskView) -> Option<Parcel> {
    (view.verdict.is_some() && view.delivered_at.is_none()).then_some(Parcel::Verdict(view.ask.id))
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(limits::LABEL_BYTES_MAX)]
}
