//! Traces for an OpenTelemetry collector: a span for each request, and one for each ask from asking to its end. Off
//! unless a collector is configured. Spans hold times, routes, ids and outcomes; never a text, a token or a person.
//!
//! - `context` says which trace something belongs to, `span` is a finished span.
//! - `requests` and `asks` make spans; without a collector, both cost one atomic load.
//! - `exporter` sends them, encoded by `otlp`, to the `collector`. Between them is a bounded queue, so a collector that
//!   is slow or down costs spans and nothing else.
//!
//! Our own, because the official crates bring a runtime of their own, protobuf and an HTTP client for what is one
//! request with a page of JSON.

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
