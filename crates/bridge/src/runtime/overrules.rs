//! Lets a denied call run once, after a person overruled the denial.
//!
//! The overrule is the ask itself, as the session holds it: no second store that could disagree with the journal. It is
//! bound to the session, the tool, the digest of the input and the folder, and the use is recorded before the agent
//! hears of it.

use askbridge_core::ids::{AskId, CallId, SessionId};
use askbridge_core::intent::Intent;
use askbridge_core::rules::asks::Call;
use askbridge_peers::tools::{ToolCall, asked_about};
use askbridge_peers::wish::Rejection;
use askbridge_policy::JsonCall;
use tracing::info;

use super::handle::Handle;

impl Handle {
    /// Returns the ask by which this call may run. The same call, by its id, may ask again.
    pub(crate) async fn use_overrule(
        &self,
        session: SessionId,
        call: &ToolCall,
        folder: Option<&str>,
    ) -> Result<Option<AskId>, Rejection> {
        let Some(id) = call.id.as_deref().map(CallId::from) else { return Ok(None) };
        // A denied call that is heard again after a restart is not the one that is made again.
        let itself = CallId::from(asked_about(id.as_str()));
        let now = self.clock.now();
        let candidates = self.look(session, |state| {
            let asks = state.session.asks.values().filter(|live| live.ask.call.as_ref() != Some(&itself));
            let asks = asks.filter(|live| live.lets_through(&id, now));
            asks.map(|live| live.ask.clone()).collect::<Vec<_>>()
        });
        let candidates = candidates.await?;
        if candidates.is_empty() {
            return Ok(None);
        }
        let Some(digest) = JsonCall::new(&call.tool, call.input.as_str()).digest() else { return Ok(None) };
        for ask in candidates {
            let Some(denied) = ask.body.denied() else { continue };
            let is_same = denied.tool == call.tool
                && ask.context.folder.as_deref() == folder
                && JsonCall::from(denied).digest().as_ref() == Some(&digest);
            if !is_same {
                continue;
            }
            match self.submit(session, vec![Intent::UseOverrule { ask: ask.id, call: id.clone() }]).await {
                Ok(_) => {
                    info!(ask.id = %ask.id, "A denied call runs, because a person overruled the denial");
                    return Ok(Some(ask.id));
                }
                // Another call was faster.
                Err(Rejection::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}
