//! Records of answers, outcomes and verdicts.

use std::borrow::Cow;

use askbridge_core::answer as core;
use askbridge_core::ids::PersonId;
use askbridge_core::verdict as told;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ask::Kind;
use super::text::{Inconsistent, Json, is_false, lent, owned};

/// Flat, because serde reads tagged enums through a buffer in which embedded JSON does not survive.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer<'a> {
    kind: Kind,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    picks: Option<Vec<Pick<'a>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    /// Allowed for always: the index of the rule to remember.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    always: Option<u16>,
    /// Allowed with this input instead.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    input: Option<Json<'a>>,
    /// Approved with this text instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_false")]
    stop: bool,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value<'a>>>,
}

#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Allow,
    Deny,
    Approve,
    SendBack,
    Accept,
    Decline,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Pick<'a> {
    #[serde(default)]
    chosen: Cow<'a, [u16]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<Cow<'a, str>>,
}

/// A field's name and exactly one of the others.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Value<'a> {
    name: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    /// As it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flag: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    many: Option<Cow<'a, [String]>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Who<'a> {
    person: Cow<'a, str>,
    device: Cow<'a, str>,
    via: Cow<'a, str>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Outcome<'a> {
    #[serde(rename = "type")]
    ending: Ending,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<Cow<'a, str>>,
    /// Where the rule is written: a file, and with it a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Left out if a rule refused a question.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answer<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<Cow<'a, str>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    by: Option<Who<'a>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Ending {
    Answered,
    Dismissed,
    Expired,
    Ruled,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Verdict<'a> {
    ruling: Ruling,
    /// Left out where the ruling is `answer` and the outcome has it already.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answer<'a>>,
    /// Beside the answer, or instead of one.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    words: Cow<'a, str>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Ruling {
    Answer,
    Assume,
    Deny,
    DenyAndStop,
}

impl<'a> From<&'a core::Pick> for Pick<'a> {
    fn from(pick: &'a core::Pick) -> Self {
        Self { chosen: Cow::Borrowed(&pick.chosen), text: lent(&pick.text), note: lent(&pick.note) }
    }
}

impl From<Pick<'_>> for core::Pick {
    fn from(pick: Pick<'_>) -> Self {
        Self { chosen: pick.chosen.into_owned(), text: owned(pick.text), note: owned(pick.note) }
    }
}

impl<'a> From<&'a core::Who> for Who<'a> {
    fn from(who: &'a core::Who) -> Self {
        Self { person: who.person.as_str().into(), device: (&who.device).into(), via: (&who.via).into() }
    }
}

impl From<Who<'_>> for core::Who {
    fn from(who: Who<'_>) -> Self {
        Self { person: PersonId(who.person.into()), device: who.device.into_owned(), via: who.via.into_owned() }
    }
}

impl Answer<'_> {
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            picks: None,
            decision: None,
            always: None,
            input: None,
            text: None,
            words: None,
            stop: false,
            values: None,
        }
    }
}

impl<'a> From<&'a core::Answer> for Answer<'a> {
    fn from(answer: &'a core::Answer) -> Self {
        match answer {
            core::Answer::Questions(picks) => {
                Self { picks: Some(picks.iter().map(Into::into).collect()), ..Self::of(Kind::Questions) }
            }
            core::Answer::Approval(core::Decision::Allow { scope, edited }) => Self {
                decision: Some(Decision::Allow),
                always: match scope {
                    core::Scope::Once => None,
                    core::Scope::Always(rule) => Some(*rule),
                },
                input: edited.as_ref().map(Into::into),
                ..Self::of(Kind::Approval)
            },
            core::Answer::Approval(core::Decision::Deny { words, stop }) => {
                Self { decision: Some(Decision::Deny), words: lent(words), stop: *stop, ..Self::of(Kind::Approval) }
            }
            core::Answer::Plan(core::Review::Approve { edited }) => {
                Self { decision: Some(Decision::Approve), text: lent(edited), ..Self::of(Kind::Plan) }
            }
            core::Answer::Plan(core::Review::SendBack { words }) => {
                Self { decision: Some(Decision::SendBack), words: Some(words.into()), ..Self::of(Kind::Plan) }
            }
            core::Answer::Form(core::Filled::Accept(values)) => Self {
                decision: Some(Decision::Accept),
                values: Some(values.iter().map(Into::into).collect()),
                ..Self::of(Kind::Form)
            },
            core::Answer::Form(core::Filled::Decline { words }) => {
                Self { decision: Some(Decision::Decline), words: lent(words), ..Self::of(Kind::Form) }
            }
        }
    }
}

impl TryFrom<Answer<'_>> for core::Answer {
    type Error = Inconsistent;

    fn try_from(answer: Answer<'_>) -> Result<Self, Inconsistent> {
        Ok(match (answer.kind, answer.decision) {
            (Kind::Questions, _) => {
                let picks = answer.picks.ok_or(Inconsistent("picks"))?;
                Self::Questions(picks.into_iter().map(Into::into).collect())
            }
            (Kind::Approval, Some(Decision::Allow)) => Self::Approval(core::Decision::Allow {
                scope: answer.always.map_or(core::Scope::Once, core::Scope::Always),
                edited: answer.input.map(Into::into),
            }),
            (Kind::Approval, Some(Decision::Deny)) => {
                Self::Approval(core::Decision::Deny { words: owned(answer.words), stop: answer.stop })
            }
            (Kind::Plan, Some(Decision::Approve)) => Self::Plan(core::Review::Approve { edited: owned(answer.text) }),
            (Kind::Plan, Some(Decision::SendBack)) => {
                let words = owned(answer.words).ok_or(Inconsistent("words"))?;
                Self::Plan(core::Review::SendBack { words })
            }
            (Kind::Form, Some(Decision::Accept)) => {
                let values = answer.values.ok_or(Inconsistent("values"))?;
                let values = values.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?;
                Self::Form(core::Filled::Accept(values))
            }
            (Kind::Form, Some(Decision::Decline)) => Self::Form(core::Filled::Decline { words: owned(answer.words) }),
            (Kind::Approval | Kind::Plan | Kind::Form, _) => return Err(Inconsistent("decision")),
        })
    }
}

impl<'a> From<&'a (String, core::FieldValue)> for Value<'a> {
    fn from((name, value): &'a (String, core::FieldValue)) -> Self {
        let empty = Self { name: name.into(), text: None, number: None, flag: None, many: None };
        match value {
            core::FieldValue::Text(text) => Self { text: Some(text.into()), ..empty },
            core::FieldValue::Number(number) => Self { number: Some(number.into()), ..empty },
            core::FieldValue::Flag(flag) => Self { flag: Some(*flag), ..empty },
            core::FieldValue::Many(many) => Self { many: Some(Cow::Borrowed(many)), ..empty },
        }
    }
}

impl TryFrom<Value<'_>> for (String, core::FieldValue) {
    type Error = Inconsistent;

    fn try_from(value: Value<'_>) -> Result<Self, Inconsistent> {
        let of = match value {
            Value { text: Some(text), .. } => core::FieldValue::Text(text.into_owned()),
            Value { number: Some(number), .. } => core::FieldValue::Number(number.into_owned()),
            Value { flag: Some(flag), .. } => core::FieldValue::Flag(flag),
            Value { many: Some(many), .. } => core::FieldValue::Many(many.into_owned()),
            _ => return Err(Inconsistent("value of a field")),
        };
        Ok((value.name.into_owned(), of))
    }
}

impl<'a> From<&'a core::Outcome> for Outcome<'a> {
    fn from(outcome: &'a core::Outcome) -> Self {
        let of = |ending| Self { ending, answer: None, words: None, rule: None, file: None, line: None, by: None };
        let ruled = |rule: &'a String, place: &'a Option<core::RulePlace>| {
            let (file, line) =
                (place.as_ref().map(|place| (&place.file).into()), place.as_ref().map(|place| place.line));
            Self { rule: Some(rule.into()), file, line, ..of(Ending::Ruled) }
        };
        match outcome {
            core::Outcome::Answered { answer, by } => {
                Self { answer: Some(answer.into()), by: Some(by.into()), ..of(Ending::Answered) }
            }
            core::Outcome::Dismissed { words, by } => {
                Self { words: lent(words), by: Some(by.into()), ..of(Ending::Dismissed) }
            }
            core::Outcome::Expired => of(Ending::Expired),
            core::Outcome::Ruled { rule, place, answer } => Self { answer: Some(answer.into()), ..ruled(rule, place) },
            core::Outcome::RuledOut { rule, place, words } => Self { words: Some(words.into()), ..ruled(rule, place) },
        }
    }
}

impl TryFrom<Outcome<'_>> for core::Outcome {
    type Error = Inconsistent;

    fn try_from(outcome: Outcome<'_>) -> Result<Self, Inconsistent> {
        if let (Ending::Ruled, None) = (&outcome.ending, &outcome.answer) {
            return outcome.ruled_out();
        }
        let place = outcome.place();
        let answer = outcome.answer.ok_or(Inconsistent("answer")).and_then(TryInto::try_into);
        let by = outcome.by.map(Into::into).ok_or(Inconsistent("by"));
        Ok(match outcome.ending {
            Ending::Answered => Self::Answered { answer: answer?, by: by? },
            Ending::Dismissed => Self::Dismissed { words: owned(outcome.words), by: by? },
            Ending::Expired => Self::Expired,
            Ending::Ruled => {
                Self::Ruled { rule: owned(outcome.rule).ok_or(Inconsistent("rule"))?, place: place?, answer: answer? }
            }
        })
    }
}

impl Outcome<'_> {
    fn ruled_out(self) -> Result<core::Outcome, Inconsistent> {
        let place = self.place()?;
        let rule = owned(self.rule).ok_or(Inconsistent("rule"))?;
        Ok(core::Outcome::RuledOut { rule, place, words: owned(self.words).ok_or(Inconsistent("answer"))? })
    }

    fn place(&self) -> Result<Option<core::RulePlace>, Inconsistent> {
        match (&self.file, self.line) {
            (None, None) => Ok(None),
            (Some(file), Some(line)) => Ok(Some(core::RulePlace { file: file.as_ref().to_owned(), line })),
            _ => Err(Inconsistent("place of a rule")),
        }
    }
}

impl<'a> Verdict<'a> {
    /// Encodes the verdict. `outcome` is stored beside it and is not repeated.
    pub(super) fn beside(outcome: &core::Outcome, verdict: &'a told::Verdict) -> Self {
        let given = match outcome {
            core::Outcome::Answered { answer, .. } | core::Outcome::Ruled { answer, .. } => Some(answer),
            core::Outcome::Dismissed { .. } | core::Outcome::Expired | core::Outcome::RuledOut { .. } => None,
        };
        let (ruling, answer) = match &verdict.ruling {
            told::Ruling::Answer(answer) => (Ruling::Answer, (given != Some(answer)).then(|| answer.into())),
            told::Ruling::Assume(answer) => (Ruling::Assume, Some(answer.into())),
            told::Ruling::Deny => (Ruling::Deny, None),
            told::Ruling::DenyAndStop => (Ruling::DenyAndStop, None),
        };
        Self { ruling, answer, words: (&verdict.words).into() }
    }

    /// Decodes the verdict.
    pub(super) fn read(self, outcome: &core::Outcome) -> Result<told::Verdict, Inconsistent> {
        let answer = match (self.answer, outcome) {
            (Some(answer), _) => answer.try_into(),
            (None, core::Outcome::Answered { answer, .. } | core::Outcome::Ruled { answer, .. }) => Ok(answer.clone()),
            (None, _) => Err(Inconsistent("answer")),
        };
        let ruling = match self.ruling {
            Ruling::Answer => told::Ruling::Answer(answer?),
            Ruling::Assume => told::Ruling::Assume(answer?),
            Ruling::Deny => told::Ruling::Deny,
            Ruling::DenyAndStop => told::Ruling::DenyAndStop,
        };
        Ok(told::Verdict { ruling, words: self.words.into_owned() })
    }
}
