//! The open taps, and the results of those that ended: one for each requester and purpose.

use std::collections::HashMap;
use std::time::Duration;

use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_peers::wish::Rejection;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::warn;

use super::machines::WaitingMachines;
use super::open::open;
use super::request::{Purpose, TapRequest, TapRequester};
use super::watch::forget;
use crate::auth::{Ancestry, Buckets};
use crate::server::app::App;
use crate::server::problem::Trouble;

/// All taps share one rate limit, since they all ring the same phones.
const TOGETHER: () = ();
/// How many may be requested at once before the rate limit applies.
const AT_ONCE: u32 = 8;

pub(super) type Key = (TapRequester, Purpose);

/// All taps of this server.
#[derive(Debug)]
pub(crate) struct TapTable {
    state: Mutex<State>,
    /// Counts changes, for the requests that wait.
    changed: watch::Sender<u64>,
    /// One tap is opened at a time, so that two requests for the same become one.
    pub(super) opening: tokio::sync::Mutex<()>,
    pace: Buckets<()>,
    /// The rate of machines that want to be connected. Apart, because strangers on the network may request those.
    connects: Buckets<()>,
    /// The machines that wait for their tap.
    pub(crate) machines: WaitingMachines,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<Key, Tap>,
    ended: HashMap<Key, (TapEnd, AskId, Timestamp)>,
}

/// A tap that is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tap {
    pub(super) ask: AskId,
    /// Where it can be given, in words: "phone, laptop".
    pub(super) devices: String,
    /// When the process may go on without it, if it may.
    pub(super) goes_on_at: Option<Timestamp>,
    /// What the card shows, and the machine that wants to be connected.
    pub(super) code: Option<String>,
}

/// The result of a tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TapEnd {
    Given,
    Denied,
    Expired,
}

impl Default for TapTable {
    fn default() -> Self {
        let pace = Buckets::new(AT_ONCE, Duration::from_secs(60 * 60), limits::TAPS_PER_HOUR);
        let per_hour = limits::CONNECTS_PER_HOUR;
        let connects = Buckets::new(per_hour, Duration::from_secs(60 * 60), per_hour);
        let (changed, opening) = (watch::Sender::new(0), tokio::sync::Mutex::default());
        Self { state: Mutex::default(), changed, opening, pace, connects, machines: WaitingMachines::default() }
    }
}

impl TapTable {
    pub(super) fn is_open(&self, key: &Key) -> Option<Tap> {
        self.state.lock().open.get(key).cloned()
    }

    /// Has one ended whose result was not taken yet?
    pub(super) fn has_ended(&self, key: &Key) -> bool {
        self.state.lock().ended.contains_key(key)
    }

    /// Is there room for one more? An agent may try to flood a phone.
    pub(super) fn make_room(&self, purpose: &Purpose, now: Timestamp) -> Result<(), Trouble> {
        let too_fast = |retry_after| Trouble::from(Rejection::TooFast { retry_after });
        let connects = |purpose: &Purpose| matches!(purpose, Purpose::Connect { .. });
        let alike = self.state.lock().open.keys().filter(|(_, open)| connects(open) == connects(purpose)).count();
        let (most, pace) = match connects(purpose) {
            true => (limits::OPEN_CONNECTS_MAX, &self.connects),
            false => (limits::OPEN_TAPS_MAX, &self.pace),
        };
        if alike >= most {
            return Err(too_fast(Duration::from_secs(60)));
        }
        pace.take(&TOGETHER, now).map_err(too_fast)
    }

    pub(super) fn opened(&self, key: Key, tap: Tap) {
        self.state.lock().open.insert(key, tap);
    }

    /// Records the result of a tap. `None`: it was withdrawn, as if it had not been requested.
    pub(super) fn closed(&self, key: &Key, ended: Option<TapEnd>, now: Timestamp) {
        let mut state = self.state.lock();
        let tap = state.open.remove(key);
        if let (Some(tap), Some(ended)) = (tap, ended) {
            state.ended.insert(key.clone(), (ended, tap.ask, now.plus(limits::TAP_LIFE)));
        }
        drop(state);
        self.changed.send_modify(|count| *count += 1);
    }

    /// Takes the result of a tap, which uses up one that was given.
    fn take(&self, key: &Key, now: Timestamp) -> Option<(TapEnd, AskId)> {
        let mut state = self.state.lock();
        state.ended.retain(|_, (_, _, until)| *until > now);
        state.ended.remove(key).map(|(ended, ask, _)| (ended, ask))
    }
}

/// Returns once a device has given the tap that this needs, and uses it up. Waits up to `wait`, then says that it is
/// needed; the same request again joins the open tap.
pub(crate) async fn tapped(app: &App, request: TapRequest, wait: Duration) -> Result<(), Trouble> {
    match given(app, request, wait).await? {
        GivenTap::None => Ok(()),
        GivenTap::In(ask) => {
            forget(app, ask).await;
            Ok(())
        }
        GivenTap::NotYet(needed, _) => Err(needed),
    }
}

/// What became of the wait for a tap.
pub(crate) enum GivenTap {
    /// None is needed.
    None,
    /// A device gave it in this ask. It is used up when it is forgotten: once what it was for is stored.
    In(AskId),
    /// With the code that the card of a machine shows.
    NotYet(Trouble, Option<String>),
}

/// The same, for a purpose that is stored before the tap is used up.
pub(crate) async fn given(app: &App, request: TapRequest, wait: Duration) -> Result<GivenTap, Trouble> {
    let key = (request.by.clone(), request.purpose.clone());
    let until = Instant::now() + wait;
    let mut changed = app.taps.changed.subscribe();
    loop {
        changed.borrow_and_update();
        if is_proven(app, &request) {
            return Ok(GivenTap::None);
        }
        let now = app.handle.clock.now();
        match app.taps.take(&key, now) {
            Some((TapEnd::Given, ask)) => return Ok(GivenTap::In(ask)),
            // A request that waits is told the result; one that does not requests another tap.
            Some((TapEnd::Denied, _)) if !wait.is_zero() => return Err(denied()),
            Some((TapEnd::Expired, _)) if !wait.is_zero() => return Err(expired()),
            Some(_) | None => {}
        }
        let Some(tap) = open(app, &key, &request).await? else { continue };
        let needed = Trouble::new(403, "tap_needed", needs(&tap, now));
        if Instant::now() >= until {
            return Ok(GivenTap::NotYet(needed, tap.code));
        }
        tokio::select! {
            _ = changed.changed() => {}
            () = sleep_until(until) => {}
            () = app.stop.cancelled() => return Ok(GivenTap::NotYet(needed, tap.code)),
        }
    }
}

/// Withdraws an open tap that is no longer needed.
pub(crate) async fn withdraw_tap(app: &App, request: &TapRequest, why: &str) {
    let Some(tap) = app.taps.is_open(&(request.by.clone(), request.purpose.clone())) else { return };
    let withdraw = Intent::Withdraw { ask: tap.ask, why: why.to_owned() };
    if let Err(error) = app.handle.submit(tap.ask.session, vec![withdraw]).await {
        warn!(ask.id = %tap.ask, %error, "Could not withdraw a tap");
    }
}

/// Was this shell vouched for? A tap for deciding is remembered for the shell, and so for all that is started in it.
pub(super) fn is_proven(app: &App, request: &TapRequest) -> bool {
    let process = request.process().filter(|_| matches!(request.purpose, Purpose::Decide { .. }));
    process.is_some_and(|process| app.agents.ancestry(process.pid) == Ancestry::VouchedTerminal)
}

fn needs(tap: &Tap, now: Timestamp) -> String {
    let or_else = tap.goes_on_at.map(|at| {
        let left = askbridge_core::verdict::spoken(at.since(now));
        format!("; if they are lost, wait: unless one of them denies it, it goes on by itself in {left}")
    });
    format!("this needs a tap on a paired device ({}){}", tap.devices, or_else.unwrap_or_default())
}

fn denied() -> Trouble {
    Trouble::new(403, "tap_denied", "a paired device denied this")
}

fn expired() -> Trouble {
    Trouble::new(403, "tap_expired", "no paired device agreed to this in time")
}
