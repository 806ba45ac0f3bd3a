//! A span for each request, with the attributes of <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>.
//!
//! It ends with the head of the response, so for a stream or a socket it covers the beginning only. Left out of the
//! conventions on purpose: the query, which may hold tokens, and paths that give access by themselves (a preview's is a
//! key).

use axum::extract::{MatchedPath, Request};
use axum::http::{Method, Version};

use super::context::Context;
use super::span::{Kind, Span, Value};
use super::tracer::Tracer;

/// Routes whose last segment is an id and no secret.
const ID_PATHS: [&str; 2] = ["/v1/asks/", "/v1/sessions/"];

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct Begun(Span);

impl Tracer {
    /// Boxed, so that requests that are not traced carry no space for it.
    pub(crate) fn begin(&self, request: &Request) -> Box<Begun> {
        let given = Context::given(request.headers());
        let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let (method, known) = match *request.method() {
            Method::GET => ("GET", true),
            Method::POST => ("POST", true),
            Method::DELETE => ("DELETE", true),
            Method::PUT => ("PUT", true),
            Method::PATCH => ("PATCH", true),
            Method::HEAD => ("HEAD", true),
            Method::OPTIONS => ("OPTIONS", true),
            Method::TRACE => ("TRACE", true),
            Method::CONNECT => ("CONNECT", true),
            _ => ("_OTHER", false),
        };
        let named = if known { method } else { "HTTP" };
        let mut span = Span {
            context: self.below(given),
            parent: given.map(|given| given.span),
            link: None,
            name: route.map_or(named.into(), |route| format!("{named} {route}").into()),
            kind: Kind::Server,
            began: self.clock.nanos(),
            ended: 0,
            failed: false,
            attributes: Vec::with_capacity(8),
        };
        span.say("http.request.method", method);
        span.say("url.scheme", "http");
        if let Some(route) = route {
            let path = request.uri().path();
            let shown = !route.contains('{') || ID_PATHS.iter().any(|open| route.starts_with(open));
            span.say("url.path", if shown { path } else { route }.to_owned());
            span.say("http.route", route.to_owned());
        }
        let version = match request.version() {
            Version::HTTP_10 => "1.0",
            Version::HTTP_2 => "2",
            _ => "1.1",
        };
        span.say("network.protocol.version", version);
        Box::new(Begun(span))
    }

    /// Called when the head of the response is ready.
    pub(crate) fn end(&self, begun: Begun, status: u16, refused: Option<&'static str>) {
        let mut span = begun.0;
        span.ended = self.clock.nanos();
        span.attributes.push(("http.response.status_code", Value::Number(status.into())));
        if let Some(code) = refused {
            span.say("askbridge.refusal", code);
        }
        if status >= 500 {
            span.failed = true;
            span.say("error.type", refused.map_or_else(|| status.to_string().into(), std::borrow::Cow::Borrowed));
        }
        self.keep(span);
    }
}

impl Begun {
    pub(crate) fn context(&self) -> Context {
        self.0.context
    }
}
