//! Serves the documents and the pages about them, under a policy that loads nothing from elsewhere.

use std::sync::LazyLock;

use askbridge_peers::json::{CODES, Code};
use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use pulldown_cmark::{Parser, html};

use super::{asyncapi, openapi};
use crate::server::app::App;
use crate::server::problem::Trouble;

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Made on the first request, then kept: they cannot change while we run.
static OPENAPI: LazyLock<Bytes> = LazyLock::new(|| openapi().to_string().into());
static ASYNCAPI: LazyLock<Bytes> = LazyLock::new(|| asyncapi().to_string().into());

/// Adds the documents and pages to a router. They need no token: there are no secrets in them.
pub(in crate::server) fn mount(router: Router<App>) -> Router<App> {
    router
        .route("/v1/openapi.json", get(|| async { json(OPENAPI.clone()) }))
        .route("/v1/asyncapi.json", get(|| async { json(ASYNCAPI.clone()) }))
        .route("/docs/api", get(|| async { file("text/html; charset=utf-8", include_str!("api.html")) }))
        .route("/docs/api.js", get(|| async { file("text/javascript; charset=utf-8", include_str!("api.js")) }))
        .route("/docs/api.css", get(|| async { file("text/css; charset=utf-8", include_str!("api.css")) }))
        .route("/docs/errors", get(|| async { page("Errors", &list()) }))
        .route("/docs/errors/{code}", get(error))
}

/// A file of ours. The policy allows no script, style or frame from elsewhere.
fn file(kind: &'static str, text: impl IntoResponse) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, text).into_response()
}

fn json(document: Bytes) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-cache")];
    (headers, document).into_response()
}

/// The page about a code: what happened, why, what to try.
async fn error(Path(name): Path<String>) -> Result<Response, Trouble> {
    let code = Code::named(name.strip_suffix(".md").unwrap_or(&name));
    let code = code.ok_or_else(|| Trouble::new(404, "unknown_address", "there is no error of this name"))?;
    Ok(page(code.name, code.page))
}

fn list() -> String {
    let row = |code: &Code| format!("- `{}` [{}]({})\n", code.status, code.name, Code::address(code.name));
    format!(
        "# Errors\n\nEvery code that a refusal can carry. A code never changes.\n\n{}",
        CODES.iter().map(row).collect::<String>()
    )
}

/// Renders our own Markdown as a page. It is compiled in, so no text of others is ever shown here.
fn page(title: &str, markdown: &str) -> Response {
    let mut body = String::new();
    html::push_html(&mut body, Parser::new(markdown));
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · askbridge</title>\n<link rel=\"stylesheet\" href=\"/docs/api.css\">\n\
         <main class=\"page\">\n{body}\n<p><a href=\"/docs/errors\">All errors</a> · <a href=\"/docs/api\">The API</a></p>\n</main>\n</html>\n"
    );
    file("text/html; charset=utf-8", page)
}
