//! An authority of our own, for a network without a public name.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::home::{Home, pairing_secret};
use crate::https::Https;
use crate::nginx::free_port;

#[test]
fn a_phone_gets_the_root_certificate_without_encryption_and_then_trusts_this_server_and_no_other_name() {
    let mut home = Home::start();
    let port = free_port();
    let ran = home.expose(&format!("lan --name localhost --address 127.0.0.1 --https 127.0.0.1:{port}"));
    let url = format!("https://localhost:{port}");
    let dir = home.bridge.dir.path();
    // What the codes lead to: a device that trusts nothing yet.
    let root = ran.stdout.lines().find(|line| line.ends_with("/lan/askbridge-root.crt")).unwrap();
    assert!(root.starts_with("http://"), "{root}");
    let fetch = |url: &str, file: &str| {
        let fetched =
            Command::new("curl").args(["--silent", "--fail", "--output", file, url]).current_dir(dir).status();
        assert!(fetched.unwrap().success(), "{url}");
    };
    fetch(root, "root.der");
    let profile = ran.stdout.lines().find(|line| line.ends_with("/lan/askbridge.mobileconfig")).unwrap();
    fetch(profile, "askbridge.mobileconfig");
    let openssl = |arguments: &[&str]| {
        let output = Command::new("openssl").args(arguments).current_dir(dir).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    };
    assert!(openssl(&["x509", "-inform", "der", "-in", "root.der", "-out", "root.pem"]).0);
    let (_, fingerprint) = openssl(&["x509", "-in", "root.pem", "-noout", "-fingerprint", "-sha256"]);
    let fingerprint = fingerprint.trim().rsplit_once('=').unwrap().1.to_owned();
    assert!(ran.stderr.contains(&fingerprint), "a person can compare it: {}", ran.stderr);
    // The profile is a property list with exactly this certificate.
    let same = home.bridge.python(
        "import plistlib; profile = plistlib.load(open('askbridge.mobileconfig', 'rb')); root = profile['PayloadContent'][0]\n\
         assert root['PayloadType'] == 'com.apple.security.root' and root['PayloadContent'] == open('root.der', 'rb').read()\n\
         print(profile['PayloadType'], profile['PayloadVersion'])",
    );
    assert_eq!(same.good(), "Configuration 1\n");

    let https = Https { name: "localhost", port, authority: dir.join("root.pem") };
    let secret = json!({"secret": pairing_secret(&ran, &url), "device": "phone"}).to_string();
    let paired = https.curl("/v1/pair").args(["--data", &secret]).output().unwrap();
    assert!(String::from_utf8_lossy(&paired.stdout).contains("token"), "{paired:?}");
    assert_eq!(https.get("/lan/askbridge-root.crt", &[]).0, 200, "encrypted too");
    // A certificate that the same key signs for another name is worth nothing.
    let (is_good, said) = openssl(&[
        "verify",
        "-CAfile",
        "root.pem",
        "-untrusted",
        "data/tls/lan/intermediate.pem",
        "-verify_hostname",
        "localhost",
        "data/tls/lan/certificate.pem",
    ]);
    assert!(is_good, "{said}");
    fs::write(dir.join("other.ext"), "subjectAltName=DNS:bank.example\nextendedKeyUsage=serverAuth\n").unwrap();
    let request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "other.key"];
    assert!(openssl(&[&request[..], &["-out", "other.csr", "-subj", "/CN=other"]].concat()).0);
    let sign = ["x509", "-req", "-in", "other.csr", "-CA", "data/tls/lan/intermediate.pem", "-CAkey"];
    let sign = [&sign[..], &["data/tls/lan/intermediate-key.pem", "-CAcreateserial", "-extfile", "other.ext"]].concat();
    let (is_signed, said) = openssl(&[&sign[..], &["-out", "other.pem"]].concat());
    assert!(is_signed, "{said}");
    let (is_good, said) =
        openssl(&["verify", "-CAfile", "root.pem", "-untrusted", "data/tls/lan/intermediate.pem", "other.pem"]);
    assert!(!is_good && said.contains("permitted subtree violation"), "{said}");
}

#[test]
fn the_same_names_keep_the_authority_and_other_names_make_a_new_one() {
    let mut home = Home::start();
    let port = free_port();
    let root = |home: &Home| fs::read_to_string(home.bridge.data().join("tls/lan/root.pem")).unwrap();
    let line = |name: &str| format!("lan --name {name} --https 127.0.0.1:{port}");
    home.expose(&format!("{} --no-pair", line("localhost")));
    let before = root(&home);
    let again = home.run(&format!("expose {} --no-pair", line("localhost")));
    assert!(again.good().contains("nothing to change"), "{}", again.stdout);
    assert_eq!(root(&home), before, "devices keep trusting it");
    let other = home.run(&format!("expose {} --no-wait", line("desk.local")));
    assert!(other.stderr.contains("every device has to install it"), "{}", other.stderr);
    assert_ne!(root(&home), before);
}

#[test]
fn a_server_that_does_not_offer_a_root_certificate_says_nothing_of_one() {
    let home = Home::start();
    assert_eq!(home.bridge.get("/lan/askbridge-root.crt", "").status, 404);
    assert_eq!(home.bridge.get("/.well-known/askbridge/0123456789abcdef0123456789abcdef", "").status, 404);
    fs::write(home.bridge.data().join("run/reach"), "").unwrap();
    for nonce in ["", "%20", "../token"] {
        let status = home.bridge.get(&format!("/.well-known/askbridge/{nonce}"), "").status;
        assert!(status != 200 || nonce.is_empty(), "{nonce:?}");
    }
}
