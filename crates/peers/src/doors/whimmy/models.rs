//! The model for an agent: the first that the plugin offers, stored for its next connection.

use askbridge_core::ids::Raw;

use super::peer::{PendingReply, Whimmy};
use super::quirks;
use super::wire::Payload;
use crate::peer::{Cx, Outbox};
use crate::uuid;
use crate::wish::{AGENTS_OWN, Wish};

/// The name under which an account's model is kept.
pub(super) fn kept_as(account: &str) -> String {
    // Names of accounts may contain anything; names on the shelf may not.
    format!("{AGENTS_OWN}model/{}", uuid::of_text(account))
}

impl Whimmy {
    /// The plugin lists its models. An empty list changes nothing.
    pub(super) fn offers(&mut self, payload: &Payload, cx: &mut Cx<'_>) {
        let Some(model) = payload.models.first().and_then(quirks::model) else { return };
        if self.model.as_deref() != Some(model) {
            let thing = Some(Raw::from(serde_json::Value::from(model).to_string()));
            let name = kept_as(self.account.as_deref().unwrap_or_default());
            self.wish(PendingReply::Nothing, Wish::Keep { name, thing }, cx.out);
        }
        self.has_model(model.to_owned(), cx.out);
    }

    /// Takes the model that was stored, unless the plugin has named one by now.
    pub(super) fn remembered_model(&mut self, kept: Vec<(String, Raw)>, out: &mut Outbox) {
        let model = kept.into_iter().find_map(|(_, model)| serde_json::from_str(model.as_str()).ok());
        if let (Some(model), None) = (model, &self.model) {
            self.has_model(model, out);
        }
    }

    fn has_model(&mut self, model: String, out: &mut Outbox) {
        self.model = Some(model);
        self.go_on(out);
    }

    /// The plugin offered none in time: OpenClaw's own default applies.
    pub(super) fn no_model_came(&mut self, cx: &mut Cx<'_>) {
        if self.model_until.is_some_and(|at| at <= cx.now) {
            self.go_on(cx.out);
        }
    }

    /// Sends the messages that waited for a model.
    fn go_on(&mut self, out: &mut Outbox) {
        if self.model_until.take().is_some() {
            for session in self.session_states.keys().copied().collect::<Vec<_>>() {
                self.say_next(session, out);
            }
        }
    }
}
