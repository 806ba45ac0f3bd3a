//! Bugs that others had, each a test with its number. The whole list is in docs/design/others-bugs.md.

mod answers;
mod connections;
mod races;

use serde_json::{Value, json};

use crate::kit::House;

fn question() -> Value {
    json!({"questions": [{"question": "Which way?", "options": [{"label": "North"}, {"label": "South"}]}]})
}

async fn ask(house: &House, token: &str, body: &Value) -> String {
    let (status, asked) = house.post("/v1/asks", token, body).await;
    assert_eq!(status, 201, "{asked}");
    asked["id"].as_str().expect("an ask has an id").to_owned()
}

async fn answer(house: &House, token: &str, id: &str, answers: Value) -> (u16, Value) {
    house.post(&format!("/v1/asks/{id}/answer"), token, &json!({"answers": answers})).await
}
