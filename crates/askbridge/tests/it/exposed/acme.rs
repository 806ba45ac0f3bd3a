//! A certificate from a real ACME server.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use super::home::{Home, everywhere, pairing_secret};
use super::pebble::Pebble;
use crate::bridge::Ran;
use crate::https::Https;
use crate::nginx::free_port;
use crate::patience::until;
use crate::proxied::everything_works;

const LONG: u32 = 7 * 24 * 60 * 60;

/// What a person types, with pebble instead of Let's Encrypt, and its ports instead of 443 and 80.
fn line(pebble: &Pebble) -> String {
    let (https, http) = (everywhere(pebble.tls), everywhere(pebble.http));
    format!("acme --name localhost {} --https {https} --http {http}", pebble.flags())
}

fn trusting(pebble: &Pebble) -> Https {
    Https { name: "localhost", port: pebble.tls, authority: pebble.roots() }
}

/// Commands that ask the address trust pebble's certificates, as phones trust those of Let's Encrypt.
fn settle(home: &Home, pebble: &Pebble) {
    home.write_settings(&format!("authorities = \"{}\"\n", pebble.roots().display()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_obtains_a_certificate_asks_the_address_itself_and_pairs_a_phone() {
    let (pebble, mut home) = (Pebble::start(LONG), Home::start());
    settle(&home, &pebble);
    let ran = home.expose(&line(&pebble));
    let url = format!("https://localhost:{}", pebble.tls);
    assert!(ran.stdout.contains(&format!("{url} answers, and it is this askbridge")), "{}", ran.stdout);
    let https = trusting(&pebble);
    let secret = json!({"secret": pairing_secret(&ran, &url), "device": "phone"}).to_string();
    let paired = https.curl("/v1/pair").args(["--data", &secret]).output().unwrap();
    let paired: Value = serde_json::from_slice(&paired.stdout).unwrap();
    let signed = format!("Authorization: Bearer {}", paired["token"].as_str().unwrap());
    assert_eq!(https.get("/v1/me", &[&signed]).0, 200, "the phone is paired over https");
    home.bridge.has_phone(paired["token"].as_str().unwrap());
    everything_works(&home.bridge, &https, &url).await;

    let account = home.bridge.bash("ls data/tls/*/account.pem").good().trim().to_owned();
    let mode = fs::metadata(home.bridge.dir.path().join(account)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the account's key is its owner's alone");
}

#[test]
fn plain_http_is_redirected_and_browsers_are_told_to_come_back_encrypted() {
    let (pebble, mut home) = (Pebble::start(LONG), Home::start());
    settle(&home, &pebble);
    home.expose(&format!("{} --no-pair", line(&pebble)));
    let head = |url: String| {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--include", "--max-time", "10", "--cacert"]).arg(pebble.roots()).arg(url);
        let output = curl.output().unwrap();
        String::from_utf8_lossy(&output.stdout).to_ascii_lowercase()
    };
    let plain = head(format!("http://localhost:{}/ask/1?x=1", pebble.http));
    assert!(plain.starts_with("http/1.1 308"), "{plain}");
    assert!(plain.contains(&format!("location: https://localhost:{}/ask/1?x=1", pebble.tls)), "{plain}");
    let encrypted = head(format!("https://localhost:{}/", pebble.tls));
    assert!(encrypted.contains("strict-transport-security: max-age="), "{encrypted}");
    let on_the_same_port = head(format!("http://localhost:{}/", pebble.tls));
    assert!(on_the_same_port.starts_with("http/1.1 308"), "not even this machine is served unencrypted there");
    assert_eq!(home.bridge.get("/healthz", "").status, 200, "and `listen` stays as it was for programs here");
}

#[test]
fn where_only_port_80_is_free_the_proof_is_shown_over_plain_http() {
    let (mut pebble, mut home) = (Pebble::start(LONG), Home::start());
    settle(&home, &pebble);
    let looks_at = pebble.tls;
    // The port where pebble would look for a handshake is another program's.
    let _taken = TcpListener::bind(("127.0.0.1", looks_at)).unwrap();
    pebble.tls = free_port();
    home.expose(&format!("{} --challenge http-01 --no-pair", line(&pebble)));
    assert_eq!(trusting(&pebble).get("/healthz", &[]).0, 200);
    assert!(home.settings().contains("challenge = \"http-01\""), "{}", home.settings());
}

#[test]
fn a_name_that_is_added_is_certified_by_the_server_that_has_the_port() {
    let (pebble, mut home) = (Pebble::start(LONG), Home::start());
    settle(&home, &pebble);
    home.expose(&format!("{} --no-pair", line(&pebble)));
    let again = home.run(&format!("expose {} --no-pair", line(&pebble)));
    assert!(again.good().contains("nothing to change"), "the certificate is good for a while: {}", again.stdout);
    let more = line(&pebble).replace("--name localhost", "--name localhost --name two.example");
    let ran = home.expose(&format!("{more} --no-pair"));
    assert!(ran.stderr.contains("the server that runs has that port"), "{}", ran.stderr);
    let two = Https { name: "two.example", ..trusting(&pebble) };
    let is_served = || two.curl("/healthz").output().unwrap().status.success();
    until("the certificate is for both names", || {
        let failed = home.bridge.log().contains("could not be renewed");
        assert!(!failed, "{}\n{}", home.bridge.log(), pebble.log());
        is_served().then_some(())
    });
    assert_eq!(two.get("/v1/me", &[]).0, 401, "and both are names of this server");
}

#[test]
fn nothing_is_done_before_the_terms_are_accepted_nor_in_a_dry_run() {
    let (pebble, home) = (Pebble::start(LONG), Home::start());
    let unread = line(&pebble).replace("--accept-terms", "");
    let Ran { code, stderr, .. } = home.run(&format!("expose {unread}"));
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.contains("data:text/plain,Do%20what%20thou%20wilt") && stderr.contains("`--accept-terms`"),
        "{stderr}"
    );
    let dry = home.run(&format!("expose {} --dry-run", line(&pebble)));
    assert!(dry.stderr.contains("would obtain a certificate for localhost from https://localhost:"), "{}", dry.stderr);
    assert!(dry.good().contains("+public_url = \"https://localhost:"), "{}", dry.stdout);
    assert!(!home.file().exists() && !home.bridge.data().join("tls").exists());
    assert!(!pebble.log().contains("sign-me-up -> "), "no account was made: {}", pebble.log());
}

#[test]
fn a_name_that_does_not_lead_here_is_refused_in_the_servers_words_and_changes_nothing() {
    let (mut pebble, home) = (Pebble::start(LONG), Home::start());
    // Another program's TLS is where the ACME server looks: that is what a wrong forwarding looks like.
    let other = format!("127.0.0.1:{}", free_port());
    let looks_at = std::mem::replace(&mut pebble.tls, free_port());
    let listener = TcpListener::bind(("127.0.0.1", looks_at)).unwrap();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let ran = home.run(&format!("expose acme --name localhost {} --https {other} --http {other}", pebble.flags()));
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    for said in ["could not confirm that `localhost` leads here", "forward port 443", "--staging"] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    assert_eq!(home.settings(), "");
    assert!(!home.bridge.data().join("tls/exposed.json").exists());
    // And one that no server may certify.
    let ran = home.run(&format!("expose {}", line(&pebble).replace("--name localhost", "--name 'a b'")));
    assert!(ran.code == Some(1) && ran.stderr.contains("is neither a host name nor an address"), "{}", ran.stderr);
}

#[test]
fn what_a_person_has_set_is_not_overwritten() {
    let (pebble, home) = (Pebble::start(LONG), Home::start());
    home.write_settings("# mine\npublic_url = \"https://mine.example\"\n");
    let ran = home.run(&format!("expose {}", line(&pebble)));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`public_url` is already set in") && ran.stderr.contains("hint: take that line out"),
        "{}",
        ran.stderr
    );
    assert_eq!(home.settings(), "# mine\npublic_url = \"https://mine.example\"\n");
    let by_variable =
        home.bridge.bash(&format!("ASKBRIDGE_PUBLIC_URL=https://x.example askbridge expose {}", line(&pebble)));
    assert!(
        by_variable.stderr.contains("already set") || by_variable.stderr.contains("$ASKBRIDGE_PUBLIC_URL"),
        "{}",
        by_variable.stderr
    );
}
