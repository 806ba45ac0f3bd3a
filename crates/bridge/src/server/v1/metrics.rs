//! `GET /metrics`: the metrics, for Prometheus. For this machine and for operators.

use askbridge_peers::wish::Rejection;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

use crate::auth::Caller;
use crate::meters::{CONTENT_TYPE, page};
use crate::runtime::Right;
use crate::server::app::App;
use crate::server::docs::Operation;
use crate::server::identify::{Remote, address_of};
use crate::server::problem::Trouble;
use crate::server::way_in::{is_direct, is_passed_on};

pub(crate) async fn show(
    State(app): State<App>,
    remote: Option<Extension<Remote>>,
    headers: HeaderMap,
    caller: Result<Caller, Trouble>,
) -> Result<Response, Trouble> {
    let is_near = match remote {
        Some(Extension(Remote::Local(_))) => !is_passed_on(&headers),
        remote => is_direct(&app.origins, address_of(remote.as_ref().map(|it| &it.0)), &headers),
    };
    if !is_near {
        app.handle.check(&caller?, Right::ShowMetrics)?;
    }
    let _alone = app.looking.lock().await;
    let (handle, connections, version) = (app.handle.clone(), app.connections(), app.version);
    let space = handle.store().space().await.ok().flatten();
    let until = app.tls().map(|tls| tls.valid_until());
    let text = tokio::task::spawn_blocking(move || page(&handle, connections, space, until, version)).await;
    let text = text.map_err(|_| Rejection::Down("the metrics could not be written".to_owned()))?;
    let headers = [(header::CONTENT_TYPE, CONTENT_TYPE), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, text).into_response())
}

pub(crate) fn show_doc(op: &mut Operation<'_>) {
    op.is("metrics", "Server", "Shows how the server is doing, as Prometheus reads it.")
        .text("*Anybody on this machine, operators, the token file; where a proxy's name is configured, not without a token over TCP.* Text, not JSON.")
        .open_to_all()
        .streams(200, CONTENT_TYPE, "The figures.")
        .refuses(&["unauthorized", "forbidden"]);
}
