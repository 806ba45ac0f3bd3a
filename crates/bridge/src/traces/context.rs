//! Trace contexts: the `traceparent` header of <https://www.w3.org/TR/trace-context/>.

use axum::http::HeaderMap;

/// A span, as others refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Context {
    pub(super) trace: u128,
    pub(super) span: u64,
    /// The client that began the trace may have decided against recording it.
    pub(super) sampled: bool,
}

tokio::task_local! {
    static CURRENT: Context;
}

impl Context {
    /// Reads the header of a request. One that does not follow the recommendation is ignored.
    pub(super) fn given(headers: &HeaderMap) -> Option<Self> {
        let mut given = headers.get_all("traceparent").iter();
        let (Some(one), None) = (given.next(), given.next()) else { return None };
        Self::read(one.to_str().ok()?)
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut digits = |count: usize| {
            let part = parts.next().filter(|part| part.len() == count)?;
            let hex = part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            if hex { u128::from_str_radix(part, 16).ok() } else { None }
        };
        let (version, trace, span, flags) = (digits(2)?, digits(32)?, digits(16)?, digits(2)?);
        // A later version may have more fields at the end; version 0 may not.
        let known = version != 0xff && (version != 0 || parts.next().is_none());
        let span = u64::try_from(span).ok()?;
        (known && trace != 0 && span != 0).then_some(Self { trace, span, sampled: flags & 1 == 1 })
    }

    /// The request that this task is answering, if it is traced.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(|context| *context).ok()
    }

    /// Runs `work` as a part of this span.
    pub(crate) async fn within<F: Future>(self, work: F) -> F::Output {
        CURRENT.scope(self, work).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn a_trace_that_came_with_a_request_is_read() {
        let read = Context::read(&format!("00-{TRACE}-{SPAN}-01")).unwrap();
        assert_eq!((format!("{:032x}", read.trace), format!("{:016x}", read.span)), (TRACE.into(), SPAN.into()));
        assert!(read.sampled);
        assert!(!Context::read(&format!("00-{TRACE}-{SPAN}-02")).unwrap().sampled);
        assert!(Context::read(&format!("cc-{TRACE}-{SPAN}-01-what-the-future-brings")).is_some());
    }

    #[test]
    fn what_is_not_as_the_recommendation_wants_it_begins_a_trace_of_its_own() {
        let zeros = "0".repeat(32);
        for text in [
            String::new(),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{zeros}-{SPAN}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-+{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{TRACE}-{SPAN}-1"),
        ] {
            assert_eq!(Context::read(&text), None, "{text}");
        }
        let mut twice = HeaderMap::new();
        for _ in 0..2 {
            twice.append("traceparent", format!("00-{TRACE}-{SPAN}-01").parse().unwrap());
        }
        assert_eq!(Context::given(&twice), None);
    }
}
