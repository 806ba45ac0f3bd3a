//! WebSockets to outside servers.

use std::time::Duration;

use askbridge_bridge::outbound::{Failed, Outbound, OutboundOptions, Socket};
use askbridge_core::limits;
use axum::http::header::{self, HeaderValue};
use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::outside::{Io, Outside, Visit, response};

const IDLE: Duration = Duration::from_secs(60);

/// A server that shakes hands and then does as it is told, in the clear.
async fn served<F, D>(talk: F) -> Outside
where
    F: Fn(WebSocketStream<Box<dyn Io>>) -> D + Send + Sync + Copy + 'static,
    D: Future<Output = ()> + Send + 'static,
{
    Outside::clear(move |visit| async move {
        if let Ok(socket) = accept_async(visit.wire).await {
            talk(socket).await;
        }
    })
    .await
}

async fn open(outside: &Outside, idle: Duration) -> Socket {
    let scheme = if outside.authority.is_some() { "wss" } else { "ws" };
    Outbound::new(outside.options()).socket(&outside.url_of(scheme), Vec::new(), idle, false).await.unwrap()
}

/// Sends everything back until the client leaves.
async fn echo(mut socket: WebSocketStream<Box<dyn Io>>) {
    while let Some(Ok(message)) = socket.next().await {
        if message.is_text() {
            let _ = socket.send(message).await;
        }
    }
}

#[tokio::test]
async fn messages_go_both_ways_encrypted_or_not() {
    let clear = served(echo).await;
    let encrypted =
        Outside::encrypted(|visit: Visit| async move { echo(accept_async(visit.wire).await.unwrap()).await });
    for outside in [clear, encrypted.await] {
        let mut socket = open(&outside, IDLE).await;
        for text in ["hello", "", "é"] {
            socket.send(text).await.unwrap();
            assert_eq!(socket.next().await.unwrap().unwrap(), text);
        }
        let longest = "x".repeat(limits::OUTBOUND_MESSAGE_BYTES_MAX);
        socket.send(longest.clone()).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), longest);
        socket.close().await;
    }
}

#[tokio::test]
async fn the_handshake_carries_the_headers_and_a_redirect_is_not_followed() {
    let mut elsewhere = Outside::silent().await;
    let more = format!("location: {}\r\n", elsewhere.url_of("ws"));
    let mut outside = Outside::saying_in_the_clear(response("302 Found", &more, "")).await;
    let outbound = Outbound::new(outside.options());
    let own = vec![(header::AUTHORIZATION, HeaderValue::from_static("Bearer xapp-1"))];
    let failed = outbound.socket(&outside.url_of("ws"), own, IDLE, false).await.unwrap_err();
    assert!(matches!(failed, Failed::NoSocket { status: 302, .. }), "{failed}");
    let heard = outside.heard.recv().await.unwrap().to_lowercase();
    assert!(heard.starts_with("get /push/1/secret?x=y http/1.1\r\n"), "{heard}");
    for line in ["authorization: bearer xapp-1", "upgrade: websocket", "user-agent: askbridge/"] {
        assert!(heard.contains(line), "{heard}");
    }
    assert!(heard.contains(&format!("host: localhost:{}\r\n", outside.address.port())), "{heard}");
    assert!(elsewhere.heard.try_recv().is_err(), "the other was not called");

    let own = vec![(header::HOST, HeaderValue::from_static("elsewhere"))];
    let failed = outbound.socket(&outside.url_of("ws"), own, IDLE, false).await.unwrap_err();
    assert!(matches!(failed, Failed::Header { .. }), "{failed}");
}

#[tokio::test]
async fn a_server_that_never_shakes_hands_is_given_up() {
    let silent = Outside::silent().await;
    let patience = Duration::from_millis(200);
    let outbound = Outbound::new(OutboundOptions { patience, ..silent.options() });
    let failed = outbound.socket(&silent.url_of("ws"), Vec::new(), IDLE, false).await.unwrap_err();
    assert!(matches!(failed, Failed::TooSlow { after, .. } if after == patience), "{failed}");
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_socket() {
    let outside = served(|mut socket| async move {
        let _ = socket.send(Message::text("x".repeat(limits::OUTBOUND_MESSAGE_BYTES_MAX + 1))).await;
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    let mut socket = open(&outside, IDLE).await;
    let failed = socket.next().await.unwrap().unwrap_err();
    assert!(matches!(failed, Failed::TooLarge { what: "a message", .. }), "{failed}");
    assert!(socket.next().await.is_none(), "nothing comes after it");
}

#[tokio::test]
async fn bytes_are_not_taken_for_text() {
    let outside = served(|mut socket| async move {
        let _ = socket.send(Message::binary(vec![1, 2, 3])).await;
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    let mut socket = open(&outside, IDLE).await;
    let failed = socket.next().await.unwrap().unwrap_err();
    assert!(matches!(failed, Failed::NoAnswer { .. }), "{failed}");
    assert!(socket.next().await.is_none(), "nothing comes after it");
}

#[tokio::test]
async fn a_ping_is_answered_without_the_caller() {
    let outside = served(|mut socket| async move {
        let _ = socket.send(Message::Ping("beat".into())).await;
        if let Some(Ok(Message::Pong(beat))) = socket.next().await {
            let _ = socket.send(Message::text(format!("{} came back", String::from_utf8_lossy(&beat)))).await;
        }
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    assert_eq!(open(&outside, IDLE).await.next().await.unwrap().unwrap(), "beat came back");
}

#[tokio::test]
async fn a_quiet_server_is_asked_whether_it_is_there() {
    let outside = served(|mut socket| async move {
        // Reading a ping answers it. By the second one the silence would have been too long without that answer.
        for _ in 0..2 {
            while !matches!(socket.next().await, Some(Ok(Message::Ping(_))) | None) {}
        }
        let _ = socket.send(Message::text("still here")).await;
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    let mut socket = open(&outside, Duration::from_secs(3)).await;
    assert_eq!(socket.next().await.unwrap().unwrap(), "still here");
}

#[tokio::test]
async fn a_server_that_falls_silent_ends_the_socket() {
    let outside = served(|socket| async move {
        // Open, but never read.
        std::future::pending::<()>().await;
        drop(socket);
    })
    .await;
    let idle = Duration::from_millis(200);
    let mut socket = open(&outside, idle).await;
    let failed = socket.next().await.unwrap().unwrap_err();
    assert!(matches!(failed, Failed::Silent { after, .. } if after == idle), "{failed}");
    assert!(socket.next().await.is_none(), "nothing comes after it");
}

#[tokio::test]
async fn either_side_can_close() {
    let outside = served(|mut socket| async move {
        let _ = socket.send(Message::text("bye")).await;
        let _ = socket.close(None).await;
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    let mut socket = open(&outside, IDLE).await;
    assert_eq!(socket.next().await.unwrap().unwrap(), "bye");
    assert!(socket.next().await.is_none());
    socket.send("too late").await.unwrap_err();

    let mut outside = Outside::clear(|mut visit| async move {
        let mut socket = accept_async(&mut visit.wire).await.unwrap();
        let closed = matches!(socket.next().await, Some(Ok(Message::Close(_))));
        let ended = socket.next().await.is_none();
        visit.report(&format!("closed {closed}, ended {ended}")).await;
    })
    .await;
    open(&outside, IDLE).await.close().await;
    assert_eq!(outside.heard.recv().await.unwrap(), "closed true, ended true");
}

#[tokio::test]
async fn dropping_a_socket_closes_the_connection() {
    let mut outside = Outside::clear(|mut visit| async move {
        let mut socket = accept_async(&mut visit.wire).await.unwrap();
        while let Some(Ok(_)) = socket.next().await {}
        visit.report("left").await;
    })
    .await;
    drop(open(&outside, IDLE).await);
    assert_eq!(outside.heard.recv().await.unwrap(), "left");
}
