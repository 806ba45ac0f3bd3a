//! Machines that no connection has: what a language looks after while nobody is there.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use askbridge_peers::listing::{ATTENDANTS, Attend};

use super::app::App;
use super::guest::Guest;
use super::talk::Talk;
use crate::auth::Caller;
use crate::runtime::Source;

/// How long after one has ended another takes its place. They end when they cannot keep up.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// Looks after what these languages want looked after, until the server stops.
pub fn attend(app: &App, names: &[&'static str]) {
    for (via, make) in ATTENDANTS.iter().filter(|(name, _)| names.contains(name)) {
        app.tasks.spawn(run(app.clone(), via, *make));
    }
}

async fn run(app: App, via: &'static str, make: Attend) {
    let stop = app.stop.clone();
    let one_after_another = async {
        loop {
            one(app.clone(), via, make).await;
            tokio::time::sleep(TRY_AGAIN).await;
        }
    };
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        () = one_after_another => {}
    }
}

async fn one(app: App, via: &'static str, make: Attend) {
    let guest = Guest {
        via,
        source: Source::Attendant,
        from: IpAddr::V4(Ipv4Addr::LOCALHOST),
        caller: Some(Caller::ourselves()),
        process: None,
        peer: None,
        cookie: None,
        _seat: None,
    };
    let mut talk = Talk::new(app, guest, make());
    talk.wake();
    loop {
        talk.step_while_ready();
        // There is nobody to say it to.
        talk.take_frames();
        if talk.take_hang_up().is_some() {
            return;
        }
        talk.step().await;
    }
}
