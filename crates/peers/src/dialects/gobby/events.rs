//! The events that a page subscribes to: its lists of projects and conversations are out of date.

use askbridge_core::event::Event;
use askbridge_core::ids::SessionId;
use serde_json::Value;

use super::peer::Gobby;
use super::tell::send;
use super::wire::{GobbyEvent, GobbyFrame};
use crate::peer::Outbox;
use crate::told::Happened;
use crate::uuid;

/// A socket's subscriptions, among the events that we ever send.
#[derive(Debug, Default)]
pub(super) struct Subscribed {
    projects: bool,
    sessions: bool,
    chat: bool,
}

impl Subscribed {
    fn set(&mut self, events: &Value, wanted: bool) {
        for event in events.as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.projects = if matches!(event, "project_event" | "*") { wanted } else { self.projects };
            self.chat = if matches!(event, "chat_stream" | "*") { wanted } else { self.chat };
            self.sessions = if matches!(event, "session_event" | "*") { wanted } else { self.sessions };
        }
    }
}

impl Gobby {
    /// A page that was not logged in at its start was refused the projects, and fetches them again only when told to.
    pub(super) fn subscribe(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let events = events(heard);
        let knew_projects = self.subscribed.projects;
        self.subscribed.set(&events, true);
        self.looking.is_chat |= self.subscribed.chat;
        send(&GobbyEvent::SubscribeSuccess { events }, out);
        if self.subscribed.projects && !knew_projects {
            send(&GobbyEvent::ProjectEvent { event: "project_updated" }, out);
        }
    }

    pub(super) fn unsubscribe(&mut self, heard: &GobbyFrame, out: &mut Outbox) {
        let events = events(heard);
        self.subscribed.set(&events, false);
        send(&GobbyEvent::UnsubscribeSuccess { events }, out);
    }

    /// A page reloads its list when it is told of a change to something in it.
    pub(super) fn tell_of_lists(&self, happened: &Happened, out: &mut Outbox) {
        let event = match &*happened.event {
            Event::Started(_) => "session_created",
            Event::Configured(_) | Event::TurnEnded { .. } => "session_updated",
            Event::Closed { .. } => "session_expired",
            _ => return,
        };
        self.tell_of_session(happened.session, event, out);
        // It may be the first session in its folder.
        if self.subscribed.projects && matches!(&*happened.event, Event::Started(_)) {
            send(&GobbyEvent::ProjectEvent { event: "project_updated" }, out);
        }
    }

    pub(super) fn tell_of_session(&self, session: SessionId, event: &'static str, out: &mut Outbox) {
        if self.subscribed.sessions {
            send(&GobbyEvent::SessionEvent { event, session_id: &uuid::of_session(session) }, out);
        }
    }
}

fn events(heard: &GobbyFrame) -> Value {
    heard.more.get("events").cloned().unwrap_or_else(|| Value::Array(Vec::new()))
}
