//! Turns a ticket into the decision that it stands for.

use std::time::Duration;

use askbridge_core::answer::{Decision, Scope};
use askbridge_core::ids::{AskId, PartyId};
use askbridge_core::unfit::{QuestionKey, QuestionReply, Reply, Value};
use askbridge_core::view::{AskView, By, State};
use askbridge_peers::wish::{AskRef, Wish};
use askbridge_ringing::channel::{Channel, Service};
use askbridge_ringing::notice::Ticket;
use askbridge_ringing::record::{Action, Ring, RingState};
use tracing::info;

use super::send::change;
use crate::auth::{Caller, Role};
use crate::runtime::Entrance;
use crate::server::App;

/// What became of a ticket, for the person who used it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Redeemed {
    /// It counts.
    Counted { ask: AskId },
    /// It counted before: the same tap again.
    Again { ask: AskId },
    /// The person saw it: there was nothing to decide. None: it was about no ask.
    Seen { ask: Option<AskId> },
    /// Nothing was decided; the sentence says why.
    Refused { why: String },
}

/// What came along with a ticket.
#[derive(Debug, Clone, Default)]
pub(crate) struct Along {
    /// Words that a person wrote.
    pub(crate) words: Option<String>,
    /// The options that were marked before, from 0.
    pub(crate) marked: Vec<usize>,
}

/// Decides as the channel's person. `channel`: where the ticket came from; it counts nowhere else.
pub(crate) async fn redeem(app: &App, channel: Option<&Channel>, ticket: &Ticket, along: Along) -> Redeemed {
    let found = app.ringing().rings.lock().find(ticket);
    let Some((key, _, action)) = found else {
        return refused("this button is too old, or not one of ours; open askbridge instead");
    };
    decide(app, channel, &key, action, along).await
}

/// Notes that the device showed the notice of this receipt, which the person need not have seen.
pub(crate) async fn delivered(app: &App, receipt: &Ticket) -> Redeemed {
    let found = app.ringing().rings.lock().find(receipt);
    let Some((key, ring, Action::Seen)) = found else { return refused("this is not the receipt of a notice") };
    let at = app.handle.now().0;
    change(app, &key, |ring| ring.delivered(at)).await;
    Redeemed::Seen { ask: only_ask(&ring) }
}

fn only_ask(ring: &Ring) -> Option<AskId> {
    let [ask] = &*ring.asks else { return None };
    Some(*ask)
}

/// Decides by what a ring offers, for services that name the message instead of a ticket.
pub(super) async fn redeem_in(app: &App, channel: &Channel, key: &str, action: Action, along: Along) -> Redeemed {
    decide(app, Some(channel), key, action, along).await
}

async fn decide(app: &App, channel: Option<&Channel>, key: &str, action: Action, along: Along) -> Redeemed {
    let Some(ring) = app.ringing().rings.lock().get(key).cloned() else {
        return refused("this message is too old; open askbridge instead");
    };
    let Some(own) = app.ringing().channels.get(&ring.channel) else {
        return refused("this channel was removed; open askbridge instead");
    };
    // Without a channel it came over the open address, where only a browser's worker posts.
    let is_there = match channel {
        Some(channel) => channel.id == own.id,
        None => matches!(own.service, Service::WebPush(_)),
    };
    if !is_there {
        return refused("this button belongs to another channel");
    }
    // Whatever becomes of the tap: the person saw the message. Before the decision, which may be refused.
    note_seen(app, key).await;
    if action == Action::Seen {
        return Redeemed::Seen { ask: only_ask(&ring) };
    }
    let [ask] = *ring.asks else { return refused("this message is not about one ask") };
    // A message offers only what was safe to decide there: see `askbridge_ringing::text`.
    let Some(offered) = ring.tickets.iter().rfind(|ticket| ticket.action == action) else {
        return refused("this cannot be decided from the message; open askbridge instead");
    };
    let is_used = offered.used;
    match app.handle.ask(ask).await {
        Err(_) => return refused("what this was about is gone"),
        Ok(view) if !view.state.is_open() && is_used => return Redeemed::Again { ask },
        Ok(view) if !view.state.is_open() => return Redeemed::Refused { why: decided(&view) },
        Ok(_) => {}
    }
    if !is_known_person(app, &own.person) {
        return refused("this person has no paired device any longer");
    }
    let Some(reply) = reply(action, along) else { return refused("there are no words in it") };
    let caller = Caller {
        party: PartyId::from(format!("channel_{}", own.id)),
        role: Role::Person,
        name: own.person.as_str().into(),
        device: own.name.as_str().into(),
    };
    let wish = Wish::Answer { ask: AskRef::Id(ask), reply, undo: Duration::ZERO };
    match app.gate().grant(&caller, Entrance::request(own.service.kind()), wish).await {
        Ok(_) => {
            info!(%ask, channel = own.id, "Answered from a channel");
            let at = app.handle.now().0;
            change(app, key, |ring| {
                if let Some(ticket) = ring.tickets.iter_mut().rfind(|ticket| ticket.action == action) {
                    ticket.used = true;
                }
                (ring.state, ring.why, ring.at) = (RingState::Answered, None, at);
                true
            })
            .await;
            Redeemed::Counted { ask }
        }
        Err(rejection) => Redeemed::Refused { why: rejection.to_string() },
    }
}

/// Notes that the person saw a message, because they tapped it.
pub(super) async fn note_seen(app: &App, key: &str) {
    let at = app.handle.now().0;
    change(app, key, |ring| {
        let is_news = ring.delivered(at);
        ring.seen(at) || is_news
    })
    .await;
}

fn refused(why: &str) -> Redeemed {
    Redeemed::Refused { why: why.to_owned() }
}

/// May this person decide at all? A person whose devices were all revoked may not, whatever a phone still shows.
pub(super) fn is_known_person(app: &App, name: &str) -> bool {
    let user = app.ringing_options().is_some_and(|options| options.user == name);
    let loopback = app.speaking().and_then(|speaking| speaking.loopback.as_ref());
    user || loopback.is_some_and(|caller| *caller.name == *name)
        || app.tokens.list().iter().any(|info| info.role.decides() && info.name == name)
}

/// The decision as a reply. `None`: it has no words.
fn reply(action: Action, along: Along) -> Option<Reply> {
    let question =
        |value| Reply::Questions(vec![QuestionReply { key: QuestionKey::Index(0), value: Some(value), note: None }]);
    Some(match action {
        Action::Choose(option) => question(Value::Index(option)),
        Action::Done => question(Value::List(along.marked.into_iter().map(Value::Index).collect())),
        Action::Words => question(Value::Text(along.words.filter(|words| !words.trim().is_empty())?)),
        Action::Allow => Reply::Approval(Decision::Allow { scope: Scope::Once, edited: None }),
        Action::Deny => Reply::Approval(Decision::Deny { words: along.words, stop: false }),
        Action::Seen => return None,
    })
}

fn decided(view: &AskView) -> String {
    let by = match &view.by {
        Some(By::Person(who)) => format!(" by {}", who.person),
        _ => String::new(),
    };
    match view.state {
        State::Expired => "too late: nobody answered in time".to_owned(),
        State::Withdrawn => "the agent does not ask any longer".to_owned(),
        _ => format!("this was decided already{by}"),
    }
}
