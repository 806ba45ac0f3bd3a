//! One release after the other, under load: people and agents come back and nothing is lost, repeated or refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::agents::Asked;
use crate::server::Server;
use crate::{agents, judge, people};

const UPGRADES: usize = 6;
const AGENTS: usize = 32;
const LABELS: [&str; 2] = ["North", "East"];
/// Rounds that each life of the server has to finish before the next one follows.
const ROUNDS: f64 = 30.0;

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_socket_that_stays_open_nobody_is_turned_away_by_an_upgrade() {
    let asked = upgrade(Server::start_handed().await).await;
    let unheard: usize = asked.iter().map(|asked| asked.unheard).sum();
    assert_eq!(unheard, 0, "somebody found nobody listening");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_opens_its_own_socket_is_followed_by_the_next_without_loss() {
    upgrade(Server::start().await).await;
}

async fn upgrade(mut server: Server) -> Vec<Asked> {
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

    for number in 0..UPGRADES {
        rounds_were_made(&server).await;
        match number % 2 {
            0 => server.upgrade_ahead().await,
            _ => server.upgrade_behind().await,
        }
    }
    rounds_were_made(&server).await;

    agents_stop.store(true, Ordering::Relaxed);
    let mut asked = Vec::new();
    for agent in asking {
        asked.extend(agent.await.unwrap());
    }
    let turned_away: usize = asked.iter().map(|asked| asked.turned_away).sum();
    assert_eq!(turned_away, 0, "a server that was stopping refused what it could have served");
    everything_was_delivered(&server).await;
    people_stop.store(true, Ordering::Relaxed);
    let mut seen = Vec::new();
    for person in watching {
        seen.push(person.await.unwrap());
    }
    server.stop();
    let storm = judge::Storm { lives: UPGRADES + 1, connections: UPGRADES + 1, torn: false };
    judge::judge(server.folder.path(), &asked, &seen, storm).await;
    asked
}

/// Waits until this life of the server has had something to do.
async fn rounds_were_made(server: &Server) {
    wait("rounds are made", server, async |server| {
        server.metric("askbridge_ask_to_settled_seconds_count").await >= ROUNDS
    })
    .await;
}

/// Waits until nothing that rides along is on its way any more, and everybody has heard of it.
async fn everything_was_delivered(server: &Server) {
    let quiet = async |server: &Server| {
        let before = server.metric("askbridge_journal_commit_entries_sum").await;
        let delivered = server.metric("askbridge_settled_to_delivered_seconds_count").await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        let after = server.metric("askbridge_journal_commit_entries_sum").await;
        delivered > 0.0 && before == after
    };
    wait("everything is delivered", server, quiet).await;
}

async fn wait(what: &str, server: &Server, mut done: impl AsyncFnMut(&Server) -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !done(server).await {
        assert!(Instant::now() < patience, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
