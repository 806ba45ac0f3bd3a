//! Login cookies of pages of other systems: never a token, for one dialect alone, and ended when they should be.

use std::time::Duration;

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_peers::uuid;
use futures_util::StreamExt;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::kit::{House, PATIENCE, memory};

/// Sends a request as a browser does, and returns its status and body.
async fn request(house: &House, method: &str, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let mut request = Request::builder().method(method).uri(path).header("host", house.address().to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = house.send(request.body(Full::default()).expect("a request")).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a whole body").to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// Logs in with a token, and returns the cookie without its attributes.
async fn log_in(house: &House, token: &str) -> String {
    let body = json!({"username": "ada", "password": token}).to_string();
    let request = Request::builder().method("POST").uri("/api/auth/login").header("host", house.address().to_string());
    let response = house.send(request.body(Full::from(body)).expect("a request")).await;
    assert_eq!(response.status().as_u16(), 200);
    let cookie = response.headers()["set-cookie"].to_str().expect("a cookie is text");
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Max-Age=2592000"), "{cookie}");
    let (cookie, _) = cookie.split_once(';').expect("a cookie says more about itself");
    assert!(!cookie.contains(token), "a cookie is never the token");
    cookie.to_owned()
}

type ClientSocket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// Opens a socket with these headers, or returns the status that refused it.
async fn socket(house: &House, path: &str, headers: &[(&'static str, &str)]) -> Result<ClientSocket, u16> {
    let mut request = format!("ws://{}{path}", house.address()).into_client_request().expect("this is an address");
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().expect("headers are printable"));
    }
    match connect_async(request).await {
        Ok((line, _)) => Ok(line),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(other) => panic!("could not connect: {other}"),
    }
}

async fn code_of_the_end(mut line: ClientSocket) -> u16 {
    loop {
        match timeout(PATIENCE, line.next()).await.expect("it ends") {
            Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
            Some(Ok(_)) => {}
            other => panic!("waited for a goodbye, heard {other:?}"),
        }
    }
}

#[tokio::test]
async fn gobbys_cookie_counts_at_its_own_addresses_and_is_no_token_anywhere() {
    let house = House::speaking("gobby").await;
    let ada = house.operator("ada").await;
    let cookie = log_in(&house, &ada).await;
    let secret = cookie.strip_prefix("gobby_session=").expect("it has its name");
    let own = format!("http://{}", house.address());
    let with = [("cookie", cookie.as_str())];
    let from_our_page = [("cookie", cookie.as_str()), ("origin", own.as_str())];
    let from_another_port = [("cookie", cookie.as_str()), ("origin", "http://localhost:3000")];

    assert_eq!(request(&house, "GET", "/api/auth/status", &with).await.1["authenticated"], true);
    assert_eq!(request(&house, "GET", "/api/sessions", &with).await.0, 200);
    for (method, path) in [("POST", "/api/chat/attachments"), ("PUT", "/api/config/ui-settings")] {
        assert_eq!(request(&house, method, path, &with).await.0, 401, "{path}: no page says that it is ours");
        assert_eq!(request(&house, method, path, &from_another_port).await.0, 403, "{path}");
        let (status, body) = request(&house, method, path, &from_our_page).await;
        assert!(![401, 403].contains(&status), "{path}: {status} {body}");
    }
    assert_eq!(socket(&house, "/ws", &with).await.err(), Some(401));
    assert_eq!(socket(&house, "/ws", &from_another_port).await.err(), Some(403));
    assert!(socket(&house, "/ws", &from_our_page).await.is_ok());

    let bearer = format!("Bearer {secret}");
    for path in ["/v1/me", "/v1/asks", "/api/sessions"] {
        assert_eq!(request(&house, "GET", path, &[("authorization", &bearer)]).await.0, 401, "{path}");
    }
    for path in [format!("/api/sessions?token={secret}"), format!("/t/{secret}/api/sessions")] {
        assert_eq!(request(&house, "GET", &path, &[]).await.0, 401, "{path}");
    }
    assert_eq!(request(&house, "GET", "/v1/me", &from_our_page).await.0, 401, "our own addresses read no cookie");

    // The cookie that earlier releases set.
    let old = format!("gobby_session={ada}");
    assert_eq!(request(&house, "GET", "/api/sessions", &[("cookie", &old)]).await.0, 401);
    let (status, said) = request(&house, "GET", "/api/auth/status", &[("cookie", &old)]).await;
    assert_eq!((status, &said["auth_required"]), (200, &json!(true)), "so the page asks to log in");
    house.close().await;
}

#[tokio::test]
async fn cccs_cookie_opens_its_socket_and_nothing_else() {
    let store = memory();
    let house = House::open_speaking(store.clone(), Clock::System, 7, "ccc").await;
    let ada = house.operator("ada").await;
    let cookie = log_in(&house, &ada).await;
    let secret = cookie.strip_prefix("ccc_chat=").expect("it has its name");
    let own = format!("http://{}", house.address());
    let from_our_page = [("cookie", cookie.as_str()), ("origin", own.as_str())];
    assert!(socket(&house, "/ws/chat/x", &from_our_page).await.is_ok());
    assert_eq!(socket(&house, "/ws/chat/x", &from_our_page[..1]).await.err(), Some(401));
    for path in ["/api/auth/me", "/api/projects"] {
        assert_eq!(request(&house, "GET", path, &from_our_page).await.0, 401, "{path}");
    }
    assert_eq!(socket(&house, &format!("/ws/chat/x?token={secret}"), &[]).await.err(), Some(401));
    let old = format!("ccc_chat={ada}");
    assert_eq!(socket(&house, "/ws/chat/x", &[("cookie", &old), ("origin", &own)]).await.err(), Some(401));

    let other = House::open_speaking(store, Clock::System, 8, "gobby").await;
    let moved = format!("gobby_session={secret}");
    assert_eq!(request(&other, "GET", "/api/sessions", &[("cookie", &moved)]).await.0, 401, "it is ccc's alone");
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn a_cookie_ends_at_logout_together_with_the_socket_that_it_opened() {
    for dialect in ["gobby", "ccc"] {
        let house = House::speaking(dialect).await;
        let ada = house.operator("ada").await;
        let (_, session) = house.post("/v1/sessions", &ada, &json!({"agent": "ci"})).await;
        let session: SessionId =
            session["id"].as_str().expect("a session has an id").parse().expect("of a known shape");
        let path = match dialect {
            "ccc" => format!("/ws/chat/{}", uuid::of_session(session)),
            _ => "/ws".to_owned(),
        };
        let own = format!("http://{}", house.address());
        let (first, second) = (log_in(&house, &ada).await, log_in(&house, &ada).await);
        let from = |cookie: &str| [("cookie", cookie.to_owned()), ("origin", own.clone())];
        let knock = async |cookie: &str| {
            let headers = from(cookie);
            socket(&house, &path, &headers.each_ref().map(|(name, value)| (*name, value.as_str()))).await
        };
        let line = knock(&first).await.expect("it is a good cookie");
        let headers = from(&first);
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        assert_eq!(request(&house, "POST", "/api/auth/logout", &headers).await.0, 200, "{dialect}");
        assert_eq!(code_of_the_end(line).await, 4401, "{dialect}");
        assert_eq!(knock(&first).await.err(), Some(401), "{dialect}");
        assert!(knock(&second).await.is_ok(), "{dialect}: another browser stays logged in");
        // The token alone does not say which browser is meant.
        let bearer = format!("Bearer {ada}");
        assert_eq!(request(&house, "POST", "/api/auth/logout", &[("authorization", &bearer)]).await.0, 200);
        assert_eq!(knock(&second).await.err(), Some(401), "{dialect}");
        assert_eq!(request(&house, "GET", "/v1/me", &[("authorization", &bearer)]).await.0, 200, "the token stays");
        house.close().await;
    }
}

#[tokio::test]
async fn a_cookie_survives_a_restart_and_ends_with_its_token_or_after_thirty_days() {
    let (store, clock) = (memory(), Manual::new(Timestamp(1_790_000_000_000)));
    let open = async |seed| House::open_speaking(store.clone(), Clock::Manual(clock.clone()), seed, "gobby").await;
    let status =
        async |house: &House, cookie: &str| request(house, "GET", "/api/sessions", &[("cookie", cookie)]).await.0;
    let house = open(1).await;
    let (ada, bob) = (house.operator("ada").await, house.operator("bob").await);
    let (of_ada, of_bob) = (log_in(&house, &ada).await, log_in(&house, &bob).await);
    assert_eq!((status(&house, &of_ada).await, status(&house, &of_bob).await), (200, 200));
    house.revoke("bob").await;
    assert_eq!((status(&house, &of_ada).await, status(&house, &of_bob).await), (200, 401));
    house.close().await;

    let house = open(2).await;
    assert_eq!((status(&house, &of_ada).await, status(&house, &of_bob).await), (200, 401));
    let day = Duration::from_secs(24 * 60 * 60);
    clock.set(clock_now(&clock).plus(29 * day));
    assert_eq!(status(&house, &of_ada).await, 200);
    clock.set(clock_now(&clock).plus(day));
    assert_eq!(status(&house, &of_ada).await, 401);
    house.close().await;
}

fn clock_now(clock: &Manual) -> Timestamp {
    Clock::Manual(clock.clone()).now()
}
