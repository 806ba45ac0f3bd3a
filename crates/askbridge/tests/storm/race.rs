//! A hundred people answer the same ask at the same moment.

use askbridge_scripted::storm;
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::sync::{broadcast, mpsc};

use crate::server::Server;
use crate::wire::{Http, Socket};

const PEOPLE: usize = 100;
const OPTIONS: [&str; 4] = ["North", "East", "South", "West"];

/// What one of them was told.
#[derive(Debug, PartialEq)]
enum RaceResult {
    Won,
    Lost { to: String },
    Else(String),
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_answers_have_one_winner_and_everyone_learns_who_it_was() {
    let rounds = storm::count("asks, each answered by a hundred people at the same moment", 300, 3_000);
    let server = Server::start().await;
    let (go, _) = broadcast::channel::<String>(16);
    let (told, mut heard) = mpsc::channel(PEOPLE);
    for place in 0..PEOPLE {
        let name = format!("p{place}");
        let token = server.person(&name).await;
        let (mut go, told, address) = (go.subscribe(), told.clone(), server.address.clone());
        let socket_path = server.socket_path();
        tokio::spawn(async move {
            let mut surface = match place % 3 {
                0 => Surface::Socket(Box::new(greet(&address, &token).await)),
                1 => Surface::Port(Http::connect(&address).await.unwrap()),
                _ => Surface::Local(Http::over(UnixStream::connect(socket_path).await.unwrap())),
            };
            while let Ok(ask) = go.recv().await {
                let said = surface.answer(&token, &ask, OPTIONS[place % OPTIONS.len()]).await;
                told.send((name.clone(), said)).await.unwrap();
            }
        });
    }
    let (mut agent, token) = (Http::connect(&server.address).await.unwrap(), server.agent_token());
    let options: Vec<_> = OPTIONS.iter().map(|label| json!({"label": label})).collect();
    let question = json!({"questions": [{"question": "Which way?", "options": options}]});
    for round in 0..rounds {
        let (status, asked) =
            agent.post("/v1/asks", &format!("authorization: Bearer {token}\r\n"), &question).await.unwrap();
        assert_eq!(status, 201, "{asked}");
        let ask = asked["id"].as_str().unwrap();
        go.send(ask.to_owned()).unwrap();
        let mut all = Vec::new();
        while all.len() < PEOPLE {
            all.push(heard.recv().await.unwrap());
        }
        let winners: Vec<_> =
            all.iter().filter(|(_, told)| *told == RaceResult::Won).map(|(name, _)| name.clone()).collect();
        let [winner] = winners.as_slice() else { panic!("round {round} was won by {winners:?}: {all:?}") };
        for (name, told) in &all {
            if name != winner {
                assert_eq!(*told, RaceResult::Lost { to: winner.clone() }, "round {round}, {name}");
            }
        }
        let (_, settled) = agent.get(&format!("/v1/asks/{ask}"), &token).await.unwrap();
        assert_eq!(settled["by"]["person"], *winner, "the agent hears the winner");
    }
}

enum Surface {
    Socket(Box<Socket>),
    Port(Http<tokio::net::TcpStream>),
    Local(Http<UnixStream>),
}

impl Surface {
    async fn answer(&mut self, token: &str, ask: &str, label: &str) -> RaceResult {
        let answers = json!({"Which way?": label});
        let path = format!("/v1/asks/{ask}/answer");
        let headers = format!("authorization: Bearer {token}\r\n");
        match self {
            Self::Socket(socket) => {
                let frame = json!({"type": "answer", "tag": 7, "ask": ask, "answers": answers});
                socket.send(&frame).await.unwrap();
                loop {
                    let frame = socket.next().await.expect("the socket stays open");
                    if frame["type"] == "reply" {
                        return if frame["ok"] == true { RaceResult::Won } else { lost(&frame["error"]) };
                    }
                }
            }
            Self::Port(http) => ruling(http.post(&path, &headers, &json!({"answers": answers})).await.unwrap()),
            Self::Local(http) => ruling(http.post(&path, &headers, &json!({"answers": answers})).await.unwrap()),
        }
    }
}

fn ruling((status, body): (u16, Value)) -> RaceResult {
    match status {
        200 => RaceResult::Won,
        409 => lost(&body),
        _ => RaceResult::Else(body.to_string()),
    }
}

fn lost(problem: &Value) -> RaceResult {
    match problem["winner"]["by"]["person"].as_str() {
        Some(to) if problem["code"] == "already_decided" => RaceResult::Lost { to: to.to_owned() },
        _ => RaceResult::Else(problem.to_string()),
    }
}

async fn greet(address: &str, token: &str) -> Socket {
    let mut socket = Socket::connect(address).await.unwrap();
    socket.send(&json!({"type": "hello", "token": token})).await.unwrap();
    while socket.next().await.expect("the socket stays open")["type"] != "snapshot" {}
    socket
}
