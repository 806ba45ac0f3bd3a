//! Devices that apps of other systems register: each is a channel of its owner. The language keeps the device, because its
//! clients list it; the channel has what the owner set. This makes the second of the first, and carries one push out.

use std::collections::BTreeSet;

use askbridge_core::ids::SessionId;
use askbridge_peers::apps::{AppDevice, AppDevices, AppPush, PushAbout, PushFate};
use askbridge_peers::listing::APPS;
use askbridge_peers::wish::Rejection;
use askbridge_ringing::channel::{App as AppService, Channel, Service};
use askbridge_ringing::notice::{Notice, Ticket};
use askbridge_ringing::ringer::ChannelId;
use askbridge_ringing::wire::{Fate, Method, Request};
use tracing::warn;

use super::channels::{Channels, NewChannel};
use super::deliver::exchange;
use crate::runtime::down;
use crate::server::App;

/// Characters of a channel's name.
const NAME_MAX: usize = 64;

/// Makes channels of the devices that are kept, and ends those whose devices are gone. Called at a start, and whenever a
/// language has kept something; to call it once more does no harm.
pub(crate) async fn adopt(app: &App) {
    if app.ringing_options().is_none() {
        return;
    }
    let _one_at_a_time = app.ringing().adopting.lock().await;
    for apps in APPS {
        let is_spoken = app.speaking().is_some_and(|speaking| speaking.names.contains(&apps.dialect));
        if !is_spoken {
            rest(app, apps);
        } else if let Err(error) = adopt_all(app, apps).await {
            warn!(dialect = apps.dialect, %error, "The devices of apps could not be read; they may not ring");
        }
    }
    app.ringing().changed();
}

/// A language that is not spoken rings nothing. What its devices' owners set stays.
fn rest(app: &App, apps: &AppDevices) {
    for (channel, _) in theirs(app, apps) {
        app.ringing().channels.rest(&channel.id);
    }
}

async fn adopt_all(app: &App, apps: &AppDevices) -> Result<(), Rejection> {
    let kept = app.handle.kept(apps.dialect, apps.kept).await?;
    let devices: Vec<_> = kept.iter().filter_map(|(_, thing)| (apps.read)(thing)).collect();
    let channels = &app.ringing().channels;
    for (channel, it) in theirs(app, apps) {
        if devices.iter().all(|device| device.kept_as != it.kept_as) {
            channels.remove(&app.handle, &channel.id).await.map_err(down)?;
        }
    }
    for device in devices {
        adopt_one(app, apps, device).await?;
    }
    // Asks from before a channel was added do not ring on it, so that these do not ring again.
    for (name, _) in app.handle.kept(apps.dialect, apps.kept_before).await? {
        app.handle.keep(apps.dialect, &name, None).await?;
    }
    Ok(())
}

async fn adopt_one(app: &App, apps: &AppDevices, device: AppDevice) -> Result<(), Rejection> {
    let channels = &app.ringing().channels;
    let id = channel_id(apps.dialect, &device.kept_as);
    let AppDevice { kept_as, name, owner, push_url } = device;
    let service =
        Service::App(AppService { dialect: apps.dialect.to_owned(), kept_as, push_url, body_max: apps.body_max });
    let known = match channels.get(&id) {
        Some(channel) if channel.service == service && channel.person == owner => return Ok(()),
        Some(channel) => Some((*channel).clone()),
        None => channels.stored(&app.handle, &id).await.map_err(down)?,
    };
    let channel = match known.filter(|channel| channel.person == owner) {
        // A new address may work where the old one did not.
        Some(known) => Channel { broken: known.broken.filter(|_| known.service == service), service, ..known },
        // Another person's device has nothing of what the one before had set.
        None => {
            let name = Some(name.chars().take(NAME_MAX).collect());
            let new = NewChannel {
                person: owner,
                name,
                service,
                content: None,
                decides: None,
                quiet: None,
                added_by: None,
                named_by_operator: false,
                tells: None,
            };
            Channel { id, ..Channels::make(&app.handle, new) }
        }
    };
    channels.put(&app.handle, channel).await.map(drop).map_err(down)
}

/// The same for the same device, so that one that registers at every start of its app stays one channel.
fn channel_id(dialect: &str, kept_as: &str) -> String {
    format!("ch_{}", &Ticket(format!("{dialect}/{kept_as}")).hash()[..16])
}

fn theirs(app: &App, apps: &AppDevices) -> Vec<(std::sync::Arc<Channel>, AppService)> {
    let channels = app.ringing().channels.all().into_iter();
    let theirs = channels.filter_map(|channel| match &channel.service {
        Service::App(it) if it.dialect == apps.dialect => Some((channel.clone(), it.clone())),
        _ => None,
    });
    theirs.collect()
}

/// Channels that are not told how a turn ended: those of apps that never were in this session, which is no chat of theirs.
pub(super) async fn elsewhere(app: &App, session: SessionId) -> BTreeSet<ChannelId> {
    let mut elsewhere = BTreeSet::new();
    for apps in APPS {
        let channels = theirs(app, apps);
        if !channels.is_empty() && app.handle.seen(apps.dialect, session).await.is_none() {
            elsewhere.extend(channels.into_iter().map(|(channel, _)| ChannelId(channel.id.clone())));
        }
    }
    elsewhere
}

/// Sends one push.
pub(super) async fn push(app: &App, channel: &Channel, to: &AppService, notice: &Notice, about: PushAbout<'_>) -> Fate {
    let Some(apps) = APPS.iter().find(|apps| apps.dialect == to.dialect) else {
        return Fate::Refused { why: format!("this askbridge does not know the language {}", to.dialect) };
    };
    let body = (apps.write)(&AppPush { title: &notice.title, body: &notice.body, about });
    let request = Request {
        method: Method::Post,
        url: to.push_url.clone(),
        headers: vec![("content-type", "application/json".to_owned())],
        body: body.as_str().as_bytes().to_vec(),
    };
    exchange(app, channel, Some(request), |response| {
        match (apps.became)(response.status, &String::from_utf8_lossy(response.body)) {
            PushFate::Sent => Fate::Sent { reference: None },
            PushFate::Gone => Fate::Gone { why: "its relay does not know this device any more".to_owned() },
            PushFate::Failed(why) => Fate::Later { after: response.retry_after, why },
            PushFate::Refused(why) => Fate::Refused { why },
        }
    })
    .await
}
