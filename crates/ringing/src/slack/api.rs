//! Calls of Slack's Web API, and what its responses mean. Slack answers most failures with status 200 and `"ok": false`.

use std::time::Duration;

use serde_json::{Value, json};
use url::Url;

use super::blocks::{closed_blocks, fallback, notice_blocks, pairing_blocks};
use super::envelope::Sender;
use super::modal::view;
use crate::channel::Slack;
use crate::clip::first_line;
use crate::notice::{Notice, Ticket};
use crate::wire::{Fate, Method, Request, Response};

/// Asks for the address of a Socket Mode connection. Each address is good for one connection.
pub fn open(slack: &Slack) -> Request {
    call(slack, "apps.connections.open", &slack.app_token, None)
}

/// Returns that address. Whether it may be called is checked where all addresses are.
pub fn opened(response: &Response<'_>) -> Result<String, Fate> {
    let answer = read(response)?;
    let url = answer.text("url").filter(|url| Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "wss" | "ws")));
    url.map(str::to_owned).ok_or_else(|| Fate::Refused { why: "Slack opened a connection without saying where".into() })
}

/// Asks whose the bot token is, to check it.
pub fn check(slack: &Slack) -> Request {
    call(slack, "auth.test", &slack.bot_token, None)
}

/// The workspace and the bot that a token belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The workspace's name, for people.
    pub name: String,
    /// The bot's user id.
    pub bot: String,
}

/// Returns whose the bot token is.
pub fn checked(response: &Response<'_>) -> Result<Workspace, Fate> {
    let answer = read(response)?;
    match (answer.text("team"), answer.text("user_id")) {
        (Some(name), Some(bot)) => Ok(Workspace { name: name.to_owned(), bot: bot.to_owned() }),
        _ => Err(Fate::Refused { why: "Slack accepts the bot token without saying whose it is".into() }),
    }
}

/// Posts a notice. Without a paired user there is nowhere to post it.
pub fn send(slack: &Slack, notice: &Notice) -> Option<Request> {
    let mut message = json!({"channel": slack.to.as_ref()?, "blocks": notice_blocks(notice)});
    with_fallback(&mut message, &fallback(&notice.title, &notice.body));
    Some(call(slack, "chat.postMessage", &slack.bot_token, Some(message)))
}

/// Posts the link by which the Slack user `to` becomes a person of ours, in a direct message that only they see.
pub fn pair(slack: &Slack, to: &str, url: &str) -> Request {
    let mut message = json!({"channel": to, "blocks": pairing_blocks(url)});
    with_fallback(&mut message, &fallback("askbridge", url));
    call(slack, "chat.postMessage", &slack.bot_token, Some(message))
}

/// Replaces a notice by one line, without buttons. `reference` is that of [`Fate::Sent`]; `None` if it is none of ours.
pub fn close(slack: &Slack, reference: &str, line: &str) -> Option<Request> {
    let (channel, ts) = reference.split_once(':')?;
    let mut message = json!({"channel": channel, "ts": ts, "blocks": closed_blocks(line)});
    with_fallback(&mut message, &fallback("", line));
    Some(call(slack, "chat.update", &slack.bot_token, Some(message)))
}

/// Opens a window in which the person answers in words. Slack takes it for three seconds after the tap that `trigger`
/// names. `question` is what the answer is to.
pub fn modal(slack: &Slack, trigger: &str, ticket: &Ticket, question: &str) -> Request {
    let body = json!({"trigger_id": trigger, "view": view(ticket, question)});
    call(slack, "views.open", &slack.bot_token, Some(body))
}

/// Tells a person something about their tap, in a message that only they see: that it came too late, for example.
/// `None` if Slack gave no address for it.
pub fn reply(sender: &Sender, line: &str) -> Option<Request> {
    let url = sender.response_url.clone().filter(|url| Url::parse(url).is_ok_and(|url| url.has_host()))?;
    let mut message = json!({"response_type": "ephemeral", "replace_original": false, "blocks": closed_blocks(line)});
    with_fallback(&mut message, &fallback("", line));
    let headers = vec![("content-type", JSON.to_owned())];
    Some(Request { method: Method::Post, url, headers, body: message.to_string().into_bytes() })
}

/// Reads the response to any call that sends or changes something.
pub fn sent(response: &Response<'_>) -> Fate {
    match read(response) {
        Ok(answer) => {
            let place = answer.text("channel").zip(answer.text("ts"));
            Fate::Sent { reference: place.map(|(channel, ts)| reference(channel, ts)) }
        }
        Err(fate) => fate,
    }
}

/// Names a message: its channel, as Slack told it, and its timestamp. A message to a user is in a channel of its own,
/// under which alone it can be changed.
pub(super) fn reference(channel: &str, ts: &str) -> String {
    format!("{channel}:{ts}")
}

const JSON: &str = "application/json; charset=utf-8";

fn call(slack: &Slack, method: &str, token: &str, body: Option<Value>) -> Request {
    let kind = if body.is_some() { JSON } else { "application/x-www-form-urlencoded" };
    Request {
        method: Method::Post,
        url: format!("{}/{method}", slack.api),
        headers: vec![("authorization", format!("Bearer {token}")), ("content-type", kind.to_owned())],
        body: body.map_or_else(Vec::new, |body| body.to_string().into_bytes()),
    }
}

/// Adds the text for notifications and screen readers. Slack looks for mentions and links in it unless told not to.
fn with_fallback(message: &mut Value, text: &str) {
    message["text"] = text.into();
    message["mrkdwn"] = false.into();
    message["parse"] = "none".into();
    message["link_names"] = false.into();
    message["unfurl_links"] = false.into();
    message["unfurl_media"] = false.into();
}

/// A response. A member of another type is read as absent, so that a change of one that we do not need breaks nothing.
struct Answer(Value);

impl Answer {
    fn is_ok(&self) -> bool {
        self.0["ok"] == true
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0[name].as_str()
    }
}

fn read(response: &Response<'_>) -> Result<Answer, Fate> {
    let Response { status, retry_after, body } = *response;
    let answer = serde_json::from_slice(body).ok().filter(|value: &Value| value["ok"].is_boolean()).map(Answer);
    match (status, answer) {
        (429 | 500.., _) => Err(Fate::Later { after: retry_after, why: format!("Slack answered {status}") }),
        (200..=299, Some(answer)) if answer.is_ok() => Ok(answer),
        (_, Some(answer)) => Err(refusal(&answer, retry_after)),
        // A reverse proxy or a captive portal, not Slack.
        (_, None) => {
            let said = first_line(body).map_or_else(String::new, |line| format!(": {line}"));
            Err(Fate::Refused { why: format!("this is not an answer of Slack ({status}){said}") })
        }
    }
}

/// Codes: <https://docs.slack.dev/reference/methods/chat.postMessage>, under errors.
fn refusal(answer: &Answer, after: Option<Duration>) -> Fate {
    let code = answer.text("error").unwrap_or_default();
    let quoted = first_line(code.as_bytes()).unwrap_or_else(|| "no reason".into());
    let why = match code {
        "ratelimited"
        | "rate_limited"
        | "message_limit_exceeded"
        | "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout"
        | "team_added_to_org"
        | "external_channel_migrating" => {
            return Fate::Later { after, why: format!("Slack asks to try later ({quoted})") };
        }
        "is_archived" => return Fate::Gone { why: "the Slack channel is archived".into() },
        "message_not_found" => return Fate::Gone { why: "the Slack message was deleted".into() },
        "user_not_found" | "users_not_found" | "user_disabled" => {
            return Fate::Gone { why: format!("the Slack user does not exist any longer ({quoted})") };
        }
        "invalid_auth"
        | "not_authed"
        | "token_revoked"
        | "token_expired"
        | "account_inactive"
        | "not_allowed_token_type" => {
            format!("Slack does not accept the token ({quoted}); copy it again from the app's settings")
        }
        "missing_scope" | "no_permission" => match answer.text("needed") {
            Some(needed) => format!(
                "the Slack app lacks the scope `{}`; add it and install the app again",
                first_line(needed.as_bytes()).unwrap_or_default()
            ),
            None => format!("the Slack app lacks a permission ({quoted})"),
        },
        "channel_not_found" | "not_in_channel" => {
            format!("Slack does not show the channel to the app ({quoted}); invite the app to it")
        }
        "expired_trigger_id" | "exchanged_trigger_id" => "the window came too late for the tap; tap again".into(),
        _ => match detail(answer) {
            Some(detail) => format!("Slack refused it ({quoted}): {detail}"),
            None => format!("Slack refused it ({quoted})"),
        },
    };
    Fate::Refused { why }
}

/// Says which block or argument is wrong, where Slack tells.
fn detail(answer: &Answer) -> Option<String> {
    let first = answer.0["response_metadata"]["messages"][0].as_str()?;
    first_line(first.as_bytes())
}

#[cfg(test)]
mod tests;
