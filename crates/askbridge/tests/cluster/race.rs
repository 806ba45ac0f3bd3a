//! Eight people on three nodes answer the same ask at the same moment.

use askbridge_scripted::storm;
use serde_json::json;
use tokio::sync::{broadcast, mpsc};

use crate::nats::Nats;
use crate::node::Node;
use crate::wire::Http;

const PEOPLE: usize = 8;
const OPTIONS: [&str; 4] = ["North", "East", "South", "West"];

#[tokio::test(flavor = "multi_thread")]
async fn eight_people_on_three_nodes_have_one_winner_and_the_others_learn_who_it_was() {
    let rounds = storm::count("asks, each answered by eight people on three nodes at the same moment", 40, 1_000);
    let nats = Nats::start();
    let nodes = Node::several(&nats, ["one", "two", "three"]).await;
    let (go, _) = broadcast::channel::<String>(16);
    let (told, mut heard) = mpsc::channel(PEOPLE);
    for place in 0..PEOPLE {
        let name = format!("p{place}");
        let token = nodes[0].person(&name).await;
        let node = &nodes[place % nodes.len()];
        node.until("/v1/me", &token, |status, _| status == 200).await;
        let (mut go, told, address) = (go.subscribe(), told.clone(), node.address.clone());
        tokio::spawn(async move {
            let mut http = Http::connect(&address).await.unwrap();
            let bearer = format!("authorization: Bearer {token}\r\n");
            while let Ok(ask) = go.recv().await {
                let answers = json!({"answers": {"Which way?": OPTIONS[place % OPTIONS.len()]}});
                let said = http.post(&format!("/v1/asks/{ask}/answer"), &bearer, &answers).await.unwrap();
                told.send((name.clone(), said)).await.unwrap();
            }
        });
    }
    let options: Vec<_> = OPTIONS.iter().map(|label| json!({"label": label})).collect();
    let question = json!({"questions": [{"question": "Which way?", "options": options}]});
    for round in 0..rounds {
        let node = &nodes[round % nodes.len()];
        let (status, asked) = node.post("/v1/asks", &node.local_token(), &question).await;
        assert_eq!(status, 201, "{asked}");
        let ask = asked["id"].as_str().unwrap();
        go.send(ask.to_owned()).unwrap();
        let mut all = Vec::new();
        while all.len() < PEOPLE {
            all.push(heard.recv().await.unwrap());
        }
        let winners: Vec<_> = all.iter().filter(|(_, (status, _))| *status == 200).map(|(name, _)| name).collect();
        let [winner] = winners.as_slice() else { panic!("round {round} was won by {winners:?}: {all:?}") };
        for (name, (status, body)) in all.iter().filter(|(name, _)| name != *winner) {
            assert_eq!(*status, 409, "round {round}, {name}: {body}");
            assert_eq!(body["winner"]["by"]["person"], **winner, "round {round}, {name}: {body}");
        }
    }
}
