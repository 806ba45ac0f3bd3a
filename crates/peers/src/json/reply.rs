//! The body of an answer, as people's clients send it.

use std::collections::BTreeMap;
use std::time::Duration;

use askbridge_core::answer::{Decision, Review, Scope};
use askbridge_core::limits;
use askbridge_core::unfit::{FormReply, QuestionKey, QuestionReply, Reply};
use askbridge_core::wild::Wild;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value;
use serde::de::{IgnoredAny, IntoDeserializer};

use super::given::AnswerGiven;
use super::schema::{DecisionWord, FieldValue};
use super::wild::{WildJson, raw};

/// The body of an answer: `answers` for questions, `decision` for everything else.
#[derive(Deserialize, Default, JsonSchema)]
#[schemars(rename = "NewAnswer", extend("anyOf" = [{"required": ["answers"]}, {"required": ["notes"]}, {"required": ["decision"]}]))]
#[serde(default)]
pub struct Answering {
    /// `{question text: label | [labels] | free text}`; `{"options": [0, 2], "text": "…"}` names options by index.
    #[schemars(with = "Option<BTreeMap<String, AnswerGiven>>")]
    answers: Option<WildJson>,
    /// `{question text: note}`.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    notes: Option<WildJson>,
    /// `allow`, `deny`, `approve`, `send_back`, `accept` or `decline`.
    #[schemars(with = "Option<DecisionWord>")]
    decision: Option<String>,
    /// With `allow`: the index of the offered rule to remember.
    always: Option<u16>,
    /// With `allow`: the input to run instead.
    #[schemars(with = "Option<serde_json::Value>")]
    #[serde(deserialize_with = "present")]
    input: Option<WildJson>,
    /// With `approve`: the changed plan.
    plan: Option<String>,
    /// With `accept`: field names and values.
    #[schemars(with = "Option<BTreeMap<String, FieldValue>>")]
    content: Option<WildJson>,
    /// With `deny`, `send_back` or `decline`: why.
    words: Option<String>,
    /// With `deny`: end the agent's turn as well.
    stop: bool,
    /// How many seconds the answer can be taken back before it counts, 0 to 60. The ask's own undo time counts if it is
    /// longer.
    #[schemars(with = "Option<u8>", range(min = 0, max = limits::UNDO_MAX.as_secs()))]
    undo_seconds: Option<WildJson>,
    /// What we do not know. Beside a decision none of it is passed over: a misspelt `input` would allow the original.
    #[schemars(skip)]
    #[serde(flatten)]
    unknown: BTreeMap<String, IgnoredAny>,
}

/// Why a body is not an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    #[error("`answers` has to map each question's text to a label, a list of labels, or free text")]
    AnswersNotAMap,
    #[error("`{0}` has a value that is neither text nor a list of texts")]
    StrangeValue(String),
    #[error("`notes` has to map a question's text to a note")]
    NotesNotAMap,
    #[error("`content` has to map field names to values")]
    ContentNotAMap,
    #[error("`decision` is allow or deny, approve or send_back, accept or decline; not `{0}`")]
    UnknownDecision(String),
    #[error("a decision has no field `{0}`; check its name")]
    UnknownField(String),
    #[error("`{field}` says nothing in an answer with {beside}; leave it out, or choose what it belongs to")]
    OutOfPlace { field: &'static str, beside: String },
    #[error("`undo_seconds` has to be a whole number of seconds from 0 to {}", limits::UNDO_MAX.as_secs())]
    BadUndo,
    #[error("the body needs `answers` for questions, or a `decision` for everything else")]
    Nothing,
}

/// A `null` counts as given, too: an editor that could not read its own text must not allow the original.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<WildJson>, D::Error> {
    WildJson::deserialize(from).map(Some)
}

impl Answering {
    /// Returns the typed answer and the time in which it can be taken back. The rules decide whether it fits the ask.
    pub fn reply(self) -> Result<(Reply, Duration), ReplyError> {
        let undo = self.undo()?;
        Ok((self.typed()?, undo))
    }

    fn undo(&self) -> Result<Duration, ReplyError> {
        let Some(WildJson(given)) = &self.undo_seconds else { return Ok(Duration::ZERO) };
        let Wild::Number(number) = given else { return Err(ReplyError::BadUndo) };
        let seconds: f64 = number.parse().map_err(|_| ReplyError::BadUndo)?;
        let undo = Duration::try_from_secs_f64(seconds).map_err(|_| ReplyError::BadUndo)?;
        if undo.subsec_nanos() != 0 || undo > limits::UNDO_MAX {
            return Err(ReplyError::BadUndo);
        }
        Ok(undo)
    }

    fn typed(mut self) -> Result<Reply, ReplyError> {
        if self.decision.is_some()
            && let Some((name, _)) = self.unknown.pop_first()
        {
            return Err(ReplyError::UnknownField(name));
        }
        self.words = self.words.filter(|words| !words.trim().is_empty());
        let decision = self.decision()?;
        self.check_places(decision)?;
        let words = self.words;
        match decision {
            Some(DecisionWord::Allow) => Ok(Reply::Approval(Decision::Allow {
                scope: self.always.map_or(Scope::Once, Scope::Always),
                edited: self.input.map(|WildJson(input)| raw(&input)),
            })),
            Some(DecisionWord::Deny) => Ok(Reply::Approval(Decision::Deny { words, stop: self.stop })),
            Some(DecisionWord::Approve) => Ok(Reply::Plan(Review::Approve { edited: self.plan })),
            Some(DecisionWord::SendBack) => Ok(Reply::Plan(Review::SendBack { words: words.unwrap_or_default() })),
            Some(DecisionWord::Accept) => match self.content {
                Some(WildJson(Wild::Map(content))) => Ok(Reply::Form(FormReply::Accept(content))),
                None => Ok(Reply::Form(FormReply::Accept(Vec::new()))),
                Some(_) => Err(ReplyError::ContentNotAMap),
            },
            Some(DecisionWord::Decline) => Ok(Reply::Form(FormReply::Decline { words })),
            None if self.answers.is_some() || self.notes.is_some() => {
                questions(self.answers, self.notes).map(Reply::Questions)
            }
            None => Err(ReplyError::Nothing),
        }
    }
}

impl Answering {
    fn decision(&self) -> Result<Option<DecisionWord>, ReplyError> {
        let Some(word) = self.decision.as_deref() else { return Ok(None) };
        let read = DecisionWord::deserialize(word.into_deserializer());
        read.map(Some).map_err(|_: value::Error| ReplyError::UnknownDecision(word.to_owned()))
    }

    /// Refuses fields that would be ignored: a changed plan beside `allow`, words beside `accept`.
    fn check_places(&self, decision: Option<DecisionWord>) -> Result<(), ReplyError> {
        use DecisionWord::{Accept, Allow, Approve, Decline, Deny, SendBack};
        let belongs = |to: &[DecisionWord]| decision.is_some_and(|decision| to.contains(&decision));
        let given = [
            ("answers", self.answers.is_some(), decision.is_none()),
            ("notes", self.notes.is_some(), decision.is_none()),
            ("always", self.always.is_some(), belongs(&[Allow])),
            ("input", self.input.is_some(), belongs(&[Allow])),
            ("plan", self.plan.is_some(), belongs(&[Approve])),
            ("content", self.content.is_some(), belongs(&[Accept])),
            ("words", self.words.is_some(), belongs(&[Deny, SendBack, Decline])),
            ("stop", self.stop, belongs(&[Deny])),
        ];
        let lost = given.into_iter().find(|(_, is_given, belongs)| *is_given && !belongs);
        match lost {
            Some((field, ..)) => {
                let decision = self.decision.as_deref();
                let beside = decision.map_or("`answers`".to_owned(), |decision| format!("the decision `{decision}`"));
                Err(ReplyError::OutOfPlace { field, beside })
            }
            None => Ok(()),
        }
    }
}

fn questions(answers: Option<WildJson>, notes: Option<WildJson>) -> Result<Vec<QuestionReply>, ReplyError> {
    let answers = match answers {
        None => Vec::new(),
        Some(WildJson(Wild::Map(answers))) => answers,
        Some(_) => return Err(ReplyError::AnswersNotAMap),
    };
    let mut notes = match notes {
        None | Some(WildJson(Wild::Null)) => Vec::new(),
        Some(WildJson(Wild::Map(notes))) => notes,
        Some(_) => return Err(ReplyError::NotesNotAMap),
    };
    let mut replies = Vec::with_capacity(answers.len());
    for (question, value) in &answers {
        let noted = notes.iter().position(|(about, _)| about == question);
        let note = noted.map(|place| notes.swap_remove(place).1).map(note).transpose()?;
        replies.push(given(question, value, note)?);
    }
    for (question, value) in notes {
        replies.push(QuestionReply { key: QuestionKey::Text(question), value: None, note: Some(note(value)?) });
    }
    Ok(replies)
}

fn note(value: Wild) -> Result<String, ReplyError> {
    match value {
        Wild::Text(text) => Ok(text),
        _ => Err(ReplyError::NotesNotAMap),
    }
}

/// Types one answer.
pub(super) fn given(question: &str, value: &Wild, note: Option<String>) -> Result<QuestionReply, ReplyError> {
    let given = AnswerGiven::read(value).ok_or_else(|| ReplyError::StrangeValue(question.to_owned()))?;
    Ok(QuestionReply { key: QuestionKey::Text(question.to_owned()), value: given.value(), note })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(body: serde_json::Value) -> String {
        let read = serde_json::from_value::<Answering>(body).expect("a body of the right types");
        read.reply().map(|_| ()).expect_err("something is passed over").to_string()
    }

    #[test]
    fn an_answer_says_nothing_that_would_be_passed_over() {
        let input = json!({"command": "ls"});
        for (body, field) in [
            (json!({"decision": "allow", "inputs": input}), "`inputs`"),
            (json!({"decision": "allow", "plan": "first the tests"}), "`plan`"),
            (json!({"decision": "allow", "words": "only this once"}), "`words`"),
            (json!({"decision": "allow", "answers": {"Go?": "Yes"}}), "`answers`"),
            (json!({"decision": "deny", "input": input}), "`input`"),
            (json!({"decision": "deny", "always": 0}), "`always`"),
            (json!({"decision": "approve", "content": {}}), "`content`"),
            (json!({"decision": "send_back", "words": "no", "stop": true}), "`stop`"),
            (json!({"answers": {"Go?": "Yes"}, "words": "carefully"}), "`words`"),
        ] {
            let why = refused(body.clone());
            assert!(why.contains(field), "{body}: {why}");
        }
        let blank = serde_json::from_value::<Answering>(json!({"decision": "allow", "words": " ", "stop": false}));
        assert!(blank.expect("a body").reply().is_ok(), "a blank field says nothing that could be lost");
    }

    #[test]
    fn an_undo_time_is_a_whole_number_of_seconds_up_to_a_minute() {
        for (given, seconds) in [(json!(0), 0), (json!(5), 5), (json!(5.0), 5), (json!(60), 60), (json!(null), 0)] {
            for body in [json!({"decision": "deny"}), json!({"answers": {"Go?": "Yes"}})] {
                let mut body = body;
                body["undo_seconds"] = given.clone();
                let read = serde_json::from_value::<Answering>(body).expect("a body of the right types");
                assert_eq!(read.reply().expect("an answer").1, Duration::from_secs(seconds), "{given}");
            }
        }
        for given in [json!(61), json!(-1), json!("x"), json!("5"), json!(1.5), json!(true), json!([5]), json!(1e300)] {
            let why = refused(json!({"decision": "allow", "undo_seconds": given}));
            assert_eq!(why, "`undo_seconds` has to be a whole number of seconds from 0 to 60", "{given}");
        }
    }
}
