//! Behind a proxy: its requests do not count as from this machine, and links lead to it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::bridge::TestBridge;
use crate::caddy::Caddy;
use crate::https::{Https, NAME};
use crate::nginx::{Nginx, block, free_port};
use crate::wire::bearer;

const GUIDE: &str = include_str!("../../../../docs/guides/proxy.md");

fn serving(args: &[&str]) -> TestBridge {
    let mut bridge = TestBridge::stopped();
    let args: Vec<_> = ["--listen", "127.0.0.1:0"].iter().chain(args).copied().collect();
    bridge.start_with(&args);
    bridge
}

#[test]
fn once_a_name_is_configured_a_loopback_address_is_not_enough_for_the_metrics() {
    for settings in [
        ["--public-url", "https://ask.example.org"],
        ["--allowed-hosts", "ask.example.org"],
        ["--allowed-origins", "https://ask.example.org"],
    ] {
        let bridge = serving(&settings);
        let local = std::fs::read_to_string(bridge.data().join("token")).unwrap().trim().to_owned();
        // Exactly what nginx sends with `proxy_set_header Host $host` and nothing else.
        assert_eq!(bridge.get("/metrics", "").status, 401, "{settings:?}");
        assert_eq!(bridge.get("/metrics", &bearer(&local)).status, 200, "{settings:?}");
        let socket = bridge.data().join("run/askbridge.sock");
        let by_socket = format!("curl -s --unix-socket '{}' http://localhost/metrics", socket.display());
        assert!(bridge.bash(&by_socket).good().contains("askbridge_build_info"), "{settings:?}");
    }
    let by_address = serving(&["--allowed-origins", "http://192.168.1.5:3000"]);
    assert_eq!(by_address.get("/metrics", "").status, 401, "that page may be behind a proxy of this machine");
    let page_on_this_machine = serving(&["--allowed-origins", "http://localhost:3000"]);
    assert_eq!(page_on_this_machine.get("/metrics", "").status, 200);
}

#[test]
fn no_client_is_let_in_without_a_token_where_a_proxy_is_expected() {
    let mut bridge = TestBridge::stopped();
    let insecure = ["--listen", "127.0.0.1:0", "--dialect", "ccc", "--insecure-loopback"];
    for name in ["--public-url=https://ask.example.org", "--allowed-hosts=ask.example.org"] {
        let args: Vec<_> = ["serve"].iter().chain(&insecure).copied().chain([name]).collect();
        let refused = bridge.spawn(&args).ended();
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains("`dialects.insecure_loopback` cannot be combined"), "{}", refused.stderr);
    }
    bridge.start_with(&insecure);
    assert_eq!(bridge.get("/api/projects", "").status, 200, "without a name it is as it was");
}

#[test]
fn a_link_leads_to_where_the_running_server_is_opened_from_outside() {
    let bridge = serving(&["--public-url", "https://ask.example.org:8443"]);
    let paired = bridge.run(&["pair", "--yes-i-am-a-person"]);
    assert!(paired.good().starts_with("https://ask.example.org:8443/#pair=pair_"), "{}", paired.stdout);
    assert!(!paired.stderr.contains("hint"), "{}", paired.stderr);
    let made: Value = serde_json::from_str(bridge.run(&["pair", "--yes-i-am-a-person", "--json"]).good()).unwrap();
    assert!(made["link"].as_str().unwrap().starts_with("https://ask.example.org:8443/#pair=pair_"), "{made}");
}

#[test]
fn a_link_that_only_this_machine_can_open_says_so_and_names_the_port_that_is_served() {
    let bridge = TestBridge::start();
    let paired = bridge.run(&["pair", "--yes-i-am-a-person"]);
    let port = bridge.address().rsplit_once(':').unwrap().1.to_owned();
    assert!(paired.good().starts_with(&format!("http://127.0.0.1:{port}/#pair=")), "{}", paired.stdout);
    assert!(paired.stderr.contains(&format!("`askbridge --listen 0.0.0.0:{port}`")), "{}", paired.stderr);
}

#[test]
fn without_a_route_a_server_for_everybody_says_which_address_is_missing() {
    // A network namespace without any route; nothing else can reach what listens there.
    let bridge = TestBridge::stopped();
    let alone = bridge.bash("unshare --map-root-user --net true");
    if alone.code != Some(0) {
        eprintln!("this machine gives no network of its own: {}", alone.stderr);
        return;
    }
    let script = "askbridge serve --listen 0.0.0.0:4811 > served 2> told & \
                  until [ -s served ]; do sleep 0.05; done; askbridge pair --yes-i-am-a-person; kill %1; wait; cat served told";
    let ran = bridge.bash(&format!("unshare --map-root-user --net bash -c '{script}'"));
    let links: Vec<_> = ran.stdout.lines().filter(|line| line.starts_with("http://127.0.0.1:4811/")).collect();
    assert_eq!(links.len(), 2, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("http://0.0.0.0"), "{}", ran.stdout);
    for said in [&ran.stdout, &ran.stderr] {
        assert!(said.contains("it has no default route") && said.contains("http://ADDRESS:4811"), "{said}");
        assert!(!said.contains("4760"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_as_the_guide_has_it_carries_people_and_agents_and_shows_no_metrics_to_strangers() {
    let public = format!("https://{NAME}");
    assert!(block(GUIDE, "toml").contains(&format!("public_url = \"{public}\"")));
    let bridge = serving(&["--public-url", &public]);
    let nginx = Nginx::start(&bridge, free_port(), block(GUIDE, "nginx"));
    everything_works(&bridge, &nginx.https, &public).await;
    other_hosts_are_refused(&bridge, &nginx.https);
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_as_the_guide_has_it_carries_people_and_agents_and_shows_no_metrics_to_strangers() {
    let port = free_port();
    let public = format!("https://{NAME}:{port}");
    let bridge = serving(&["--public-url", &public]);
    let caddy = Caddy::start(&bridge, port, block(GUIDE, "text"));
    everything_works(&bridge, &caddy.https, &public).await;
    // Caddy serves the name in its configuration, and answers for no other one.
    for host in ["Host: localhost", "Host: evil.example"] {
        assert_eq!(caddy.https.get("/metrics", &[host]), (200, String::new()), "{host}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_address_with_a_port_works_with_either_host_that_nginx_can_pass_on() {
    let port = free_port();
    let public = format!("https://{NAME}:{port}");
    let bridge = serving(&["--public-url", &public]);
    for host in ["$host", "$http_host"] {
        let config =
            block(GUIDE, "nginx").replace("proxy_set_header Host $host;", &format!("proxy_set_header Host {host};"));
        assert!(config.contains(&format!("Host {host};")), "{config}");
        let nginx = Nginx::start(&bridge, port, &config);
        everything_works(&bridge, &nginx.https, &public).await;
        other_hosts_are_refused(&bridge, &nginx.https);
    }
}

/// A proxy that passes any name on lets no stranger in by it.
pub(crate) fn other_hosts_are_refused(bridge: &TestBridge, https: &Https) {
    let signed = format!("Authorization: Bearer {}", bridge.person());
    assert_eq!(https.get("/metrics", &["Host: localhost"]).0, 401, "a stranger may say what it likes");
    let (status, said) = https.get("/v1/me", &["Host: evil.example", &signed]);
    assert_eq!((status, said.contains("host_not_allowed")), (403, true), "{said}");
}

/// `public` is the URL in the browser's address bar.
pub(crate) async fn everything_works(bridge: &TestBridge, https: &Https, public: &str) {
    let operator = bridge.person();
    let (origin, signed) = (format!("Origin: {public}"), format!("Authorization: Bearer {operator}"));
    assert_eq!(https.get("/healthz", &[]).0, 200);
    assert!(https.get("/", &[]).1.contains("<!doctype html>"));
    assert_eq!(https.get("/metrics", &[]).0, 401);
    assert_eq!(https.get("/metrics", &[&signed]).0, 200);
    assert_eq!(https.get("/v1/me", &[&origin, &signed]).0, 200);
    let (status, said) = https.get("/v1/me", &["Origin: https://evil.example", &signed]);
    assert_eq!((status, said.contains("origin_not_allowed")), (403, true), "{said}");

    let mut listening = https.curl("/v1/events");
    let mut listening =
        listening.args(["--max-time", "20", "--header", &signed]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(listening.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "event: snapshot"), "the first event is not held back");

    let question = json!({"questions": [{"question": "Deploy now?", "options": ["Yes", "No"]}]}).to_string();
    let mut asking = https.curl("/v1/asks?wait=20");
    let asking = asking.args(["--max-time", "25", "--header", &signed, "--data", &question]).stdout(Stdio::piped());
    let asking = asking.spawn().unwrap();
    let ask = bridge.the_open_ask();
    assert!(lines.any(|line| line.contains(&ask)), "what happens is told at once");
    listening.kill().unwrap();
    listening.wait().unwrap();
    answer_over_a_socket(https, &operator, &ask, public).await;
    let answered: Value = serde_json::from_slice(&asking.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!((&answered["state"], &answered["answers"]["Deploy now?"]), (&json!("answered"), &json!("Yes")));
}

async fn answer_over_a_socket(https: &Https, token: &str, ask: &str, origin: &str) {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_file(&https.authority).unwrap();
    roots.add(authority).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let connector = TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()));
    let stream = tokio::net::TcpStream::connect(("127.0.0.1", https.port)).await.unwrap();
    let stream = connector.connect(ServerName::try_from(https.name).unwrap(), stream).await.unwrap();
    let mut request = format!("wss://{}:{}/v1/ws", https.name, https.port).into_client_request().unwrap();
    request.headers_mut().insert("origin", origin.parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.unwrap();
    let mut say = async |frame: Value, wanted: &str| {
        socket.send(Message::text(frame.to_string())).await.unwrap();
        loop {
            let heard = socket.next().await.unwrap().unwrap().into_text().unwrap();
            let heard: Value = serde_json::from_str(&heard).unwrap_or_default();
            if heard["type"] == wanted {
                return heard;
            }
        }
    };
    say(json!({"type": "hello", "token": token}), "snapshot").await;
    let answer = json!({"type": "answer", "tag": 1, "ask": ask, "answers": {"Deploy now?": "Yes"}});
    assert_eq!(say(answer, "reply").await["ok"], true);
}
