//! Finds the ask that is to be answered.

use super::prompt::Prompt;
use crate::client::{Ask, Client};
use crate::commands::inbox::{headline, matches, short_ids};
use crate::failure::Failure;

/// Finds an ask by a typed prefix, or the only open one, or lets the person choose.
pub(crate) async fn find(client: &Client, typed: Option<&str>, prompt: &mut Prompt) -> Result<Ask, Failure> {
    let Some(typed) = typed else {
        let open = client.asks("open").await?;
        return choose(open, prompt);
    };
    if let Some(ask) = client.ask(typed).await.ok().flatten() {
        return Ok(ask);
    }
    // Open asks first, then those that take a late answer, then closed ones: the server says why those are too late.
    for state in ["open", "late", "over"] {
        let mut found = client.asks(state).await?;
        found.retain(|ask| matches(typed, &ask.shown.id));
        match found.len() {
            0 => {}
            1 => return Ok(found.remove(0)),
            _ => {
                let hint = format!("it could be:\n{}", list(&found));
                return Err(Failure::new(format!("`{typed}` begins more than one id")).hint(hint));
            }
        }
    }
    Err(Failure::new(format!("no ask begins with `{typed}`")).hint("see what is open with `askbridge inbox`"))
}

fn choose(mut open: Vec<Ask>, prompt: &mut Prompt) -> Result<Ask, Failure> {
    match open.len() {
        0 => Err(Failure::new("nothing waits for an answer")),
        1 => Ok(open.remove(0)),
        several if prompt.is_possible() => {
            let ids = short_ids(open.iter().map(|ask| ask.shown.id.as_str()));
            for (place, (ask, id)) in open.iter().zip(&ids).enumerate() {
                prompt.say(&format!("  {}. {id}  {}", place + 1, headline(&ask.shown)));
            }
            let place = prompt.number("Which one?", several)?.ok_or_else(|| Failure::new("nothing was sent"))?;
            prompt.say("");
            Ok(open.swap_remove(place))
        }
        several => {
            let hint = format!("name one:\n{}", list(&open));
            Err(Failure::usage(format!("{several} asks wait for an answer")).hint(hint))
        }
    }
}

fn list(asks: &[Ask]) -> String {
    let ids = short_ids(asks.iter().map(|ask| ask.shown.id.as_str()));
    let lines = asks.iter().zip(ids).map(|(ask, id)| format!("  {id}  {}", headline(&ask.shown)));
    lines.collect::<Vec<_>>().join("\n")
}
