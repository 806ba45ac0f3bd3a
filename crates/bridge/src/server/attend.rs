//! Attendants: machines without a connection, for what a dialect has to do while no client is connected.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use askbridge_peers::listing::{ATTENDANTS, Attend};

use super::app::App;
use super::guest::Guest;
use super::talk::Talk;
use crate::auth::Caller;
use crate::runtime::Source;

/// Delay before an attendant that has ended is replaced. One ends when it cannot follow the journal any longer.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// Runs the attendants of these dialects until the server stops.
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
        // There is no client to send them to.
        talk.take_frames();
        if talk.take_hang_up().is_some() {
            return;
        }
        talk.step().await;
    }
}
