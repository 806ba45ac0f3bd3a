//! HTTPS without a proxy: `--tls-cert` and `--tls-key`.

use std::fs;
use std::path::PathBuf;

use crate::bridge::TestBridge;
use crate::https::{Https, NAME, certify};
use crate::patience::until;
use crate::proxied::{everything_works, other_hosts_are_refused};

/// A server that speaks https itself, with the files of a certificate in its folder.
struct Encrypted {
    bridge: TestBridge,
    https: Https,
}

impl Encrypted {
    fn start() -> Self {
        let mut bridge = TestBridge::stopped();
        let authority = certify(bridge.dir.path());
        bridge.start_with(&["--listen", "127.0.0.1:0", "--tls-cert", "fullchain.pem", "--tls-key", "privkey.pem"]);
        let port = bridge.address().rsplit_once(':').unwrap().1.parse().unwrap();
        Self { bridge, https: Https { name: NAME, port, authority } }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.bridge.dir.path().join(name)
    }

    /// Does a client that trusts the authority in the folder now get an answer?
    fn is_trusted(&self) -> bool {
        self.https.curl("/healthz").output().unwrap().status.success()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_certificate_carries_people_and_agents_without_a_proxy() {
    let Encrypted { bridge, https } = Encrypted::start();
    everything_works(&bridge, &https, &https.url()).await;
    other_hosts_are_refused(&bridge, &https);
    let mut headers = https.curl("/healthz");
    let headers = String::from_utf8(headers.arg("--include").output().unwrap().stdout).unwrap();
    assert!(headers.contains("strict-transport-security: max-age="), "{headers}");
}

#[test]
fn links_lead_to_the_name_in_the_certificate_and_this_machine_needs_none() {
    let Encrypted { bridge, https } = Encrypted::start();
    let paired = bridge.run(&["pair", "--yes-i-am-a-person"]);
    assert!(paired.good().starts_with(&format!("https://{NAME}:{}/#pair=pair_", https.port)), "{}", paired.stdout);
    assert_eq!(bridge.get("/healthz", "").status, 200, "plain http from this machine crosses no network");
    let asked = bridge.run(&["ask", "Deploy now?", "--no-wait"]);
    assert!(asked.good().starts_with("ask_"), "{}", asked.stdout);
}

#[test]
fn a_renewed_certificate_is_served_without_a_restart_and_a_broken_one_never() {
    let served = Encrypted::start();
    assert!(served.is_trusted());
    fs::write(served.file("privkey.pem"), "half a fi").unwrap();
    until("the broken key is noticed", || served.bridge.log().contains("cannot be used").then_some(()));
    assert!(served.is_trusted(), "the one before it stays in force");
    // Another authority and another certificate: only a client that is shown the new one can trust it.
    certify(served.bridge.dir.path());
    until("the renewed certificate is served", || served.is_trusted().then_some(()));
}

#[test]
fn what_is_wrong_with_a_certificate_is_said_at_the_start() {
    let bridge = TestBridge::stopped();
    certify(bridge.dir.path());
    let refused = |args: &[&str]| {
        let args: Vec<_> = ["serve", "--listen", "127.0.0.1:0"].iter().chain(args).copied().collect();
        let ran = bridge.spawn(&args).ended();
        assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    let alone = refused(&["--tls-cert", "fullchain.pem"]);
    assert!(alone.contains("`tls.key` is not") && alone.contains("--tls-key FILE"), "{alone}");
    let missing = refused(&["--tls-cert", "none.pem", "--tls-key", "privkey.pem"]);
    assert!(missing.contains("could not read") && missing.contains("none.pem"), "{missing}");
    for further in [["--tls-listen", "127.0.0.1:0"], ["--tls-redirect", "127.0.0.1:0"]] {
        let bare = refused(&further);
        assert!(
            bare.contains("there is no certificate to encrypt with") && bare.contains("askbridge expose"),
            "{bare}"
        );
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let files = ["--tls-cert", "fullchain.pem", "--tls-key", "privkey.pem"];
    let there = refused(&[&files[..], &["--tls-listen", &address]].concat());
    assert!(there.contains("choose another for `tls.listen`"), "{there}");
    let swapped = refused(&["--tls-cert", "privkey.pem", "--tls-key", "fullchain.pem"]);
    assert!(swapped.contains("privkey.pem` has no certificate in PEM form"), "{swapped}");
}

#[test]
fn a_port_for_redirects_that_is_taken_keeps_nobody_from_being_served() {
    let mut bridge = TestBridge::stopped();
    certify(bridge.dir.path());
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let files = ["--tls-cert", "fullchain.pem", "--tls-key", "privkey.pem"];
    bridge.start_with(&[&["--listen", "127.0.0.1:0"], &files[..], &["--tls-redirect", &address]].concat());
    assert_eq!(bridge.get("/healthz", "").status, 200);
    assert!(bridge.log().contains("http is not redirected"), "{}", bridge.log());
    let token = bridge.person();
    let metrics = bridge.get("/metrics", &crate::wire::bearer(&token));
    assert!(metrics.metric("askbridge_certificate_expires_timestamp_seconds") > 1_795_000_000.0);
}
