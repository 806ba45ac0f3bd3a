//! Notices: what nodes and connections tell each other over the bus. Fast and lossy, never stored; the file that writes
//! one also reads it.

use askbridge_journal::bus::{Bus, Subject};
use bytes::Bytes;
use serde::Serialize;

use super::handle::Handle;

impl Handle {
    /// Publishes a notice.
    pub(crate) fn notify(&self, subject: Subject, notice: &impl Serialize) {
        let body = serde_json::to_vec(notice).expect("a notice has text keys");
        self.store.publish(subject, Bytes::from(body));
    }
}
