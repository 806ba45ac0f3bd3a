//! Calls at the same time: who waits for whom.

use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::outbound::{Call, Failed, Outbound, OutboundOptions};
use askbridge_core::limits;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::outside::{Outside, response};

/// Far longer than any of these tests takes, so that none passes because a slow call gave up.
const FOR_EVER: Duration = Duration::from_secs(3600);

/// Fails the test where it would otherwise hang.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), work).await.expect("it did not have to wait")
}

#[tokio::test]
async fn a_slow_host_does_not_delay_a_call_to_another() {
    let mut slow = Outside::silent().await;
    let quick = Outside::saying_in_the_clear(response("200 OK", "", "quick")).await;
    let outbound = Outbound::new(OutboundOptions { patience: FOR_EVER, ..slow.options() });
    let mut waiting = JoinSet::new();
    for _ in 0..2 * limits::OUTBOUND_TOTAL_AT_ONCE {
        let (outbound, url) = (outbound.clone(), slow.url());
        waiting.spawn(async move { outbound.post(&url, "{}").await.is_ok() });
    }
    for _ in 0..limits::OUTBOUND_AT_ONCE {
        soon(slow.heard.recv()).await.unwrap();
    }
    let answered = soon(outbound.call(Call::get(quick.url()))).await.unwrap();
    assert_eq!(&*answered.body, b"quick");
    assert!(slow.heard.try_recv().is_err(), "the slow host has as many calls as it may have");
    assert!(waiting.try_join_next().is_none(), "all of them wait");
}

#[tokio::test]
async fn long_polls_take_no_turns_from_short_calls_to_the_same_host() {
    let news = Arc::new(Notify::new());
    let told = news.clone();
    let mut outside = Outside::clear(move |mut visit| {
        let told = told.clone();
        async move {
            if visit.request().await.starts_with("GET") {
                told.notified().await;
            }
            visit.say(&response("200 OK", "", "{}")).await;
            visit.end().await;
        }
    })
    .await;
    let outbound = Outbound::new(outside.options());
    let mut polls = JoinSet::new();
    for _ in 0..limits::OUTBOUND_AT_ONCE {
        let (outbound, patience) = (outbound.clone(), Some(Duration::from_secs(60)));
        let poll = Call { patience, ..Call::get(outside.url()) };
        polls.spawn(async move { outbound.call(poll).await.map(|answered| answered.status).ok() });
        soon(outside.heard.recv()).await.unwrap();
    }
    assert_eq!(soon(outbound.post(&outside.url(), "{}")).await.unwrap().status, 200);
    assert!(polls.try_join_next().is_none(), "the polls still wait");
    for _ in 0..limits::OUTBOUND_AT_ONCE {
        news.notify_one();
        assert_eq!(soon(polls.join_next()).await.unwrap().unwrap(), Some(200));
    }
}

#[tokio::test]
async fn streams_have_a_limit_and_a_dropped_one_makes_room() {
    let outside = Outside::clear(|mut visit| async move {
        visit.request().await;
        visit.say("HTTP/1.1 200 OK\r\n\r\n").await;
        visit.left().await;
    })
    .await;
    let outbound = Outbound::new(outside.options());
    let open = || outbound.stream(Call::get(outside.url()), FOR_EVER);
    let mut streams = Vec::new();
    for _ in 0..limits::OUTBOUND_LONG_AT_ONCE {
        streams.push(soon(open()).await.unwrap());
    }
    let failed = soon(open()).await.unwrap_err();
    assert!(matches!(failed, Failed::Busy { .. }), "{failed}");
    let failed = soon(outbound.socket(&outside.url_of("ws"), Vec::new(), FOR_EVER, false)).await.unwrap_err();
    assert!(matches!(failed, Failed::Busy { .. }), "{failed}");
    streams.pop();
    soon(open()).await.unwrap();
}
