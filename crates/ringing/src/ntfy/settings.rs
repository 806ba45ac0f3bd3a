//! Checks the settings of a channel, and finds out whether the server accepts them, without ringing.

use serde::Deserialize;
use serde_json::json;
use url::{Host, Url};

use super::publish::{NOT_NTFY, Problem, Published, authorization, root, why};
use crate::address::{segment, web};
use crate::channel::Ntfy;
use crate::wire::{Method, Request, Response};

/// The names that a server allows for a topic have no more characters.
const TOPIC_CHARS_MAX: usize = 64;
/// The only server that anyone can use, and where anyone who knows a topic's name can read it.
const PUBLIC: &str = "ntfy.sh";

/// "cannot disable cache for delayed message", "delay too small": the reasons for which [`rehearsal`] is refused.
const REHEARSED: [u32; 2] = [40002, 40005];

/// Returns what is wrong with the settings themselves, before anything is sent.
pub fn problem(ntfy: &Ntfy) -> Option<String> {
    let Ntfy { server, topic, token, reply_topic } = ntfy;
    let Some(url) = web(server) else {
        return Some(format!("`{server}` is not an address such as https://ntfy.example.org"));
    };
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        // ntfy cannot be served below a path.
        return Some("the server's address ends after its name and port".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("the server's address has a password in it; use an access token".to_owned());
    }
    for name in [topic, reply_topic] {
        if !is_topic(name) {
            return Some(format!("`{name}` is not a topic: letters, digits, `-` and `_`, at most {TOPIC_CHARS_MAX}"));
        }
    }
    if topic == reply_topic {
        return Some("the replies need a topic of their own".to_owned());
    }
    let is_token = |token: &str| !token.is_empty() && token.chars().all(|char| char.is_ascii_graphic());
    if token.as_deref().is_some_and(|token| !is_token(token)) {
        return Some("the access token has characters that no token has".to_owned());
    }
    None
}

fn is_topic(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=TOPIC_CHARS_MAX).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Is this the server that everyone shares? If the address cannot be read, it counts as that.
pub fn is_public(ntfy: &Ntfy) -> bool {
    let url = Url::parse(&ntfy.server).ok();
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == PUBLIC || name.strip_suffix(PUBLIC).is_some_and(|sub| sub.ends_with('.'))
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => false,
        None => true,
    }
}

/// Asks whether we may publish to the topic. Read the response with [`checked`].
pub fn check(ntfy: &Ntfy) -> Request {
    let mut headers = authorization(ntfy);
    headers.push(("content-type", "application/json".to_owned()));
    rehearsal(ntfy, &ntfy.topic, headers)
}

/// Asks whether we may read the topic, which publishes nothing. A server without accounts says yes to everyone. If it
/// says no, or does not know the question, [`check`] finds out whether we may publish.
pub fn check_reading(ntfy: &Ntfy) -> Request {
    let url = format!("{}/{}/auth", root(ntfy), segment(&ntfy.topic, &[]));
    Request { method: Method::Get, url, headers: authorization(ntfy), body: Vec::new() }
}

/// Asks whether we may read the reply topic.
pub fn check_replies(ntfy: &Ntfy) -> Request {
    let url = format!("{}/{}/auth", root(ntfy), segment(&ntfy.reply_topic, &[]));
    Request { method: Method::Get, url, headers: authorization(ntfy), body: Vec::new() }
}

/// Asks whether a phone may post to the reply topic, which it does without an account. If not, [`allow_buttons`] is what
/// the server's operator types.
pub fn check_buttons(ntfy: &Ntfy) -> Request {
    rehearsal(ntfy, &ntfy.reply_topic, vec![("content-type", "application/json".to_owned())])
}

/// The command on the ntfy server that lets phones post to the reply topic, and not read it.
pub fn allow_buttons(ntfy: &Ntfy) -> String {
    let topic: String = ntfy.reply_topic.chars().filter(|char| is_topic(char.encode_utf8(&mut [0; 4]))).collect();
    format!("ntfy access everyone {topic} write-only")
}

/// A message that the server refuses after it has checked the token and the right to publish, and before it counts or
/// publishes anything: it is to be kept for later, and not to be kept, and for less time than is allowed.
fn rehearsal(ntfy: &Ntfy, topic: &str, headers: Vec<(&'static str, String)>) -> Request {
    let message = json!({
        "topic": topic, "message": "askbridge checks its settings", "priority": 1, "delay": "1s", "cache": "no",
    });
    Request { method: Method::Post, url: format!("{}/", root(ntfy)), headers, body: message.to_string().into_bytes() }
}

/// Reads the response to one of the checks. The error is the reason that the server gave.
pub fn checked(response: &Response<'_>) -> Result<(), String> {
    match response.status {
        200..=299 => {
            let may_read = serde_json::from_slice::<Allowed>(response.body).is_ok_and(|allowed| allowed.success);
            let did_publish = serde_json::from_slice::<Published>(response.body).is_ok();
            if may_read || did_publish { Ok(()) } else { Err(NOT_NTFY.to_owned()) }
        }
        400 => match serde_json::from_slice::<Problem>(response.body) {
            Ok(problem) if REHEARSED.contains(&problem.code) => Ok(()),
            _ => Err(why(response)),
        },
        _ => Err(why(response)),
    }
}

#[derive(Deserialize)]
struct Allowed {
    success: bool,
}
