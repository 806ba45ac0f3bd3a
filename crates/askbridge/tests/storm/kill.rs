//! kill -9, again and again, with rounds in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::server::Server;
use crate::{agents, judge, people};

const KILLS: usize = 50;
const AGENTS: usize = 64;
const LABELS: [&str; 3] = ["North", "East", "South"];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_doubled_however_often_the_server_is_killed() {
    let mut server = Server::start().await;
    let agent_token = server.agent_token();
    let (agents_stop, people_stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let ready = Arc::new(Semaphore::new(0));
    let mut watching = Vec::new();
    for label in LABELS {
        let token = server.person(label).await;
        let (address, ready, stop) = (server.address.clone(), Arc::clone(&ready), Arc::clone(&people_stop));
        watching.push(tokio::spawn(people::answer(address, token, label, ready, stop)));
    }
    // They are there before the first question, so they have to hear of everything.
    drop(ready.acquire_many(LABELS.len() as u32).await.unwrap());
    let asking = (0..AGENTS).map(|place| {
        let (address, token, stop) = (server.address.clone(), agent_token.clone(), Arc::clone(&agents_stop));
        tokio::spawn(agents::ask(address, token, place, stop))
    });
    let asking: Vec<_> = asking.collect();

    // Moments that differ from run to run would be hard to repeat; these only look random.
    let mut moment: u64 = 0x5eed;
    for _ in 0..KILLS {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tokio::time::sleep(Duration::from_millis(20 + (moment >> 33) % 180)).await;
        server.kill();
        server.run().await;
    }

    agents_stop.store(true, Ordering::Relaxed);
    let mut asked = Vec::new();
    for agent in asking {
        asked.extend(agent.await.unwrap());
    }
    // The last deliveries ride along a moment later.
    tokio::time::sleep(Duration::from_millis(500)).await;
    people_stop.store(true, Ordering::Relaxed);
    let mut seen = Vec::new();
    for person in watching {
        seen.push(person.await.unwrap());
    }
    server.stop();
    let storm = judge::Storm { lives: 31, connections: 11, torn: true };
    judge::judge(server.folder.path(), &asked, &seen, storm).await;
}
