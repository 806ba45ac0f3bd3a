//! Frames → events. What is no frame of the protocol is passed over, as the plugin does with ours.

use super::peer::Whimmy;
use super::wire::{Envelope, Told};
use crate::peer::Cx;

impl Whimmy {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) {
        let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else { return };
        // Until we know whose it is, nothing can be done about it. That is known before anything is heard.
        if self.account.is_none() {
            return;
        }
        self.spoke(cx.out);
        match (envelope.kind.as_str(), envelope.payload) {
            ("pong", _) => self.ponged(cx.out),
            ("event", Some(payload)) => {
                if let Ok(Told { event, payload }) = serde_json::from_str(payload.get()) {
                    self.event(&event, payload.map_or("{}", |payload| payload.get()), cx);
                }
            }
            // `health` needs no answer, and what we do not know needs none either.
            _ => {}
        }
    }
}
