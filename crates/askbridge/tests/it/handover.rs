//! One server after another on the same data folder.

use std::os::unix::net::UnixDatagram;

use crate::bridge::TestBridge;
use crate::patience::until;

#[test]
fn a_server_that_waits_takes_over_when_the_first_is_killed() {
    let mut bridge = TestBridge::start();
    let ask = bridge.ask("one", &serde_json::json!({"question": "Deploy now?"}));
    let next = bridge.spawn_bash("ASKBRIDGE_LISTEN=127.0.0.1:0 exec askbridge serve --wait-for-lock");
    next.tells("Waiting for another askbridge to stop");
    assert_eq!(next.stdout(), "", "it does not serve yet");
    bridge.kill();
    next.prints("http://");
    assert_eq!(bridge.the_open_ask(), ask);
    next.interrupt();
    assert_eq!(next.ended().code, Some(0));
}

#[test]
fn whoever_started_us_hears_when_we_are_ready_and_when_we_stop() {
    let bridge = TestBridge::stopped();
    let path = bridge.dir.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_nonblocking(true).unwrap();
    let mut heard = [0; 64];
    let mut hear = |what: &str| {
        until(what, || {
            manager.recv(&mut heard).ok().map(|length| String::from_utf8_lossy(&heard[..length]).into_owned())
        })
    };
    let script = format!("NOTIFY_SOCKET='{}' ASKBRIDGE_LISTEN=127.0.0.1:0 exec askbridge serve", path.display());
    let server = bridge.spawn_bash(&script);
    assert_eq!(hear("it is ready"), "READY=1");
    assert_eq!(bridge.get("/readyz", "").status, 200);
    server.interrupt();
    assert_eq!(hear("it stops"), "STOPPING=1");
    assert_eq!(server.ended().code, Some(0));
}
