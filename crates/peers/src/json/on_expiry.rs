//! What to tell the agent when nobody answers, as an asker writes it: `"tell"`, `"stop"`, or `{"assume": {…}}`.

use std::collections::BTreeMap;

use askbridge_core::answer::Answer;
use askbridge_core::ask::Ask;
use askbridge_core::terms::OnExpiry;
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value, unfit};
use askbridge_core::wild::Wild;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::given;
use super::schema::OneOrSeveral;

/// `"tell"`, `"stop"`, or `{"assume": {question: label}}`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewOnExpiry {
    /// Tell the agent that nobody came.
    Tell,
    /// Tell it, and end its turn.
    Stop,
    /// Go on with these answers, and tell the agent that they are its own defaults.
    Assume(BTreeMap<String, OneOrSeveral>),
}

impl NewOnExpiry {
    /// Makes the term of it. `sample` is the ask itself, so that an assumption is read as an answer would be.
    pub(crate) fn read(self, sample: &Ask) -> Result<OnExpiry, String> {
        match self {
            Self::Tell => Ok(OnExpiry::Tell),
            Self::Stop => Ok(OnExpiry::TellAndStop),
            Self::Assume(answers) => {
                let value = |said| match said {
                    OneOrSeveral::One(label) => Value::Label(label),
                    OneOrSeveral::Several(labels) => Value::List(labels.into_iter().map(Value::Label).collect()),
                };
                let given = answers.into_iter().map(|(question, said)| QuestionReply {
                    key: QuestionKey::Text(question),
                    value: Some(value(said)),
                    note: None,
                });
                assume(given.collect(), sample)
            }
        }
    }
}

/// Reads it in any accepted spelling.
pub fn on_expiry(value: &Wild, sample: &Ask) -> Result<OnExpiry, String> {
    match value {
        Wild::Text(word) if word == "tell" || word == "deny" => Ok(OnExpiry::Tell),
        Wild::Text(word) if word == "stop" => Ok(OnExpiry::TellAndStop),
        Wild::Map(pairs) => {
            let assumed = pairs.iter().find(|(key, _)| key == "assume").map(|(_, value)| value);
            let Some(Wild::Map(answers)) = assumed else {
                return Err(HOW.to_owned());
            };
            let given = answers.iter().map(|(question, value)| given(question, value, None)).collect::<Result<_, _>>();
            assume(given.map_err(|error| error.to_string())?, sample)
        }
        _ => Err(HOW.to_owned()),
    }
}

fn assume(given: Vec<QuestionReply>, sample: &Ask) -> Result<OnExpiry, String> {
    // An assumption answers questions, so there is no changed input to check.
    match unfit(sample, Reply::Questions(given), &|_, _, _| Vec::new()) {
        Ok(Answer::Questions(picks)) => Ok(OnExpiry::Assume(picks)),
        Ok(_) => Err(HOW.to_owned()),
        Err(mismatch) => {
            let why = mismatch.problems.first().map_or("it does not fit", |problem| problem.why.as_str());
            Err(format!("on_expiry.assume: {why}"))
        }
    }
}

const HOW: &str =
    "on_expiry is \"tell\", \"stop\", or {\"assume\": {question: label}}; nothing is ever allowed on expiry";
