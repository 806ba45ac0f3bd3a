//! What counts against a token's rate: a request counts once, however many wishes it makes; on a socket each wish
//! counts.

use askbridge_bridge::clock::{Clock, Manual};
use askbridge_bridge::runtime::Store;
use askbridge_core::ids::{PartyId, Timestamp};
use askbridge_core::limits::REQUESTS_PER_SECOND;
use askbridge_journal::Memory;
use serde_json::json;

use crate::kit::House;

impl House {
    /// Takes what is left of a token's rate now, and returns how much had been used.
    fn used(&self, party: &PartyId) -> u32 {
        let all = REQUESTS_PER_SECOND * 2;
        all - (0..all).filter(|_| self.app.pace.take(party, self.handle.now()).is_ok()).count() as u32
    }
}

#[tokio::test]
async fn each_way_in_counts_once() {
    let clock = Manual::new(Timestamp(1_800_000_000_000));
    let store = Store::from(Memory::new(7).unwrap());
    let house = House::open_on(store, Clock::Manual(clock), 7).await;
    let asked = json!({"question": "Works?"});

    let agent = house.agent("http").await;
    assert_eq!(house.post("/v1/asks", &agent, &asked).await.0, 201);
    assert_eq!(house.used(&house.app.tokens.caller(&agent).unwrap().party), 1, "a request of our own API");

    let agent = house.agent("mcp").await;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "notify_user", "arguments": {"message": "Built"}}});
    let (status, told) = house.post("/mcp", &agent, &call).await;
    assert_eq!((status, &told["result"]["isError"]), (200, &json!(false)), "{told}");
    assert_eq!(house.used(&house.app.tokens.caller(&agent).unwrap().party), 1, "a request that makes two wishes");

    let operator = house.operator("ada").await;
    let mut socket = house.native(&operator).await;
    for tag in 1..=3 {
        socket.say(&json!({"type": "start", "tag": tag}).to_string()).await;
        socket.hear("a receipt", |frame| frame["tag"] == tag).await;
    }
    assert_eq!(house.used(&house.app.tokens.caller(&operator).unwrap().party), 3, "each wish on a socket");
    house.close().await;
}
