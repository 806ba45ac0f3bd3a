//! Listing folders is for people who may run an agent there, and for no token of an agent.

use crate::kit::House;

#[tokio::test]
async fn only_people_who_may_run_an_agent_look_at_folders() {
    let house = House::open().await;
    let operator = house.operator("bob").await;
    let (status, found) = house.get("/v1/folders", &operator).await;
    // This bridge runs no agents, so there is no folder to work in.
    assert_eq!((status, found["items"].as_array().map(Vec::len)), (200, Some(0)));
    for token in [house.person("ada").await, house.agent("ci").await, house.local().await] {
        for path in ["/v1/folders", "/v1/folders?below=/", "/v1/folders?below=~"] {
            let (status, said) = house.get(path, &token).await;
            assert_eq!((status, &said["code"]), (403, &"forbidden".into()), "{path}: {said}");
        }
    }
    assert_eq!(house.get("/v1/folders", "").await.0, 401);
}
