//! One ask as the API shows it.

use std::collections::BTreeMap;

use askbridge_core::answer::{Answer, Who};
use askbridge_core::ask::{Body, Field, FieldKind, OfferedRule};
use askbridge_core::fit::CardQuestion;
use askbridge_core::ids::{AskId, Raw};
use askbridge_core::session::Late;
use askbridge_core::verdict::Ruling;
use askbridge_core::view::{AskView, By};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::answer::{answers, notes, questions, skipped};
use super::host::HostJson;
use super::ring::RingJson;
use super::schema::{Answers, AskState, FieldType, Ruling as RulingWord};
use super::time::Rfc3339;
use crate::doors::hook;
use crate::tools::{ran, splice};

/// An ask and everything that became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ask")]
pub struct AskJson {
    pub id: String,
    pub session: String,
    #[schemars(with = "AskState")]
    pub state: &'static str,
    #[serde(flatten)]
    pub body: BodyJson,
    pub agent: String,
    /// How the agent reaches us.
    pub door: String,
    /// The machine that it came from, by the name under which a person connected it. Left out for this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The node that runs the agent. Left out unless several share the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostJson>,
    #[serde(skip_serializing_if = "ContextJson::is_empty")]
    pub context: ContextJson,
    /// No process waits for the answer; the agent will be started again with it.
    pub parked: bool,
    /// The way back to the agent is gone; the answer goes to it as a message, if it comes back.
    pub stranded: bool,
    /// Can it still be answered, perhaps late?
    pub answerable: bool,
    #[schemars(with = "Answers")]
    pub answers: Value,
    /// The texts of the questions that were skipped.
    pub skipped: Vec<String>,
    #[schemars(with = "BTreeMap<String, String>")]
    pub notes: Map<String, Value>,
    /// `null`: nobody yet, or nobody came.
    pub by: Option<ByJson>,
    /// Several people have to say the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<QuorumJson>,
    /// What a person wrote on closing it, or why the agent no longer waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// With `overtaken`: the input that the call ran with, where that is not what was allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<Box<RawValue>>,
    pub verdict: Option<VerdictJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<LateJson>,
    /// The session went on as another one; this is the ask there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    pub asked_at: Rfc3339,
    /// `null`: it waits for ever.
    pub deadline: Option<Rfc3339>,
    /// Until when the answer can be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_until: Option<Rfc3339>,
    pub settled_at: Option<Rfc3339>,
    /// `false`: it is decided, but the dialog in the agent's own terminal is still open, and may have been answered first.
    /// Afterwards it is delivered or overtaken.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub certain: bool,
    /// When the agent showed that it had heard; of an approval, that it ran what was allowed.
    pub delivered_at: Option<Rfc3339>,
    /// When the agent's program took the decision, where nothing shows what it did with it (approvals through MCP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_at: Option<Rfc3339>,
    /// Where it rang for you, and what became of that. Only on the ask itself, not in lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rings: Vec<RingJson>,
    /// This is a list or a snapshot, and the ask is too large for it: texts are shortened and long lists end early. Nobody
    /// should decide by it; `GET /v1/asks/{id}` shows the whole ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<TruncatedJson>,
}

/// How much of an ask is not shown in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Truncated")]
pub struct TruncatedJson {
    /// Bytes of the whole ask as JSON.
    pub bytes: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BodyJson {
    Questions { questions: Vec<QuestionJson> },
    Approval { approval: ApprovalJson },
    Plan { plan: String },
    Form { form: FormJson },
}

/// A question, as everyone sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Question")]
pub struct QuestionJson {
    pub question: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    pub options: Vec<OptionJson>,
    #[serde(rename = "multiSelect")]
    pub multi_select: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

/// An option of a question.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Choice")]
pub struct OptionJson {
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// May this tool run with this input?
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Approval")]
pub struct ApprovalJson {
    pub tool: String,
    pub input: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub rules: Vec<RuleJson>,
    /// The agent denied the call by itself already, and no person was asked. An allow overrules that: the agent may make
    /// the very same call once more, and it runs. The input cannot be changed, and nothing is remembered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overrule: bool,
}

/// What "always" could mean.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OfferedRule")]
pub struct RuleJson {
    pub label: String,
    pub rule: Box<RawValue>,
}

/// Fields to fill in, or a page to visit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Form")]
pub struct FormJson {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub fields: Vec<FieldJson>,
}

/// A field of a form.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FormField")]
pub struct FieldJson {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(rename = "type")]
    pub kind: FieldType,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    pub required: bool,
}

/// What a person needs to decide from a phone.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Context")]
pub struct ContextJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// Who decided: a person, or a rule by its name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "By")]
#[serde(untagged)]
pub enum ByJson {
    Person {
        person: String,
        device: String,
        via: String,
    },
    Rule {
        rule: String,
        /// The file that the rule is in; without one, a bot decided.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line on which the rule begins.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
}

/// How many people have to say the same, and who has said something so far.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Quorum")]
pub struct QuorumJson {
    pub needed: u8,
    /// Those who answered, each with their last answer. Empty once it is settled.
    pub answered: Vec<ByJson>,
    /// How many of them say the same: the largest number.
    pub agree: usize,
}

/// What the agent is told.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Verdict")]
pub struct VerdictJson {
    /// `answer`, `assume`, `deny` or `deny_and_stop`.
    pub ruling: RulingWord,
    /// What to assume, where the ruling says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Answers>")]
    pub assume: Option<Value>,
    pub words: String,
}

/// An answer that came after the agent had been told something else. It goes to the agent as a message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Late")]
pub struct LateJson {
    #[schemars(with = "Answers")]
    pub answers: Value,
    #[schemars(with = "BTreeMap<String, String>")]
    pub notes: Map<String, Value>,
    pub by: ByJson,
    pub at: Rfc3339,
}

impl AskJson {
    pub fn of(view: &AskView) -> Self {
        let ask = &view.ask;
        let answer = view.answer.as_ref();
        let shown = questions(ask);
        Self {
            id: ask.id.to_string(),
            session: ask.id.session.to_string(),
            state: view.state.name(),
            agent: ask.asker.agent.clone(),
            door: ask.asker.door.clone(),
            machine: ask.asker.machine.clone(),
            host: view.host.as_deref().map(HostJson::from),
            context: ContextJson {
                text: ask.context.text.clone(),
                title: ask.context.title.clone(),
                folder: ask.context.folder.clone(),
                branch: ask.context.branch.clone(),
            },
            parked: view.parked,
            stranded: view.stranded,
            answerable: view.is_answerable(),
            answers: answer.map_or_else(|| Value::Object(Map::new()), |answer| answers(ask, &shown, answer)),
            skipped: answer.map(|answer| skipped(&shown, answer)).unwrap_or_default(),
            notes: answer.map(|answer| notes(&shown, answer)).unwrap_or_default(),
            by: view.by.as_ref().map(ByJson::of),
            quorum: QuorumJson::of(view),
            words: view.words.clone(),
            ran: view.ran.as_ref().map(|ran| splice::untouched(ran.as_str())),
            verdict: view.verdict.as_ref().map(|verdict| VerdictJson {
                ruling: match &verdict.ruling {
                    Ruling::Answer(_) => RulingWord::Answer,
                    Ruling::Assume(_) => RulingWord::Assume,
                    Ruling::Deny => RulingWord::Deny,
                    Ruling::DenyAndStop => RulingWord::DenyAndStop,
                },
                assume: match &verdict.ruling {
                    Ruling::Assume(assumed) => Some(answers(ask, &shown, assumed)),
                    _ => None,
                },
                words: verdict.words.clone(),
            }),
            late: view.late.as_ref().map(|Late { answer, by, at }| LateJson {
                answers: answers(ask, &shown, answer),
                notes: notes(&shown, answer),
                by: ByJson::person(by),
                at: Rfc3339(*at),
            }),
            rings: Vec::new(),
            moved_to: view.moved_to.map(|ask: AskId| ask.to_string()),
            asked_at: Rfc3339(ask.at),
            deadline: view.deadline.map(Rfc3339),
            undo_until: view.undo_until.map(Rfc3339),
            settled_at: view.settled_at.map(Rfc3339),
            certain: hook::is_certain(view),
            delivered_at: view.delivered_at.filter(|_| !ran::is_only_handed(ask)).map(Rfc3339),
            handed_at: view.delivered_at.filter(|_| ran::is_only_handed(ask)).map(Rfc3339),
            truncated: None,
            // Last, because it moves the questions.
            body: BodyJson::of(view, shown),
        }
    }
}

impl QuorumJson {
    fn of(view: &AskView) -> Option<Self> {
        let needed = view.ask.terms.quorum;
        let agree = |answer: &Answer| view.votes.iter().filter(|(_, said)| said == answer).count();
        (needed > 1).then(|| Self {
            needed,
            answered: view.votes.iter().map(|(who, _)| ByJson::person(who)).collect(),
            agree: view.votes.iter().map(|(_, answer)| agree(answer)).max().unwrap_or(0),
        })
    }
}

impl BodyJson {
    fn of(view: &AskView, shown: Vec<CardQuestion>) -> Self {
        match &view.ask.body {
            Body::Questions(_) => Self::Questions { questions: shown.into_iter().map(QuestionJson::of).collect() },
            Body::Approval(approval) => Self::Approval {
                approval: ApprovalJson {
                    tool: approval.tool.clone(),
                    input: raw_value(&approval.input),
                    summary: approval.summary.clone(),
                    reason: approval.reason.clone(),
                    rules: approval.rules.iter().map(RuleJson::of).collect(),
                    overrule: approval.overrule,
                },
            },
            Body::Plan(plan) => Self::Plan { plan: plan.text.clone() },
            Body::Form(form) => Self::Form {
                form: FormJson {
                    message: form.message.clone(),
                    url: form.url.clone(),
                    fields: form.fields.iter().map(FieldJson::of).collect(),
                },
            },
        }
    }
}

impl QuestionJson {
    fn of(question: CardQuestion) -> Self {
        let options = question.options.into_iter().map(|option| OptionJson {
            label: option.label,
            description: option.description,
            preview: option.preview,
        });
        Self {
            question: question.text,
            header: question.header,
            options: options.collect(),
            multi_select: question.multi,
            secret: question.secret,
        }
    }
}

impl RuleJson {
    fn of(offered: &OfferedRule) -> Self {
        Self { label: offered.label.clone(), rule: raw_value(&offered.rule) }
    }
}

impl FieldJson {
    fn of(field: &Field) -> Self {
        let (kind, options) = match &field.kind {
            FieldKind::Text => (FieldType::Text, Vec::new()),
            FieldKind::Number => (FieldType::Number, Vec::new()),
            FieldKind::Integer => (FieldType::Integer, Vec::new()),
            FieldKind::Flag => (FieldType::Flag, Vec::new()),
            FieldKind::OneOf(options) => (FieldType::OneOf, options.clone()),
            FieldKind::ManyOf(options) => (FieldType::ManyOf, options.clone()),
        };
        Self {
            name: field.name.clone(),
            title: field.title.clone(),
            description: field.description.clone(),
            kind,
            options,
            required: field.required,
        }
    }
}

impl ContextJson {
    fn is_empty(&self) -> bool {
        self.text.is_none() && self.title.is_none() && self.folder.is_none() && self.branch.is_none()
    }
}

impl ByJson {
    pub fn of(by: &By) -> Self {
        match by {
            By::Person(who) => Self::person(who),
            By::Rule { rule, place } => Self::Rule {
                rule: rule.clone(),
                file: place.as_ref().map(|place| place.file.clone()),
                line: place.as_ref().map(|place| place.line),
            },
        }
    }

    pub fn person(who: &Who) -> Self {
        Self::Person { person: who.person.to_string(), device: who.device.clone(), via: who.via.clone() }
    }
}

fn raw_value(raw: &Raw) -> Box<RawValue> {
    RawValue::from_string(raw.as_str().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
