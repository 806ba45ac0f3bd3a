//! The ask: what only a person may decide, in one of four bodies.

use std::time::Duration;

use crate::ids::{AskId, CallId, Key, PartyId, Raw, Timestamp};
use crate::terms::Terms;
use crate::wild::is_blank;

/// One ask, as it was made. Immutable; what happens to it later is in the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub id: AskId,
    pub at: Timestamp,
    pub body: Body,
    /// What was promised when the ask was made. Later policy changes do not affect it.
    pub terms: Terms,
    pub reach: Reach,
    pub asker: Asker,
    /// The agent's id for the tool call that asks, if it has one.
    pub call: Option<CallId>,
    pub context: Context,
    /// Asking again with the same key is the same ask.
    pub key: Option<Key>,
    /// Digest of the terms that the request stated, if it had a key: reusing the key with other terms is a mistake. Not
    /// of the effective terms, because policy may change between two requests with the same key. `None` without a key,
    /// and for asks from before this was stored.
    pub stated: Option<u32>,
    /// The agent's whole input, if the ask does not hold all of it: unknown fields go back unchanged.
    pub original: Option<Raw>,
    /// The expired ask that this one replaces: the same question, asked again. One card, one answer.
    pub instead_of: Option<AskId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Body {
    Questions(Vec<Question>),
    Approval(Approval),
    Plan(Plan),
    Form(Form),
}

/// Which of the four bodies an ask has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Questions,
    Approval,
    Plan,
    Form,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Question {
    pub text: String,
    /// A word or two for a chip.
    pub header: Option<String>,
    /// May be empty: then only free text answers.
    pub options: Vec<Choice>,
    pub multi: bool,
    /// The answer is a secret. Doors refuse such questions until answers can be stored encrypted.
    pub secret: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Choice {
    pub label: String,
    pub description: Option<String>,
    pub preview: Option<String>,
}

/// May this tool run with this input?
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Approval {
    pub tool: String,
    pub input: Raw,
    /// One line for a phone: the command, the path.
    pub summary: Option<String>,
    /// Why the agent has to ask.
    pub reason: Option<String>,
    /// Rules that the agent offers to remember ("always allow"), by index.
    pub rules: Vec<OfferedRule>,
    /// The agent has denied the call by itself already, and no person was asked. An allow overrules that: the agent may
    /// make the very same call once more, and it runs. It changes no input and remembers no rule.
    pub overrule: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OfferedRule {
    /// What the person reads before choosing "always".
    pub label: String,
    /// Goes back to the agent unchanged.
    pub rule: Raw,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Plan {
    pub text: String,
}

/// Fields with a schema, or a page to visit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Form {
    pub message: String,
    pub fields: Vec<Field>,
    pub url: Option<String>,
    /// The schema as it was received.
    pub schema: Option<Raw>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub kind: FieldKind,
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FieldKind {
    Text,
    Number,
    Integer,
    Flag,
    OneOf(Vec<String>),
    ManyOf(Vec<String>),
}

/// Can the answer still get to the agent after a restart?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// We can start the agent again.
    Resumable,
    /// The agent will fetch the answer.
    Pull,
    /// Only the connection that asked leads back to the agent.
    Held,
}

/// The agent that asks, the door it came through, and its token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Asker {
    pub door: String,
    pub agent: String,
    pub party: PartyId,
    /// The name of the machine that it came from, as the people here know it. Not the asker's word: the bridge reads it
    /// off the token. `None`: this machine, or a program that holds a token of its own.
    pub machine: Option<String>,
}

/// What a person needs to know to decide from a phone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// The last text of the agent before the ask.
    pub text: Option<String>,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub branch: Option<String>,
    /// Other fields that the asker sent, unchanged.
    pub more: Option<Raw>,
}

impl Body {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Questions(_) => Kind::Questions,
            Self::Approval(_) => Kind::Approval,
            Self::Plan(_) => Kind::Plan,
            Self::Form(_) => Kind::Form,
        }
    }

    /// Returns one line that says what is asked.
    pub fn headline(&self) -> &str {
        let text = match self {
            Self::Questions(questions) => questions.first().map_or("", |q| q.text.as_str()),
            Self::Approval(approval) => {
                approval.summary.as_deref().filter(|summary| !is_blank(summary)).unwrap_or(&approval.tool)
            }
            Self::Plan(plan) => plan.text.as_str(),
            Self::Form(form) => form.message.as_str(),
        };
        text.lines().find(|line| !is_blank(line)).unwrap_or("").trim()
    }
}

impl Body {
    /// Returns roughly how many bytes the texts take.
    pub fn weight(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        match self {
            Self::Questions(questions) => questions
                .iter()
                .map(|question| {
                    let options = question.options.iter();
                    let options = options
                        .map(|it| size_of::<Choice>() + it.label.len() + text(&it.description) + text(&it.preview));
                    size_of::<Question>() + question.text.len() + options.sum::<usize>()
                })
                .sum(),
            Self::Approval(approval) => {
                let rules = approval.rules.iter().map(|it| it.label.len() + it.rule.as_str().len());
                approval.input.as_str().len() + text(&approval.summary) + text(&approval.reason) + rules.sum::<usize>()
            }
            Self::Plan(plan) => plan.text.len(),
            Self::Form(form) => {
                let schema = form.schema.as_ref().map_or(0, |schema| schema.as_str().len());
                form.message.len() + schema + form.fields.len() * size_of::<Field>()
            }
        }
    }
}

impl Body {
    /// The call that was denied, if a person is asked to overrule that.
    pub fn denied(&self) -> Option<&Approval> {
        match self {
            Self::Approval(approval) if approval.overrule => Some(approval),
            _ => None,
        }
    }
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Questions => "questions",
            Self::Approval => "approval",
            Self::Plan => "plan",
            Self::Form => "form",
        }
    }
}

impl Ask {
    /// Returns roughly how many bytes of memory the ask takes.
    pub fn weight(&self) -> usize {
        let raw = |raw: &Option<Raw>| raw.as_ref().map_or(0, |raw| raw.as_str().len());
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let context = text(&self.context.text) + raw(&self.context.more);
        size_of::<Self>() + self.body.weight() + raw(&self.original) + context
    }

    /// Returns how long this ask waits; `None` if it waits for ever.
    pub fn waits(&self) -> Option<Duration> {
        self.terms.deadline.map(|deadline| deadline.since(self.at))
    }
}
