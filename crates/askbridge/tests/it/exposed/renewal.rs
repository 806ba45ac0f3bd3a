//! The server renews its certificate from a real ACME server, also after restarts of both.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::home::{Home, everywhere};
use super::pebble::Pebble;
use crate::patience::until;

/// Seconds for which a certificate is valid. It is renewed when a third of them is left.
const SHORT: u32 = 24;

struct Renewing {
    pebble: Pebble,
    home: Home,
}

impl Renewing {
    fn start() -> Self {
        let (pebble, mut home) = (Pebble::start(SHORT), Home::start());
        home.write_settings(&format!("authorities = \"{}\"\n", pebble.roots().display()));
        let (https, http) = (everywhere(pebble.tls), everywhere(pebble.http));
        home.expose(&format!("acme --name localhost {} --https {https} --http {http} --no-pair", pebble.flags()));
        Self { pebble, home }
    }

    /// The serial number of the certificate that is served.
    fn serial(&self) -> Option<String> {
        let script = format!(
            "openssl s_client -connect 127.0.0.1:{} -servername localhost < /dev/null 2> /dev/null | openssl x509 -noout -serial",
            self.pebble.tls
        );
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    }

    fn is_renewed(&self, before: &str) {
        until("another certificate is served", || self.serial().filter(|now| now != before));
    }

    fn state(&self) -> Option<Value> {
        let folder = fs::read_dir(self.home.bridge.data().join("tls")).unwrap().flatten();
        let mut files = folder.map(|entry| entry.path().join("renewal.json"));
        serde_json::from_str(&fs::read_to_string(files.find(|file| file.is_file())?).ok()?).ok()
    }
}

#[test]
fn a_certificate_is_renewed_while_it_is_served_and_no_connection_is_dropped() {
    let renewing = Renewing::start();
    let before = renewing.serial().unwrap();
    // Its certificate has expired by the time the next one is in force; it was checked when the connection was opened.
    let token = renewing.home.bridge.person();
    let mut listening = Command::new("curl");
    listening.args(["--silent", "--no-buffer", "--max-time", "60", "--cacert"]).arg(renewing.pebble.roots());
    listening.args(["--header", &format!("Authorization: Bearer {token}")]);
    listening.arg(format!("https://localhost:{}/v1/events", renewing.pebble.tls)).stdout(Stdio::piped());
    let mut listening = listening.spawn().unwrap();
    let mut lines = BufReader::new(listening.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "event: snapshot"));
    renewing.is_renewed(&before);
    let ask = renewing.home.bridge.ask("k", &json!({"question": "Deploy now?"}));
    assert!(lines.any(|line| line.contains(&ask)), "the connection from before is still there");
    listening.kill().unwrap();
    listening.wait().unwrap();
    assert_eq!(renewing.state().unwrap()["failures"], 0);
    assert!(!renewing.home.bridge.log().contains("cannot be used"), "{}", renewing.home.bridge.log());
}

#[test]
fn a_renewal_outlives_a_kill_of_this_server_and_an_acme_server_that_forgot_the_account() {
    let mut renewing = Renewing::start();
    let before = renewing.serial().unwrap();
    renewing.pebble.start_again();
    renewing.home.start_again();
    renewing.is_renewed(&before);
    assert!(renewing.pebble.log().contains("There are now 1 accounts in memory"), "{}", renewing.pebble.log());
    let certificate = renewing.home.bridge.bash("ls data/tls/*/");
    assert!(!certificate.stdout.contains(".new") && !certificate.stdout.contains(".tried"), "{}", certificate.stdout);
}

#[test]
fn a_renewal_that_fails_is_tried_again_the_doctor_says_why_and_the_certificate_stays_in_force() {
    let mut renewing = Renewing::start();
    let before = renewing.serial().unwrap();
    renewing.pebble.stop();
    let failed = until("a renewal fails", || renewing.state().filter(|state| state["failures"].as_u64() > Some(0)));
    assert!(failed["why"].as_str().unwrap().contains("could not reach the ACME server"), "{failed}");
    assert_eq!(renewing.serial().unwrap(), before);
    let doctor = renewing.home.run("doctor --json");
    let findings = doctor.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let https: Vec<_> = findings.filter(|finding| finding["check"] == "https").collect();
    let says = https[0]["what"].as_str().unwrap();
    assert!(says.contains("could not reach the ACME server"), "{https:?}");
    renewing.pebble.start_again();
    renewing.is_renewed(&before);
    until("the failure is forgotten", || renewing.state().filter(|state| state["failures"] == 0));
}
