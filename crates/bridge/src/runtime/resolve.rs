//! Finds the ask that a reference means.

use askbridge_core::ids::AskId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::wish::{AskRef, Rejection};

use super::handle::Handle;

impl Handle {
    pub(crate) async fn resolve(&self, ask: AskRef) -> Result<AskId, Rejection> {
        let (session, found) = match ask {
            AskRef::Id(id) => return Ok(id),
            AskRef::Call(session, call) => {
                let found = self.look(session, |state| {
                    let asks = state.session.asks.values().filter(|live| live.ask.call.as_ref() == Some(&call));
                    asks.map(|live| live.ask.id).collect::<Vec<_>>()
                });
                (session, found.await?)
            }
            AskRef::OnlyOpen(session, kind) => {
                let found = self.look(session, |state| {
                    let open = state.session.open().filter(|live| live.ask.body.kind() == kind);
                    open.map(|live| live.ask.id).collect::<Vec<_>>()
                });
                (session, found.await?)
            }
        };
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(Rejection::Refused(Refusal::UnknownAsk(AskId { session, number: 0 }))),
            _ => {
                let why = "more than one ask is open here; say which one is meant".to_owned();
                Err(Rejection::Refused(Refusal::BadRequest(why)))
            }
        }
    }
}
