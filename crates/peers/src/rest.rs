//! Helpers for HTTP requests and responses, shared by the languages of other systems.

use percent_encoding::percent_decode_str;
use serde::Serialize;

use crate::peer::{Frame, Outbox, Resp};

/// Responds with JSON.
pub fn json(out: &mut Outbox, status: u16, body: &impl Serialize) {
    let body = serde_json::to_vec(body).expect("a body has text keys");
    let resp = Resp { status, content_type: "application/json", headers: Vec::new(), body: body.into(), open: false };
    out.frames.push(Frame::Response(resp));
}

/// Responds with JSON and sets cookies.
pub fn json_with_cookies(out: &mut Outbox, cookies: impl IntoIterator<Item = String>, body: &impl Serialize) {
    json(out, 200, body);
    if let Some(Frame::Response(resp)) = out.frames.last_mut() {
        resp.headers.extend(cookies.into_iter().map(|cookie| ("set-cookie", cookie)));
    }
}

/// Responds with an error in FastAPI's form.
pub fn detail(out: &mut Outbox, status: u16, detail: &str) {
    json(out, status, &serde_json::json!({"detail": detail}));
}

/// Finds a value in a query string or form, decoded.
pub fn value(pairs: &str, name: &str) -> Option<String> {
    let mut pairs = pairs.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.find(|(known, _)| decoded(known) == name).map(|(_, value)| decoded(value))
}

/// Finds all values of a name that may occur several times.
pub fn values(pairs: &str, name: &str) -> Vec<String> {
    let pairs = pairs.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(known, _)| decoded(known) == name).map(|(_, value)| decoded(value)).collect()
}

/// Decodes a form value.
fn decoded(text: &str) -> String {
    unescaped(&text.replace('+', " "))
}

/// Decodes `%41`. Anything not of that form stays as it is.
pub fn unescaped(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_as_browsers_write_them() {
        let form = "username=ada%40x&password=a+b%2Bc&flag&odd=100%";
        assert_eq!(value(form, "username").as_deref(), Some("ada@x"));
        assert_eq!(value(form, "password").as_deref(), Some("a b+c"));
        assert_eq!(value(form, "flag").as_deref(), Some(""));
        assert_eq!(value(form, "odd").as_deref(), Some("100%"));
        assert_eq!(value(form, "user"), None);
    }
}
