//! Carries out one notice about something other than asks: stores it, sends it, stores what became of it.

use askbridge_ringing::news::News;
use askbridge_ringing::record::{Action, Ring, TicketRecord};
use askbridge_ringing::ringer::ChannelId;
use askbridge_ringing::text::{Shape, of_news};
use askbridge_ringing::wire::Fate;

use super::deliver::deliver_news;
use super::redeem::is_known_person;
use super::send::{blank, note_fate, receipt};
use crate::runtime::chain;
use crate::server::App;

pub(super) async fn tell_once(app: &App, channel: &ChannelId, news: &[News]) -> Fate {
    let Some(channel) = app.ringing().channels.get(&channel.0) else {
        return Fate::Refused { why: "the channel was removed".to_owned() };
    };
    let Some(first) = news.first() else { return Fate::Sent { reference: None } };
    if !is_known_person(app, &channel.person) {
        return Fate::Refused { why: "this person has no paired device any longer".to_owned() };
    }
    let options = app.ringing_options();
    let shape = Shape {
        content: channel.content,
        decides: channel.decides,
        abilities: channel.service.abilities(),
        public_url: options.and_then(|options| options.public_url.as_deref()),
    };
    let (key, tag) = (format!("news_{}/{}", first.id, channel.id), format!("n{}", first.id));
    let mut notice = of_news(&news.iter().collect::<Vec<_>>(), tag, shape);
    let mut fresh = Vec::new();
    notice.receipt = receipt(app, &channel, &mut fresh);
    let began = app.handle.now().0;
    let tickets =
        fresh.iter().map(|(ticket, _)| TicketRecord { hash: ticket.hash(), action: Action::Seen, used: false });
    let ring = Ring { about: Some(first.kind), tickets: tickets.collect(), ..blank(&channel, began) };
    if let Err(error) = app.ringing().keep(&app.handle, &key, ring).await {
        return Fate::Later { after: None, why: chain(&error) };
    }
    let fate = deliver_news(app, &channel, &notice, news).await;
    note_fate(app, &channel, &key, began, &fate).await;
    fate
}
