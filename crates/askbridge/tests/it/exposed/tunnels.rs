//! What comes through a proxy or a tunnel of this machine comes from a loopback address, and is not from this machine.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::json;

use super::home::Home;
use crate::bridge::TestBridge;
use crate::https::{Https, NAME};
use crate::nginx::{Nginx, free_port};
use crate::proxied::{everything_works, other_hosts_are_refused};

/// A proxy at its worst: it replaces the `Host` by our own address and says nothing of whom it passes on, as nginx does
/// without a `proxy_set_header`.
const SILENT: &str = "server {\n    listen 443 ssl;\n    ssl_certificate /etc/letsencrypt/live/ask.example.org/fullchain.pem;\n    \
    ssl_certificate_key /etc/letsencrypt/live/ask.example.org/privkey.pem;\n    location / {\n        proxy_pass \
    http://127.0.0.1:4760;\n    }\n}\n";

/// What a stranger gets through a tunnel, whatever it says: no more than one on another machine.
fn is_a_stranger(https: &Https) {
    for headers in [&[][..], &["Host: localhost"], &["Host: 127.0.0.1"]] {
        for path in ["/metrics", "/v1/asks", "/v1/me", "/v1/events", "/v1/tokens", "/v1/folders"] {
            let status = https.get(path, headers).0;
            assert!(matches!(status, 401 | 403), "{path} {headers:?}: {status}");
        }
        let mut calling = https.curl("/mcp");
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
        calling.args(["--data", hello, "--write-out", "%{http_code}"]);
        let called = calling.output().unwrap().stdout;
        assert!(called.ends_with(b"401"), "{}", String::from_utf8_lossy(&called));
        let mut pairing = https.curl("/v1/pairings");
        let pairing = pairing.args(["--data", &json!({"i_am_a_person": true}).to_string()]).output().unwrap();
        let said = String::from_utf8_lossy(&pairing.stdout).into_owned();
        assert!(said.contains("people are paired on the machine itself"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_that_is_shown_for_nginx_carries_everything_and_trusts_no_stranger() {
    let mut home = Home::start();
    let port = free_port();
    let shown = home.run(&format!("expose proxy nginx --name {NAME} --port {port} --no-wait"));
    let (config, _) = shown.good().split_once("\n/").expect("the settings file is named below it");
    assert!(home.settings().contains("behind_proxy = true"), "{}", home.settings());
    home.start_again();
    let config = config.replace(&format!("listen {port} ssl;"), "listen 443 ssl;");
    let config = config.replace(&format!("http://{}", home.listen), "http://127.0.0.1:4760");
    let nginx = Nginx::start_for(NAME, &home.listen, port, &config);
    is_a_stranger(&nginx.https);
    everything_works(&home.bridge, &nginx.https, &nginx.https.url()).await;
    other_hosts_are_refused(&home.bridge, &nginx.https);
}

#[test]
fn a_name_that_would_be_more_than_a_name_in_a_configuration_is_refused() {
    let home = Home::start();
    for name in ["https://a.example", "a.example; }", "a b", "\"\""] {
        let ran = home.run(&format!("expose proxy nginx --name '{name}' --no-wait"));
        assert_eq!((ran.code, home.settings().as_str()), (Some(2), ""), "{name}: {}", ran.stderr);
    }
}

#[test]
fn a_proxy_that_hides_itself_is_trusted_with_nothing_once_the_settings_know_of_it() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0"]);
    let nginx = Nginx::start(&bridge, free_port(), SILENT);
    assert_eq!(nginx.https.get("/metrics", &[]).0, 200, "this is what the setting is for");
    let listen = bridge.address();
    bridge.kill();
    bridge.start_with(&["--listen", &listen, "--behind-proxy", "true"]);
    is_a_stranger(&nginx.https);
    let insecure =
        ["serve", "--listen", "127.0.0.1:0", "--dialect", "ccc", "--insecure-loopback", "--behind-proxy", "true"];
    let refused = TestBridge::stopped().spawn(&insecure).ended();
    assert!(refused.code == Some(1) && refused.stderr.contains("cannot be combined"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`behind_proxy`"), "{}", refused.stderr);
}

#[test]
fn failed_logins_through_a_tunnel_stop_nobody_who_has_a_token() {
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "127.0.0.1:0", "--behind-proxy", "true"]);
    let person = format!("Authorization: Bearer {}", bridge.person());
    let nginx = Nginx::start(&bridge, free_port(), SILENT);
    let wrong = || nginx.https.get("/v1/me", &["Authorization: Bearer ab_wrong"]).0;
    let statuses: Vec<_> = (0..25).map(|_| wrong()).collect();
    assert_eq!((statuses[0], statuses[24]), (401, 429), "one budget for all of the tunnel's clients");
    assert_eq!(nginx.https.get("/v1/me", &[&person]).0, 200);
    bridge.run(&["inbox"]).good();
}

/// Carries bytes and nothing else, like `ssh -R`, `socat` or a TCP tunnel: TLS is ended by us, and the connection comes
/// from this machine.
fn tunnel(to: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for outside in listener.incoming().map_while(Result::ok) {
            let Ok(inside) = TcpStream::connect(("127.0.0.1", to)) else { continue };
            for (mut from, mut into) in [(outside.try_clone().unwrap(), inside.try_clone().unwrap()), (inside, outside)]
            {
                thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = from.read(&mut bytes) {
                        if into.write_all(&bytes[..count]).is_err() {
                            break;
                        }
                    }
                    let _ = into.shutdown(std::net::Shutdown::Write);
                });
            }
        }
    });
    port
}

#[test]
fn a_tunnel_that_carries_tls_unopened_makes_nobody_local() {
    let mut home = Home::start();
    let port = free_port();
    home.expose(&format!("lan --address 127.0.0.1 --https 127.0.0.1:{port} --no-pair"));
    let authority = home.bridge.data().join("tls/lan/root.pem");
    let https = Https { name: "127.0.0.1", port: tunnel(port), authority };
    assert_eq!(https.get("/healthz", &[]).0, 200);
    is_a_stranger(&https);
    // The same with nothing but a certificate: no name and no address is configured.
    home.bridge.kill();
    let pem = home.bridge.data().join("tls/lan/certificate.pem").display().to_string();
    let bare = TestBridge::stopped();
    let args = ["--listen", "127.0.0.1:0", "--tls-cert", &pem, "--tls-key", &pem];
    let mut bare = bare;
    bare.start_with(&args);
    let port = bare.address().rsplit_once(':').unwrap().1.parse().unwrap();
    is_a_stranger(&Https { name: "127.0.0.1", port: tunnel(port), ..https });
    let insecure = bare.spawn(&[&["serve"], &args[..], &["--dialect", "ccc", "--insecure-loopback"]].concat());
    assert_eq!(insecure.ended().code, Some(1));
}
