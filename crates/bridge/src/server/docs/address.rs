//! An address of the API: its route, its handler and its description.

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};

use super::operation::Operation;
use crate::server::app::App;

pub(in crate::server) struct Address {
    pub(super) method: &'static str,
    pub(in crate::server) path: &'static str,
    pub(in crate::server) answers: MethodRouter<App>,
    pub(super) describe: fn(&mut Operation<'_>),
}

/// Joins a handler and its description, so that no address goes without.
pub(in crate::server) fn at<H, T>(
    method: &'static str,
    path: &'static str,
    handler: H,
    describe: fn(&mut Operation<'_>),
) -> Address
where
    H: Handler<T, App>,
    T: 'static,
{
    let filter = match method {
        "POST" => MethodFilter::POST,
        "DELETE" => MethodFilter::DELETE,
        _ => MethodFilter::GET,
    };
    Address { method, path, answers: on(filter, handler), describe }
}
