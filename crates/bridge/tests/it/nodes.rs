//! Two nodes on one journal and one bus: what clients of other systems expect of one server holds for both together.

use askbridge_bridge::clock::Clock;
use askbridge_core::ids::SessionId;
use askbridge_peers::uuid;
use serde_json::json;

use crate::kit::{House, memory};

#[tokio::test]
async fn the_newest_connection_takes_a_session_on_whichever_node_the_older_one_is() {
    let store = memory();
    let here = House::open_speaking(store.clone(), Clock::System, 7, "prime").await;
    let (agent, ada) = (here.agent("ci").await, here.person("ada").await);
    let (_, session) = here.post("/v1/sessions", &agent, &json!({"agent": "ci"})).await;
    let id: SessionId = session["id"].as_str().unwrap().parse().unwrap();
    let path = format!("/api/v1/chat/ws/{}", uuid::of_session(id));
    // Tokens are read when a node starts.
    let there = House::open_speaking(store, Clock::System, 8, "prime").await;
    let mut first = here.socket(&path, Some(&ada)).await.unwrap();
    first.hear("how things stand", |frame| frame["type"] == "session_status").await;

    let mut second = there.socket(&path, Some(&ada)).await.unwrap();
    second.hear("how things stand", |frame| frame["type"] == "session_status").await;
    first.hear("that it was taken", |frame| frame["type"] == "session_taken").await;
    assert_eq!(first.hear_end().await, 1000);

    // What is asked on one node is shown on the other.
    let ask = json!({"session": session["id"], "questions": [{"question": "Which?", "options": ["A", "B"]}]});
    here.post("/v1/asks", &agent, &ask).await;
    let asked = second.hear("the question", |frame| frame["type"] == "ask_user_question").await;
    assert_eq!(asked["questions"][0]["question"], "Which?");
    here.close().await;
    there.close().await;
}
