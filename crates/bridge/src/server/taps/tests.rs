//! Taps against a real store, with a clock that the test moves.

use std::time::Duration;

use askbridge_core::answer::{Answer, Decision, Scope};
use askbridge_core::ids::{StableNodeId, Timestamp};
use askbridge_core::intent::Intent;
use askbridge_core::limits;
use askbridge_core::terms::Rules;
use askbridge_journal::Memory;
use askbridge_journal::shelf::{Expect, Shelf};

use super::request::TapRequester;
use super::{Purpose, TapRequest, tapped};
use crate::auth::{Caller, ProcessId, TokenRole, Tokens};
use crate::chance::Chance;
use crate::clock::{Clock, Manual};
use crate::runtime::{Bridge, Options, Store};
use crate::server::guard::Origins;
use crate::server::{App, AppOptions};

/// Nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(10);
const AT_ONCE: Duration = Duration::ZERO;

struct House {
    store: Store,
    clock: Manual,
    bridge: Bridge,
    app: App,
}

impl House {
    async fn open() -> Self {
        let store = Store::from(Memory::new(7).unwrap());
        let house = Self::open_on(store, Manual::new(Timestamp(1_800_000_000_000)), 7).await;
        house.app.tokens.make("ada", "phone", TokenRole::Operator, house.clock_now()).await.unwrap();
        house
    }

    async fn open_on(store: Store, clock: Manual, seed: u64) -> Self {
        let (chance, rules) = (Chance::seeded(seed), Rules::default());
        let options = Options {
            store: store.clone(),
            stable_node: StableNodeId(7),
            clock: Clock::Manual(clock.clone()),
            chance: chance.clone(),
            rules,
        };
        let bridge = Bridge::start(options).await;
        let tokens = Tokens::load(store.clone(), chance, bridge.handle.now()).await.unwrap();
        let app = App::new(AppOptions {
            handle: bridge.handle.clone(),
            tokens,
            origins: Origins::default(),
            requests_per_second: 100,
            failures_per_minute: 100,
            version: "test",
        });
        app.recall_taps().await.unwrap();
        Self { store, clock, bridge, app }
    }

    /// Stops, and starts again on the same store.
    async fn again(self) -> Self {
        let Self { store, clock, bridge, app } = self;
        app.stop.cancel();
        app.tasks.close();
        app.tasks.wait().await;
        drop(app);
        bridge.stop().await;
        Self::open_on(store, clock, 8).await
    }

    fn clock_now(&self) -> Timestamp {
        self.app.handle.clock.now()
    }

    /// Requests a tap as this process, without waiting. Returns the result.
    async fn told(&self, request: &TapRequest) -> &'static str {
        self.waits(request, AT_ONCE).await
    }

    async fn waits(&self, request: &TapRequest, wait: Duration) -> &'static str {
        match tapped(&self.app, request.clone(), wait).await {
            Ok(()) => "given",
            Err(trouble) => trouble.0.code,
        }
    }

    fn ada(&self) -> Caller {
        self.app.tokens.people("ada").into_iter().next().unwrap()
    }

    async fn says(&self, request: &TapRequest, decision: Decision) {
        let tap = self.app.taps.is_open(&(request.by.clone(), request.purpose.clone())).expect("it is asked for");
        let intent = Intent::Answer {
            ask: tap.ask,
            answer: Answer::Approval(decision),
            by: self.ada().who("test"),
            undo: Duration::ZERO,
        };
        self.app.handle.submit(tap.ask.session, vec![intent]).await.unwrap();
    }
}

/// This process, which pairs a device from a terminal below a login.
fn pairing(device_may_be_lost: bool) -> TapRequest {
    let purpose = Purpose::Pair { name: "ada".to_owned(), role: TokenRole::Operator };
    let me = ProcessId::of(std::process::id()).unwrap();
    TapRequest {
        purpose,
        by: TapRequester::from(me),
        origin: None,
        from: None,
        devices_may_be_lost: device_may_be_lost,
    }
}

fn allow() -> Decision {
    Decision::Allow { scope: Scope::Once, edited: None }
}

fn deny() -> Decision {
    Decision::Deny { words: None, stop: false }
}

#[tokio::test]
async fn a_tap_that_was_given_is_used_once() {
    let house = House::open().await;
    let request = pairing(false);
    assert_eq!(house.told(&request).await, "tap_needed");
    house.says(&request, allow()).await;
    assert_eq!(house.waits(&request, PATIENCE).await, "given");
    assert_eq!(house.told(&request).await, "tap_needed", "the next one is another");
}

#[tokio::test]
async fn a_request_that_waits_is_told_that_it_was_denied_or_that_nobody_came() {
    let house = House::open().await;
    let request = pairing(false);
    assert_eq!(house.told(&request).await, "tap_needed");
    house.says(&request, deny()).await;
    assert_eq!(house.waits(&request, PATIENCE).await, "tap_denied");
    assert_eq!(house.told(&request).await, "tap_needed");
    house.clock.advance(limits::TAP_WAIT);
    assert_eq!(house.waits(&request, PATIENCE).await, "tap_expired");
}

#[tokio::test]
async fn with_every_device_lost_a_login_goes_on_after_ten_minutes_also_through_a_restart() {
    let house = House::open().await;
    let (lost, no_login) = (pairing(true), TapRequest { purpose: Purpose::SwitchOff, ..pairing(false) });
    assert_eq!((house.told(&lost).await, house.told(&no_login).await), ("tap_needed", "tap_needed"));
    house.clock.advance(limits::LOST_DEVICES_WAIT - Duration::from_secs(1));
    let house = house.again().await;
    assert_eq!(house.told(&lost).await, "tap_needed", "it is still asked for, and can be denied");
    house.clock.advance(Duration::from_secs(1));
    assert_eq!(house.waits(&lost, PATIENCE).await, "given");
    assert_eq!(house.waits(&no_login, PATIENCE).await, "tap_expired");
}

#[tokio::test]
async fn a_device_that_is_not_lost_denies_it_for_good() {
    let house = House::open().await;
    let lost = pairing(true);
    assert_eq!(house.told(&lost).await, "tap_needed");
    house.says(&lost, deny()).await;
    assert_eq!(house.waits(&lost, PATIENCE).await, "tap_denied");
    house.clock.advance(limits::LOST_DEVICES_WAIT * 2);
    assert_eq!(house.told(&lost).await, "tap_needed", "it begins anew");
}

#[tokio::test]
async fn a_tap_that_was_given_while_the_server_stopped_still_counts() {
    let house = House::open().await;
    let request = pairing(false);
    assert_eq!(house.told(&request).await, "tap_needed");
    house.says(&request, allow()).await;
    let house = house.again().await;
    assert_eq!(house.waits(&request, PATIENCE).await, "given");
}

#[tokio::test]
async fn no_phone_is_flooded() {
    let house = House::open().await;
    let me = ProcessId::of(std::process::id()).unwrap();
    let request = |number: usize| TapRequest {
        purpose: Purpose::Revoke { id: number.to_string(), name: "ada".to_owned(), device: "x".to_owned() },
        by: TapRequester::from(me),
        origin: None,
        from: None,
        devices_may_be_lost: false,
    };
    for number in 0..limits::OPEN_TAPS_MAX {
        assert_eq!(house.told(&request(number)).await, "tap_needed");
        assert_eq!(house.told(&request(number)).await, "tap_needed", "the same joins the one that is open");
    }
    assert_eq!(house.told(&request(99)).await, "too_fast");
    house.says(&request(0), deny()).await;
    assert_eq!(house.waits(&request(0), PATIENCE).await, "tap_denied");
    assert_eq!(house.told(&request(99)).await, "too_fast", "room alone is not enough");
    house.clock.advance(Duration::from_secs(3600) / limits::TAPS_PER_HOUR);
    assert_eq!(house.told(&request(99)).await, "tap_needed");
}

#[tokio::test]
async fn with_no_device_left_only_a_login_may_wait() {
    let house = House::open().await;
    let phone = house.app.tokens.list().into_iter().find(|info| info.role.decides()).unwrap();
    house.app.tokens.revoke(&phone.id).await.unwrap();
    assert_eq!(house.told(&pairing(false)).await, "no_device_left");
    assert_eq!(house.told(&pairing(true)).await, "tap_needed");
}

#[tokio::test]
async fn a_store_of_a_release_that_knew_no_taps_needs_them_from_its_next_start_on() {
    let house = House::open().await;
    house.store.delete("taps/first", Expect::Any).await.unwrap();
    let house = house.again().await;
    assert!(house.app.tokens.taps_are_needed());
    let phone = house.app.tokens.list().into_iter().find(|info| info.role.decides()).unwrap();
    house.app.tokens.revoke(&phone.id).await.unwrap();
    assert!(house.again().await.app.tokens.taps_are_needed(), "an empty list of devices changes nothing");
}
