//! One release after the other, under load: people and agents reconnect, and nothing is lost, repeated or refused.

use std::time::{Duration, Instant};

use askbridge_scripted::storm;

use crate::agents::QuestionRecord;
use crate::crowd::Crowd;
use crate::judge;
use crate::server::Server;

const AGENTS: usize = 32;
const LABELS: [&str; 2] = ["North", "East"];
/// Rounds that each life of the server has to finish before the next one starts.
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

async fn upgrade(mut server: Server) -> Vec<QuestionRecord> {
    let upgrades = storm::count("upgrades of the server under load", 6, 40);
    let mut crowd = Crowd::gather(&server, &LABELS, AGENTS).await;

    for number in 0..upgrades {
        rounds_were_made(&server).await;
        match number % 2 {
            0 => server.upgrade_ahead().await,
            _ => server.upgrade_behind().await,
        }
    }
    rounds_were_made(&server).await;

    let asked = crowd.stop_asking().await;
    let turned_away: usize = asked.iter().map(|asked| asked.turned_away).sum();
    assert_eq!(turned_away, 0, "a server that was stopping refused what it could have served");
    everything_was_delivered(&server).await;
    let seen = crowd.leave().await;
    server.stop();
    let storm = judge::Storm { lives: upgrades + 1, connections: upgrades + 1, torn: false };
    judge::judge(server.folder.path(), &asked, &seen, storm).await;
    asked
}

/// Waits until this life of the server has made enough rounds.
async fn rounds_were_made(server: &Server) {
    wait("rounds are made", server, async |server| {
        server.metric("askbridge_ask_to_settled_seconds_count").await >= ROUNDS
    })
    .await;
}

/// Waits until no rider is pending any more, and every client has been told.
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
