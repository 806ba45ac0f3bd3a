//! Revocation takes effect at once: requests that wait on behalf of a token end with it, and get nothing that comes
//! after.

use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::kit::{House, PATIENCE, Socket};

fn question(text: &str) -> Value {
    json!({"questions": [{"question": text, "options": [{"label": "Yes"}, {"label": "No"}]}]})
}

/// Waits until a person is asked. Returns the ask's id.
async fn asked(phone: &mut Socket) -> String {
    let frame = phone.hear("an ask", |frame| frame["event"]["type"] == "asked").await;
    frame["event"]["ask"]["id"].as_str().expect("an ask has an id").to_owned()
}

/// Answers an ask whose asker's token is revoked. The answer counts, and is delivered to no client.
async fn answered_into_nothing(house: &House, ada: &str, ask: &str) {
    let answer = json!({"answers": {"Go?": "Yes"}});
    assert_eq!(house.post(&format!("/v1/asks/{ask}/answer"), ada, &answer).await.0, 200);
    let (_, view) = house.get(&format!("/v1/asks/{ask}"), ada).await;
    assert_eq!((&view["state"], &view["delivered_at"]), (&json!("answered"), &Value::Null), "{view}");
}

async fn status_of(response: impl Future<Output = Response<Incoming>>) -> u16 {
    timeout(PATIENCE, response).await.expect("the wait ends with the token").status().as_u16()
}

fn post(house: &House, path: &str, token: &str, body: &Value) -> Request<Full<bytes::Bytes>> {
    let request = house.request("POST", path, token).header("content-type", "application/json");
    let request = request.header("accept", "application/json, text/event-stream");
    request.body(Full::from(body.to_string())).expect("it is a request")
}

#[tokio::test]
async fn an_agent_that_waits_for_its_answer_is_told_that_it_is_a_stranger() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let asking = status_of(house.send(post(&house, "/v1/asks?wait=600", &agent, &question("Go?"))));
    let (status, ask) = tokio::join!(asking, async {
        let ask = asked(&mut phone).await;
        house.revoke("ci").await;
        ask
    });
    assert_eq!(status, 401);
    answered_into_nothing(&house, &ada, &ask).await;
    house.close().await;
}

#[tokio::test]
async fn an_agent_that_looks_and_waits_is_told_so_as_well() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let (_, ask) = house.post("/v1/asks", &agent, &question("Go?")).await;
    let ask = ask["id"].as_str().unwrap();
    let looking = house.request("GET", &format!("/v1/asks/{ask}?wait=600"), &agent).body(Full::default()).unwrap();
    let (status, ()) = tokio::join!(status_of(house.send(looking)), house.revoke("ci"));
    assert_eq!(status, 401);
    answered_into_nothing(&house, &ada, ask).await;
    house.close().await;
}

#[tokio::test]
async fn a_hook_whose_token_is_revoked_hears_nothing_more() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let event = json!({
        "hook_event_name": "PermissionRequest", "session_id": "c1", "tool_name": "Bash", "tool_input": {"command": "ls"},
    });
    let held = house.send(post(&house, "/v1/hook", &agent, &event)).await;
    assert_eq!(held.status(), 200, "taken at once");
    let ask = asked(&mut phone).await;
    house.revoke("ci").await;
    let body = timeout(PATIENCE, held.into_body().collect()).await.expect("the wait ends with the token");
    assert!(body.is_err(), "it ends without an opinion, not even an empty one");
    let over = phone.hear("the end", |frame| frame["event"]["type"] == "withdrawn").await;
    assert_eq!(over["event"]["ask"], json!(ask));
    assert_eq!(over["event"]["why"], "the agent's token was revoked");
    house.close().await;
}

#[tokio::test]
async fn a_stream_ends_with_its_token_although_nothing_happens() {
    let house = House::open().await;
    let ada = house.person("ada").await;
    let request = house.request("GET", "/v1/events", &ada).body(Full::default()).unwrap();
    let response = house.send(request).await;
    assert_eq!(response.status(), 200);
    house.revoke("ada").await;
    // What was on its way may arrive; then the stream ends.
    let ended = timeout(PATIENCE, response.into_body().collect()).await;
    assert!(ended.is_ok(), "it goes on for a revoked token");
    house.close().await;
}

#[tokio::test]
async fn a_call_through_mcp_ends_with_the_token_and_delivers_nothing() {
    let house = House::open().await;
    let (agent, ada) = (house.agent("ci").await, house.person("ada").await);
    let mut phone = house.native(&ada).await;
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "x"}},
    });
    let greeted = house.send(post(&house, "/mcp", &agent, &hello)).await;
    let session = greeted.headers()["mcp-session-id"].clone();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "ask_user_question", "arguments": question("Go?")},
    });
    let mut calling = post(&house, "/mcp", &agent, &call);
    calling.headers_mut().insert("mcp-session-id", session);
    let (response, ask) = tokio::join!(house.send(calling), asked(&mut phone));
    house.revoke("ci").await;
    let said = timeout(PATIENCE, response.into_body().collect()).await.expect("the call ends with the token");
    let said = said.map(|said| String::from_utf8_lossy(&said.to_bytes()).into_owned()).unwrap_or_default();
    assert!(!said.contains("result"), "{said}");
    answered_into_nothing(&house, &ada, &ask).await;
    house.close().await;
}
