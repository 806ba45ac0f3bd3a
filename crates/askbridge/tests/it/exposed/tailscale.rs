//! Tailscale, with a stand-in for its program: it is in no package registry, and a real one needs an account. It answers
//! as a recorded `tailscale` does, and its certificate is of an authority of the test.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::home::{Home, pairing_secret};
use crate::https::{Https, certify_as};
use crate::nginx::{Nginx, free_port};
use crate::patience::until;

/// As `tailscale status --json` of 1.90 says it, shortened to this machine. Its name leads here in a test.
const STATUS: &str = r#"{"Version":"1.90.6","BackendState":"Running","Self":{"HostName":"desk","DNSName":"localhost.",
"TailscaleIPs":["127.0.0.1","::1"],"Online":true},"CertDomains":["localhost"]}"#;

fn stand_in(home: &Home, script: &str) {
    let dir = home.bridge.dir.path();
    fs::create_dir_all(dir.join("bin")).unwrap();
    fs::write(dir.join("status.json"), STATUS).unwrap();
    let path = dir.join("bin/tailscale");
    let text = format!(
        "#!/bin/bash\necho \"tailscale $*\" >> \"$HOME/typed\"\n[ \"$*\" = 'status --json' ] && exec cat \"$HOME/status.json\"\n{script}\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn typed(home: &Home) -> String {
    fs::read_to_string(home.bridge.dir.path().join("typed")).unwrap_or_default()
}

#[test]
fn serve_is_started_the_settings_know_of_it_and_off_stops_it() {
    let home = Home::start();
    stand_in(&home, "true");
    let ran = home.run("expose tailscale --no-wait");
    ran.good();
    let port = home.listen.rsplit_once(':').unwrap().1;
    assert!(typed(&home).contains(&format!("tailscale serve --bg {port}\n")), "{}", typed(&home));
    let settings = home.settings();
    assert!(settings.contains("public_url = \"https://localhost\"\nbehind_proxy = true"), "{settings}");
    home.run("expose off").good();
    assert!(typed(&home).ends_with("tailscale serve --https=443 off\n"), "{}", typed(&home));
    assert_eq!(home.settings(), "");
}

#[test]
fn a_serve_that_fails_changes_nothing_and_says_what_to_type() {
    let home = Home::start();
    stand_in(&home, "echo 'Access denied: serve config denied' >&2; exit 1");
    let ran = home.run("expose tailscale");
    assert_eq!(ran.code, Some(1));
    for said in ["Access denied", "`tailscale serve` failed", "sudo tailscale set --operator=$USER"] {
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    assert_eq!(home.settings(), "");
}

#[test]
fn with_tailscales_certificate_we_serve_https_ourselves_and_renew_it() {
    let mut home = Home::start();
    let dir = home.bridge.dir.path().to_owned();
    let authority = certify_as(&dir, "localhost");
    // Where the real one asks Let's Encrypt for a certificate, the stand-in has one.
    stand_in(
        &home,
        "[ \"$1\" = cert ] || exit 2\nwhile [ $# -gt 0 ]; do case \"$1\" in --cert-file) cp \"$HOME/fullchain.pem\" \"$2\";; \
         --key-file) cp \"$HOME/privkey.pem\" \"$2\";; esac; shift; done",
    );
    home.write_settings(&format!("authorities = \"{}\"\n", authority.display()));
    let port = free_port();
    let ran = home.expose(&format!("tailscale --certificate --https 127.0.0.1:{port}"));
    pairing_secret(&ran, &format!("https://localhost:{port}"));
    assert!(typed(&home).contains("tailscale cert --min-validity 720h --cert-file"), "{}", typed(&home));
    assert!(home.settings().contains("tailscale = \"localhost\""), "{}", home.settings());
    assert!(!home.settings().contains("behind_proxy"), "nothing is in front: {}", home.settings());
    let https = Https { name: "localhost", port, authority };
    assert_eq!(https.get("/healthz", &[]).0, 200);
}

/// What `tailscale serve` does with a request: it ends TLS and keeps the `Host`.
const SERVE: &str = "server {\n    listen 443 ssl;\n    ssl_certificate /etc/letsencrypt/live/ask.example.org/fullchain.pem;\n    \
    ssl_certificate_key /etc/letsencrypt/live/ask.example.org/privkey.pem;\n    location / {\n        proxy_pass \
    http://127.0.0.1:4760;\n        proxy_set_header Host $host;\n        proxy_set_header Tailscale-User-Login \
    ada@example.org;\n    }\n}\n";

#[test]
fn who_tailscale_says_that_a_request_is_from_means_nothing() {
    let home = Home::start();
    let nginx = Nginx::start_for("localhost", &home.listen, free_port(), SERVE);
    stand_in(&home, "true");
    home.run("expose tailscale --no-wait").good();
    let mut home = home;
    home.start_again();
    until("the proxy reaches it again", || (nginx.https.get("/healthz", &[]).0 == 200).then_some(()));
    for path in ["/metrics", "/v1/me", "/v1/asks"] {
        assert_eq!(nginx.https.get(path, &[]).0, 401, "{path}");
    }
}
