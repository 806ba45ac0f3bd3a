//! What happened, for a collector that speaks OpenTelemetry: a span for each request, and one for each ask from asking to
//! its end. Off unless somebody names a collector. Times, routes, ids and outcomes; never a text, a token or a person.
//!
//! - `context` is which trace something belongs to, `span` a finished piece of one.
//! - `requests` and `asks` make spans; both are one look at an empty place while nobody listens.
//! - `exporter` hands them over, as `otlp` writes them, to the `collector`. A bounded queue lies in between: a collector
//!   that is slow or gone costs spans and nothing else.
//!
//! Our own, because the official crates bring a runtime of their own, protobuf and an HTTP client for what is one request
//! with a page of JSON.

mod asks;
mod collector;
mod context;
mod exporter;
mod otlp;
mod requests;
mod span;
mod tracer;

pub use collector::Collector;
pub(crate) use context::Context;
pub use exporter::Telling;
pub(crate) use otlp::Resource;
pub(crate) use tracer::{Tracer, tracer};
