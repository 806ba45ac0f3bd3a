//! SIGKILL, again and again, with rounds in flight.

use std::time::Duration;

use askbridge_scripted::storm;

use crate::crowd::Crowd;
use crate::judge;
use crate::server::Server;

const AGENTS: usize = 64;
const LABELS: [&str; 3] = ["North", "East", "South"];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_doubled_however_often_the_server_is_killed() {
    let kills = storm::count("kills of the server, with 64 agents asking", 50, 500);
    let mut server = Server::start().await;
    let mut crowd = Crowd::gather(&server, &LABELS, AGENTS).await;

    // Pseudo-random, and the same in every run, so that a failure can be repeated.
    let mut moment: u64 = 0x5eed;
    for _ in 0..kills {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tokio::time::sleep(Duration::from_millis(20 + (moment >> 33) % 180)).await;
        server.kill();
        server.run().await;
    }

    let asked = crowd.stop_asking().await;
    // The last deliveries are written a moment later.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let seen = crowd.leave().await;
    server.stop();
    let storm = judge::Storm { lives: 31, connections: 11, torn: true };
    judge::judge(server.folder.path(), &asked, &seen, storm).await;
}
