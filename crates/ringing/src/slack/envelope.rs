//! What arrives over a Socket Mode connection. Slack wants each envelope acknowledged within three seconds, so the
//! acknowledgement is sent first and the decision follows apart.

use serde_json::{Value, json};

use super::api::reference;
use super::blocks::{CHOICE, DECIDE, DONE, PICK, WORDS};
use crate::channel::Slack;
use crate::notice::Ticket;

const TICKET_BYTES_MAX: usize = 40;

/// One message of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// What to send back at once.
    pub ack: Option<String>,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The connection is ready.
    Hello,
    /// Slack is about to close the connection: open another one.
    Refresh,
    /// Socket Mode was switched off in the app's settings: another connection would fail.
    Disabled,
    /// A person chose something.
    Tap(Tap),
    /// A person wants to answer in words: open [`super::modal()`] for this ticket.
    WantsWords { ticket: Ticket, sender: Sender },
    /// A person wrote an answer.
    Words { ticket: Ticket, text: String, sender: Sender },
    /// A slash command, to which the app may answer with [`super::pair`].
    Command { name: String, text: String, sender: Sender },
    /// Nothing for us: a message in a channel, a toggled box, a link that was opened, or something that we cannot read.
    Other,
}

/// A decision by button or menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tap {
    pub ticket: Ticket,
    /// The tickets of the boxes that were ticked, if several could be chosen.
    pub chosen: Vec<Ticket>,
    pub sender: Sender,
}

/// Who did it, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// The Slack user's id.
    pub user: String,
    pub channel: Option<String>,
    /// The timestamp of the message that the button is on.
    pub message: Option<String>,
    /// Opens a window within three seconds.
    pub trigger: Option<String>,
    /// Takes a reply to this person for half an hour.
    pub response_url: Option<String>,
}

impl Sender {
    /// Names the message as [`crate::wire::Fate::Sent`] does, to close it.
    pub fn reference(&self) -> Option<String> {
        Some(reference(self.channel.as_ref()?, self.message.as_ref()?))
    }

    /// Is this the Slack user to whom the channel is bound? In a shared channel others see the same buttons.
    pub fn is_bound(&self, slack: &Slack) -> bool {
        slack.user.as_deref().is_some_and(|user| user == self.user)
    }
}

/// Reads one message of the connection.
pub fn envelope(text: &str) -> Envelope {
    let read = serde_json::from_str::<Value>(text).unwrap_or_default();
    let payload = &read["payload"];
    let what = match (read["type"].as_str(), read["reason"].as_str()) {
        (Some("hello"), _) => What::Hello,
        (Some("disconnect"), Some("link_disabled")) => What::Disabled,
        (Some("disconnect"), _) => What::Refresh,
        (Some("interactive"), _) => interaction(payload).unwrap_or(What::Other),
        (Some("slash_commands"), _) => command(payload).unwrap_or(What::Other),
        _ => What::Other,
    };
    let blank = matches!(&what, What::Words { text, .. } if text.trim().is_empty());
    let ack = read["envelope_id"].as_str().map(|id| match blank {
        // Keeps the window open, with this sentence below the field.
        true => {
            let errors = json!({"response_action": "errors", "errors": {WORDS: "Write an answer first."}});
            json!({"envelope_id": id, "payload": errors}).to_string()
        }
        false => json!({"envelope_id": id}).to_string(),
    });
    Envelope { ack, what: if blank { What::Other } else { what } }
}

fn interaction(payload: &Value) -> Option<What> {
    let sender = sender(payload)?;
    match payload["type"].as_str()? {
        // Slack sends one action per message.
        "block_actions" => tap(&payload["actions"][0], &payload["state"]["values"], sender),
        "view_submission" => {
            let view = &payload["view"];
            if view["callback_id"] != WORDS {
                return None;
            }
            let text = view["state"]["values"][WORDS][WORDS]["value"].as_str().unwrap_or_default().to_owned();
            Some(What::Words { ticket: ticket(&view["private_metadata"])?, text, sender })
        }
        _ => None,
    }
}

fn tap(action: &Value, state: &Value, sender: Sender) -> Option<What> {
    let decided =
        |value: &Value, chosen: Vec<Ticket>, sender| Some(What::Tap(Tap { ticket: ticket(value)?, chosen, sender }));
    match action["action_id"].as_str()? {
        WORDS => Some(What::WantsWords { ticket: ticket(&action["value"])?, sender }),
        PICK => decided(&action["selected_option"]["value"], Vec::new(), sender),
        DONE => {
            let chosen = state[CHOICE][CHOICE]["selected_options"].as_array().map_or(&[][..], Vec::as_slice);
            // One that cannot be read is not skipped: the person chose more than the rest.
            let chosen = chosen.iter().map(|option| ticket(&option["value"])).collect::<Option<_>>()?;
            decided(&action["value"], chosen, sender)
        }
        name if name.starts_with(DECIDE) => decided(&action["value"], Vec::new(), sender),
        _ => None,
    }
}

fn command(payload: &Value) -> Option<What> {
    let word = |name: &str| payload[name].as_str().map(str::to_owned);
    let sender = Sender {
        user: word("user_id")?,
        channel: word("channel_id"),
        message: None,
        trigger: word("trigger_id"),
        response_url: word("response_url"),
    };
    Some(What::Command { name: word("command")?, text: word("text").unwrap_or_default(), sender })
}

fn sender(payload: &Value) -> Option<Sender> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let container = &payload["container"];
    Some(Sender {
        user: word(&payload["user"]["id"])?,
        channel: word(&payload["channel"]["id"]).or_else(|| word(&container["channel_id"])),
        message: word(&payload["message"]["ts"]).or_else(|| word(&container["message_ts"])),
        trigger: word(&payload["trigger_id"]),
        response_url: word(&payload["response_url"]),
    })
}

/// Reads a ticket. What does not look like one of ours is not looked up.
fn ticket(value: &Value) -> Option<Ticket> {
    let text = value.as_str()?;
    let fits = (1..=TICKET_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fits.then(|| Ticket(text.to_owned()))
}

#[cfg(test)]
mod tests;
