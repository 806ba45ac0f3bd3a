//! Calls to somebody outside, on behalf of whoever reads them there.

use askbridge_core::ids::SessionId;
use askbridge_peers::wish::{Call, Called, Receipt, Rejection};
use tracing::debug;

use super::app::App;
use crate::auth::{Action, Caller, Role};
use crate::runtime::chain;

/// Calls, if the caller may and the reader may know of it. Where it goes is never logged: the address may be a secret.
pub(super) async fn call(app: &App, caller: &Caller, call: Call) -> Result<Receipt, Rejection> {
    if matches!(caller.role, Role::Agent | Role::Bot) {
        return Err(Rejection::Forbidden(
            "an agent asks, and people are told of that; it calls nobody itself".to_owned(),
        ));
    }
    let outbound = app.outbound().ok_or_else(|| Rejection::Down("this askbridge calls nobody".to_owned()))?;
    if !may_read(app, &call.reader, call.about) {
        return Err(Rejection::Forbidden("nobody who may read this has that device any more".to_owned()));
    }
    match outbound.post(&call.url, call.body.as_str().to_owned()).await {
        Ok(answered) => {
            let called = Called { status: answered.status, body: String::from_utf8_lossy(&answered.body).into_owned() };
            Ok(Receipt { called: Some(Box::new(called)), ..Receipt::default() })
        }
        Err(failed) => {
            debug!(error = chain(&failed), "Could not call somebody outside");
            Err(Rejection::Down(failed.to_string()))
        }
    }
}

/// Is there still somebody of this name, and may they see that?
fn may_read(app: &App, reader: &str, about: Option<SessionId>) -> bool {
    let loopback = app.speaking().and_then(|speaking| speaking.loopback.clone());
    let mut known = app.tokens.people(reader).into_iter().chain(loopback.filter(|caller| *caller.name == *reader));
    known.any(|person| about.is_none_or(|session| app.handle.guarded(&person, Action::See, session).is_ok()))
}
