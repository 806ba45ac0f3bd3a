//! Writes what people are told besides asks: of the events of a session, and of what happens to a channel.

use askbridge_core::answer::Outcome;
use askbridge_core::event::{Audience, Event, Level};
use askbridge_core::ids::{AskId, PersonId, Raw, SessionId, Timestamp};
use askbridge_ringing::channel::Channel;
use askbridge_ringing::news::{News, NewsKind};
use askbridge_ringing::text::agent_in;

use super::open::audience;
use crate::hosts::ENDED_BY_ITSELF;
use crate::runtime::Handle;

/// What an event may be news of, before it is looked up whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Occurrence {
    TurnEnded(Option<Raw>),
    /// In the agent's own words, or the host's.
    Failed(String),
    Expired(AskId),
}

impl Occurrence {
    /// Returns what an event is news of, if it is.
    pub(super) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::TurnEnded { usage, .. } => Some(Self::TurnEnded(usage.clone())),
            Event::Notice { level: Level::Error, text } => Some(Self::Failed(text.clone())),
            Event::Notice { text, .. } if text.starts_with(ENDED_BY_ITSELF) => Some(Self::Failed(text.clone())),
            Event::Settled(settled) if settled.outcome == Outcome::Expired => Some(Self::Expired(settled.ask)),
            _ => None,
        }
    }

    pub(super) fn kind(&self) -> NewsKind {
        match self {
            Self::TurnEnded(_) => NewsKind::TurnEnded,
            Self::Failed(_) => NewsKind::AgentFailed,
            Self::Expired(_) => NewsKind::Expired,
        }
    }
}

/// Writes the notice. `None`: the session is gone.
pub(super) async fn news_of(handle: &Handle, session: SessionId, at: Timestamp, event: &Occurrence) -> Option<News> {
    let view = handle.session(session).await.ok()?;
    let agent = agent_in(&view.started.agent, view.settings.folder.as_deref());
    let path = format!("/sessions/{session}");
    let (title, body, path) = match event {
        Occurrence::TurnEnded(_) => {
            let title = view.settings.title.clone().unwrap_or_default();
            (format!("{agent} has finished its turn"), title, path)
        }
        Occurrence::Failed(why) => (format!("{agent} stopped or failed"), why.clone(), path),
        Occurrence::Expired(ask) => {
            let asked = handle.asked(*ask).await.ok()?;
            let body = asked.body.headline().to_owned();
            (format!("{agent}: nobody answered in time"), body, format!("/asks/{ask}"))
        }
    };
    let audience = audience(handle, session);
    let (id, kind) = (fresh(handle), event.kind());
    let usage = match event {
        Occurrence::TurnEnded(usage) => usage.clone(),
        _ => None,
    };
    Some(News { id, kind, at, audience, session: Some(session), usage, title, body, path, is_ours: false })
}

/// That a channel does not work any longer, for the person's other ones.
pub(super) fn broken(handle: &Handle, channel: &Channel, why: &str, is_gone: bool) -> News {
    let (name, kind) = (&channel.name, channel.service.kind());
    let what = if is_gone { "was removed" } else { "does not work" };
    News {
        id: fresh(handle),
        kind: NewsKind::ChannelFailed,
        at: handle.now(),
        audience: Audience::Only(vec![PersonId::from(channel.person.as_str())]),
        session: None,
        usage: None,
        title: format!("Your channel {name} ({kind}) {what}"),
        body: why.to_owned(),
        path: "/settings/reach".to_owned(),
        is_ours: true,
    }
}

/// A name for the log.
pub(super) fn fresh(handle: &Handle) -> String {
    format!("{:016x}", handle.chance.u64())
}
