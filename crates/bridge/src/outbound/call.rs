//! A call, and the answer to it.

use std::fmt;
use std::time::Duration;

use askbridge_core::limits;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Uri};
use bytes::Bytes;

/// A request to an outside server.
#[derive(Clone)]
pub struct Call {
    pub method: Method,
    pub url: String,
    /// Beside `Host` and those that say how long the body is. Without a `User-Agent` among them, ours is sent.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
    /// How long the call may take; [`limits::OUTBOUND_PATIENCE_MAX`] at most. `None`: as long as all others.
    pub patience: Option<Duration>,
    /// Did an operator name exactly this address, as a server of their own? Then it may be private without being listed
    /// in `outbound.private`. Never true for an address that came from a client or from another server.
    pub named_by_operator: bool,
}

impl Call {
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        let (headers, body) = (Vec::new(), Bytes::new());
        Self { method, url: url.into(), headers, body, patience: None, named_by_operator: false }
    }

    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// Posts JSON.
    pub fn post(url: impl Into<String>, json: impl Into<Bytes>) -> Self {
        let call = Self { body: json.into(), ..Self::new(Method::POST, url) };
        call.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Without the path, the headers and the body, which may be secrets.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = self.url.parse::<Uri>().ok();
        let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
        let mut shown = f.debug_struct("Call");
        shown.field("method", &self.method).field("host", &host).field("patience", &self.patience);
        shown.field("named_by_operator", &self.named_by_operator).finish_non_exhaustive()
    }
}

/// The response. A redirect is a response like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answered {
    /// How long the server asks us to wait before the next call. `None`: it does not say.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers)
    }
}

/// Reads `Retry-After`: seconds, or a date. A date is compared with the response's own `Date`, so that a difference
/// between the two machines' clocks does not matter.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let wait = text(header::RETRY_AFTER)?;
    let wait = if !wait.is_empty() && wait.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit into a number mean "very long".
        wait.parse().map_or(Duration::MAX, Duration::from_secs)
    } else {
        let date = |text| httpdate::parse_http_date(text).ok();
        let (until, now) = (date(wait)?, date(text(header::DATE)?)?);
        until.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(limits::OUTBOUND_RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_read_as_seconds_or_as_a_date_and_is_bounded() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        for (wait, now, expected) in [
            ("30", None, Some(Duration::from_secs(30))),
            (" 0 ", None, Some(Duration::ZERO)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", Some(date), Some(Duration::from_secs(30))),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(date), Some(Duration::ZERO)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", None, None),
            ("99999999999999999999999999", None, Some(limits::OUTBOUND_RETRY_AFTER_MAX)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(date), Some(limits::OUTBOUND_RETRY_AFTER_MAX)),
            ("-1", Some(date), None),
            ("soon", Some(date), None),
            ("", Some(date), None),
        ] {
            let mut headers = HeaderMap::from_iter([(header::RETRY_AFTER, HeaderValue::from_static(wait))]);
            headers.extend(now.map(|now| (header::DATE, HeaderValue::from_static(now))));
            assert_eq!(retry_after(&headers), expected, "{wait}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn what_is_shown_of_a_call_holds_no_secret() {
        let call = Call::post("https://api.telegram.org/bot1:secret/getMe", "secret");
        let call = call.header(header::AUTHORIZATION, HeaderValue::from_static("Bearer secret"));
        let shown = format!("{call:?}");
        assert!(shown.contains("api.telegram.org") && !shown.contains("secret"), "{shown}");
    }
}
