//! Which servers are called, and which are not: the same for calls, streams and sockets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::outbound::{Call, Failed, Outbound, OutboundOptions};

use super::outside::{Names, Outside, response};

const IDLE: Duration = Duration::from_secs(60);
/// Among the public addresses, but given back in 2006 (RFC 3701): a failing test calls no stranger.
const PUBLIC: &str = "[3ffe::1]:80";

/// Tries the three ways out, and returns how each failed.
async fn all_fail(outbound: &Outbound, http: &str, ws: &str) -> [Failed; 3] {
    let call = outbound.call(Call::get(http)).await.unwrap_err();
    let stream = outbound.stream(Call::get(http), IDLE).await.unwrap_err();
    let socket = outbound.socket(ws, Vec::new(), IDLE, false).await.unwrap_err();
    [call, stream, socket]
}

#[tokio::test]
async fn a_private_address_is_not_called_unless_it_is_listed_and_the_secret_is_not_told() {
    let mut outside = Outside::saying(response("200 OK", "", "{}")).await;
    let mut clear = Outside::saying_in_the_clear(response("200 OK", "", "{}")).await;
    let outbound = Outbound::new(outside.unlisted());
    let encrypted = all_fail(&outbound, &outside.url(), &outside.url_of("wss")).await;
    let in_the_clear = all_fail(&outbound, &clear.url(), &clear.url_of("ws")).await;
    for failed in encrypted.into_iter().chain(in_the_clear) {
        assert!(matches!(failed, Failed::Private { .. }), "{failed}");
        let words = failed.to_string();
        assert!(words.contains("`outbound.private`") && !words.contains("secret"), "{words}");
    }
    assert!(outside.heard.try_recv().is_err() && clear.heard.try_recv().is_err(), "nothing was sent");

    let outbound = Outbound::new(outside.options());
    for url in [outside.url(), clear.url()] {
        assert_eq!(outbound.call(Call::get(url)).await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn a_private_address_that_the_operator_named_is_called_without_being_listed() {
    let outside = Outside::saying(response("200 OK", "", "{}")).await;
    let clear = Outside::saying_in_the_clear(response("200 OK", "", "{}")).await;
    let outbound = Outbound::new(outside.unlisted());
    for url in [outside.url(), clear.url()] {
        let named = || Call { named_by_operator: true, ..Call::get(url.clone()) };
        assert_eq!(outbound.call(named()).await.unwrap().status, 200);
        assert_eq!(outbound.stream(named(), IDLE).await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn nothing_is_sent_in_the_clear_to_a_public_address() {
    let public: SocketAddr = PUBLIC.parse().unwrap();
    let names = Names::answering([vec![public], vec![public], vec![public], vec![public]]);
    let private = vec!["::/0".parse().unwrap()];
    let resolver = Arc::new(names.clone());
    let outbound = Outbound::new(OutboundOptions { private, resolver, ..OutboundOptions::default() });
    for failed in all_fail(&outbound, "http://relay.example/secret", "ws://relay.example/secret").await {
        assert!(matches!(failed, Failed::InTheClear { .. }), "{failed}");
        let words = failed.to_string();
        assert!(words.contains("https://") && !words.contains("secret"), "{words}");
    }
    let named = Call { named_by_operator: true, ..Call::get("http://relay.example/secret") };
    let failed = outbound.call(named).await.unwrap_err();
    assert!(matches!(failed, Failed::InTheClear { .. }), "{failed}");
}

#[tokio::test]
async fn a_name_that_is_private_and_public_at_the_same_time_is_not_called() {
    let mut clear = Outside::saying_in_the_clear(response("200 OK", "", "{}")).await;
    let public: SocketAddr = PUBLIC.parse().unwrap();
    for found in [vec![clear.address, public], vec![public, clear.address]] {
        let names = Names::answering([found.clone(), found.clone(), found.clone()]);
        let outbound = Outbound::new(OutboundOptions { resolver: Arc::new(names), ..clear.unlisted() });
        let url = format!("https://relay.example:{}/", clear.address.port());
        let failed = outbound.call(Call::get(url.clone())).await.unwrap_err();
        assert!(matches!(failed, Failed::Private { address, .. } if address == clear.address.ip()), "{failed}");
        // In the clear not even if the operator named it: the connection could go to either.
        let url = url.replace("https", "http");
        let failed = outbound.call(Call { named_by_operator: true, ..Call::get(url.clone()) }).await.unwrap_err();
        assert!(matches!(failed, Failed::InTheClear { address, .. } if address == public.ip()), "{failed}");
        let failed = outbound.stream(Call::get(url), IDLE).await.unwrap_err();
        assert!(matches!(failed, Failed::Private { .. }), "{failed}");
    }
    assert!(clear.heard.try_recv().is_err(), "nothing was sent");
}

#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_checked() {
    let mut first = Outside::saying_in_the_clear(response("200 OK", "", "first")).await;
    let mut second = Outside::saying_in_the_clear(response("200 OK", "", "second")).await;
    let names = Names::answering([vec![first.address], vec![second.address]]);
    let outbound = Outbound::new(OutboundOptions { resolver: Arc::new(names.clone()), ..first.options() });
    let answered = outbound.call(Call::get("http://relay.example/")).await.unwrap();
    assert_eq!((&*answered.body, names.left()), (&b"first"[..], 1), "the name was resolved once");
    let heard = first.heard.recv().await.unwrap();
    assert!(heard.contains("host: relay.example\r\n"), "{heard}");
    assert!(second.heard.try_recv().is_err());
}

#[tokio::test]
async fn only_addresses_of_the_right_kind_are_called_and_only_names_that_exist() {
    let outbound = Outbound::new(OutboundOptions::default());
    for url in ["https://", "ftp://a/", "nonsense", "https://me:secret@localhost/", "file:///etc/passwd"] {
        for failed in all_fail(&outbound, url, url).await {
            assert!(matches!(failed, Failed::NotAnAddress), "{url}: {failed}");
        }
    }
    let failed = outbound.socket("https://localhost/", Vec::new(), IDLE, false).await.unwrap_err();
    assert!(matches!(failed, Failed::NotAnAddress), "{failed}");
    for failed in all_fail(&outbound, "https://nobody.invalid/secret", "wss://nobody.invalid/secret").await {
        assert!(matches!(failed, Failed::NoSuchHost { .. }), "{failed}");
    }
}
