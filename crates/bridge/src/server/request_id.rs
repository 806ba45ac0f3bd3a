//! Request ids, by which a response can be matched with the log.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::runtime::Handle;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Bytes of an id that a client or a proxy sends. Beyond, or with anything but letters, digits and `-_.`: it is
/// ignored.
const BYTES_MAX: usize = 128;

static MADE: AtomicU64 = AtomicU64::new(0);

/// Returns the id that came with a request.
pub(crate) fn given(headers: &HeaderMap) -> Option<HeaderValue> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let fits = |id: &&HeaderValue| (1..=BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(plain);
    headers.get(REQUEST_ID).filter(fits).cloned()
}

/// Makes an id of this node's run id and a number.
pub(crate) fn fresh(handle: &Handle) -> HeaderValue {
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let text = format!("{:016x}-{number:x}", handle.node.0);
    HeaderValue::from_str(&text).expect("digits and a dash are a header")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_could_forge_a_log_line_is_ignored() {
        let of = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_str(text).unwrap());
            given(&headers).is_some()
        };
        assert!(of("0af7651916cd43dd-8448.eb_1"));
        assert!(!of("a b") && !of("x\"y") && !of("") && !of(&"x".repeat(129)));
    }
}
