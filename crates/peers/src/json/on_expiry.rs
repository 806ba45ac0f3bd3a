//! What to tell the agent when nobody comes, as an asker writes it: `"tell"`, `"stop"`, or `{"assume": {…}}`.

use askbridge_core::answer::Answer;
use askbridge_core::ask::Ask;
use askbridge_core::terms::OnExpiry;
use askbridge_core::unfit::{Reply, unfit};
use askbridge_core::wild::Wild;

use super::reply::given;

/// Reads what to do on expiry. `sample` is the ask itself, so that an assumption is read as an answer would be.
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
            let reply = Reply::Questions(given.map_err(|error| error.to_string())?);
            // What is assumed answers questions, so nothing is changed.
            match unfit(sample, reply, &|_, _, _| Vec::new()) {
                Ok(Answer::Questions(picks)) => Ok(OnExpiry::Assume(picks)),
                Ok(_) => Err(HOW.to_owned()),
                Err(mismatch) => {
                    let why = mismatch.problems.first().map_or("it does not fit", |problem| problem.why.as_str());
                    Err(format!("on_expiry.assume: {why}"))
                }
            }
        }
        _ => Err(HOW.to_owned()),
    }
}

const HOW: &str =
    "on_expiry is \"tell\", \"stop\", or {\"assume\": {question: label}}; nothing is ever allowed on expiry";
