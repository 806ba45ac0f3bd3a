//! Reports the result of an answer: it counts, it came late, or another person was faster.

use serde::Deserialize;

use crate::client::{Client, Error, Reply};
use crate::commands::inbox::said;
use crate::failure::Failure;
use crate::output::one_line;

/// Words the server's response.
pub(crate) fn outcome(reply: &Reply, verb: &str) -> Result<String, Failure> {
    let ask = reply.ask()?.shown;
    if reply.status == 202 {
        return Ok("taken as a late answer; the agent gets it as a message".to_owned());
    }
    let answer = said(&ask, &ask.answers);
    let doubt = match ask.certain {
        Some(false) => "\nnot certain yet: the agent's own terminal may have answered first",
        _ => "",
    };
    let counts = match (verb, ask.state.as_str()) {
        ("extend", _) => match ask.deadline.and_then(|deadline| deadline.ahead()) {
            Some(left) => format!("extended; {} left", askbridge_core::verdict::spoken(left)),
            None => "it waits for ever anyway".to_owned(),
        },
        ("undo", _) => "taken back; the ask is open again".to_owned(),
        (_, "proposed") => {
            let left = ask.undo_until.and_then(|until| until.ahead()).map(askbridge_core::verdict::spoken);
            let left = left.unwrap_or_else(|| "a moment".to_owned());
            format!("answered: {answer}\nfor {left} it can be taken back: `askbridge answer {} --undo`", ask.id)
        }
        (_, "dismissed") => "closed without an answer".to_owned(),
        (_, "open") => "counted; more people have to agree".to_owned(),
        (_, state) if answer.is_empty() => state.to_owned(),
        (_, state) => format!("{state}: {answer}"),
    };
    Ok(counts + doubt)
}

#[derive(Deserialize)]
struct Me {
    role: String,
}

/// Explains why an answer does not count, and what to do instead.
pub(crate) async fn refused(client: &Client, error: Error) -> Failure {
    let problem = match &error {
        Error::Refused(problem) => problem,
        _ => return error.into(),
    };
    match (problem.status, problem.code.as_str()) {
        (409, "already_decided") => {
            let Some(winner) = &problem.winner else { return error.into() };
            match &winner.by {
                Some(by) => {
                    Failure::new(format!("already decided by {}, {} ago", one_line(&by.to_string()), winner.at.ago()))
                }
                None => Failure::new(format!("it expired {} ago", winner.at.ago())),
            }
        }
        (403, _) if client.has_token() => {
            Failure::from(error).hint("a person's token comes from `askbridge pair --print-token`")
        }
        (403, _) => {
            let role = client.get("/v1/me").await.and_then(|reply| reply.json::<Me>()).map(|me| me.role);
            match role.as_deref() {
                Ok("agent") => {
                    Failure::new("an agent may ask but never decide, and neither may anything that it starts")
                        .hint("answer in a terminal of your own, or on a paired device")
                }
                Ok("local") => Failure::new("a script may ask but not decide, and there is no terminal here")
                    .hint("answer in a terminal, or give the script a person's token: `askbridge pair --print-token`"),
                _ => error.into(),
            }
        }
        _ => error.into(),
    }
}
