//! Parses frames. Frames outside the protocol are ignored, as the plugin ignores ours.

use super::peer::Whimmy;
use super::wire::{Envelope, EventPayload};
use crate::peer::Cx;

impl Whimmy {
    pub(super) fn heard(&mut self, text: &str, cx: &mut Cx<'_>) {
        let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else { return };
        // Without a known account nothing can be done with a frame. The login completes before the first one is heard.
        if self.account.is_none() {
            return;
        }
        self.spoke(cx.out);
        match (envelope.kind.as_str(), envelope.payload) {
            ("pong", _) => self.ponged(cx.out),
            ("event", Some(payload)) => {
                if let Ok(EventPayload { event, payload }) = serde_json::from_str(payload.get()) {
                    self.event(&event, payload.map_or("{}", |payload| payload.get()), cx);
                }
            }
            // `health` and unknown frames need no answer.
            _ => {}
        }
    }
}
