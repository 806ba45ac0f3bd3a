//! One ask as the server shows it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::time::Moment;

/// An ask: the fields that we understand, and the server's exact text, for `--json`.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) raw: String,
    pub(crate) shown: Shown,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Shown {
    pub(crate) id: String,
    pub(crate) session: String,
    pub(crate) state: String,
    /// `false`: decided, but another source may have answered the agent first.
    pub(crate) certain: Option<bool>,
    #[serde(flatten)]
    pub(crate) body: Body,
    pub(crate) agent: String,
    /// The connected machine that it came from.
    pub(crate) machine: Option<String>,
    #[serde(default)]
    pub(crate) context: Context,
    #[serde(default)]
    pub(crate) stranded: bool,
    pub(crate) answerable: bool,
    /// `{question: label | [labels] | text}`, or the decision itself for the other kinds.
    pub(crate) answers: Value,
    #[serde(default)]
    pub(crate) skipped: Vec<String>,
    #[serde(default)]
    pub(crate) notes: Map<String, Value>,
    pub(crate) by: Option<By>,
    pub(crate) words: Option<String>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) asked_at: Moment,
    pub(crate) deadline: Option<Moment>,
    pub(crate) undo_until: Option<Moment>,
    /// Set if a list has shortened this ask.
    #[serde(default)]
    pub(crate) truncated: Option<IgnoredAny>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Questions(Vec<Question>),
    Approval(Approval),
    Plan(String),
    Form(Form),
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    pub(crate) question: String,
    pub(crate) header: Option<String>,
    #[serde(default)]
    pub(crate) options: Vec<Choice>,
    #[serde(rename = "multiSelect", default)]
    pub(crate) multi: bool,
    #[serde(default)]
    pub(crate) secret: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Choice {
    pub(crate) label: String,
    pub(crate) description: Option<String>,
    pub(crate) preview: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Approval {
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) summary: Option<String>,
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) rules: Vec<Rule>,
    /// The agent denied the call by itself already.
    #[serde(default)]
    pub(crate) overrule: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Rule {
    pub(crate) label: String,
    pub(crate) rule: Value,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Form {
    pub(crate) message: String,
    pub(crate) url: Option<String>,
    #[serde(default)]
    pub(crate) fields: Vec<Field>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// `text`, `number`, `integer`, `flag`, `one_of` or `many_of`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) options: Vec<String>,
    #[serde(default)]
    pub(crate) required: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Context {
    pub(crate) text: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) branch: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum By {
    Person { person: String, device: String },
    Rule { rule: String },
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Verdict {
    /// The answer to assume after an expiry.
    pub(crate) assume: Option<Value>,
    #[serde(default)]
    pub(crate) words: String,
}

impl Ask {
    pub(crate) fn read(raw: &str) -> Result<Self, serde_json::Error> {
        Ok(Self { raw: raw.to_owned(), shown: serde_json::from_str(raw)? })
    }
}

/// One page of a list.
#[derive(Debug, Deserialize)]
pub(crate) struct Page<'a> {
    #[serde(borrow)]
    pub(crate) items: Vec<&'a RawValue>,
    pub(crate) next: Option<String>,
}

impl Shown {
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state.as_str(), "open" | "proposed")
    }

    /// The first line to read.
    pub(crate) fn headline(&self) -> String {
        match &self.body {
            Body::Questions(questions) => {
                let first = questions.first().map_or("", |question| question.question.as_str());
                match questions.len() {
                    0 | 1 => first.to_owned(),
                    more => format!("{} (and {} more)", first.trim_end(), more - 1),
                }
            }
            Body::Approval(approval) if approval.overrule => format!("{} was denied. Let it run once?", approval.tool),
            Body::Approval(approval) => format!("May {} run?", approval.tool),
            Body::Plan(plan) => plan.clone(),
            Body::Form(form) => form.message.clone(),
        }
    }
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Person { person, device } => write!(f, "{person} ({device})"),
            Self::Rule { rule } => write!(f, "the rule `{rule}`"),
        }
    }
}
