//! Web Push: our key pair, and one push to one browser.

use std::time::Duration;

use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_ringing::channel::{Channel, WebPush};
use askbridge_ringing::notice::Notice;
use askbridge_ringing::web_push::{self, Keys, Push};
use askbridge_ringing::wire::Fate;
use ring::rand::SystemRandom;

use super::badge::waiting_for;
use super::deliver::exchange;
use crate::runtime::{Handle, chain};
use crate::server::App;

const KEY: &str = "web_push/keys";
/// How long a push service keeps a push for a browser that is offline.
const TTL: Duration = Duration::from_secs(24 * 3600);

/// Returns our key pair; makes it at first use.
pub(crate) async fn keys(handle: &Handle) -> Result<Keys, String> {
    let now = handle.now();
    let random = SystemRandom::new();
    let kept = || async { handle.store.get(KEY, now).await.map_err(|error| chain(&error)) };
    if kept().await?.is_none() {
        let made = Keys::generate(&random)?;
        // If another request was faster, its pair counts.
        let _ = handle.store.put(KEY, &made, Expect::Absent, None, now).await;
    }
    let item = kept().await?.ok_or("the key pair for Web Push could not be stored")?;
    Keys::read(&item.value, &random)
}

pub(super) async fn send(app: &App, channel: &Channel, to: &WebPush, notice: &Notice) -> Fate {
    let refused = |why: String| Fate::Refused { why };
    let options = app.ringing_options();
    let contact = options.as_ref().and_then(|options| options.public_url.clone()).unwrap_or_default();
    let subject = match web_push::subject(&contact) {
        Ok(subject) => subject,
        Err(why) => return refused(why),
    };
    let keys = match keys(&app.handle).await {
        Ok(keys) => keys,
        Err(why) => return refused(why),
    };
    let waiting = waiting_for(app, &channel.person).await;
    let push = Push { to, notice, ask: notice_ask(notice), waiting, now: app.handle.now(), ttl: TTL };
    match web_push::send(&push, &keys, &subject, &SystemRandom::new()) {
        Ok(request) => exchange(app, channel, Some(request), web_push::sent).await,
        Err(why) => refused(why),
    }
}

/// The ask that a notice's link leads to.
fn notice_ask(notice: &Notice) -> Option<&str> {
    notice.link.as_deref()?.rsplit_once("/asks/").map(|(_, ask)| ask)
}
