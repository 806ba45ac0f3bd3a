//! The API's own documents: OpenAPI and AsyncAPI, made from the types that are read and written, a page to read them,
//! and a page for every code of a refusal.

mod address;
mod asyncapi;
mod openapi;
mod operation;
mod pages;
mod schemas;

pub(super) use address::{Address, at};
pub(crate) use operation::Operation;
pub(super) use pages::mount;

use serde_json::Value;

/// Returns the HTTP API as OpenAPI 3.1.
pub fn openapi() -> Value {
    openapi::document(&super::router::addresses())
}

/// Returns the WebSocket as AsyncAPI 3.
pub fn asyncapi() -> Value {
    asyncapi::document()
}
