//! The guide for https, with pebble for Let's Encrypt and a stand-in for Tailscale's program.

use std::fs;

use crate::bridge::TestBridge;
use crate::exposed::pebble::Pebble;
use crate::nginx::free_port;

use super::page::{assert_says, block_with, blocks, steps};
use super::reader::Reader;

const GUIDE: &str = include_str!("../../../../../docs/guides/https.md");

#[test]
fn each_way_to_https_is_taken_with_the_lines_of_the_guide() {
    let listen = format!("127.0.0.1:{}", free_port());
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", &listen]);
    let mut reader = Reader::at(bridge);
    let first = steps(&blocks(GUIDE)[0]);
    reader.types(&first[0].command).good();
    let dry = reader.types(&first[1].command);
    assert!(dry.good().contains("server_name ask.example.org;"), "{}", dry.stdout);

    let pebble = Pebble::start(3600);
    let line = block_with(GUIDE, "askbridge expose acme").text;
    let other = |more: &str| {
        let ports = format!("--https 127.0.0.1:{} --http 127.0.0.1:{}", pebble.tls, pebble.http);
        reader.types(&format!("{} {} {ports} {more}", line.trim(), pebble.flags()))
    };
    let unread = reader.types(&format!("{} {}", line.trim(), pebble.flags().replace("--accept-terms", "")));
    assert!(unread.code == Some(2) && unread.stderr.contains("add `--accept-terms`"), "{}", unread.stderr);
    assert!(other("--dry-run").good().contains("+public_url = \"https://ask.example.org:"));

    let settings = reader.home().join(".config/askbridge/config.toml");
    let is_set = |text: &str| fs::read_to_string(&settings).unwrap_or_default().contains(text);
    reader.stand_in(
        "tailscale",
        "[ \"$1\" = status ] && echo '{\"BackendState\":\"Running\",\"Self\":{\"DNSName\":\"desk.tail1234.ts.net.\"}}'; true",
    );
    reader.types(&format!("{} --no-wait", block_with(GUIDE, "askbridge expose tailscale\n").text.trim())).good();
    assert!(is_set("public_url = \"https://desk.tail1234.ts.net\"") && is_set("behind_proxy = true"));
    assert!(reader.typed().contains("tailscale serve --bg "), "{}", reader.typed());
    let proxy = block_with(GUIDE, "askbridge expose proxy nginx --name ask.example.org\n").text;
    reader.types(&format!("{} --no-wait", proxy.trim())).good();
    assert!(is_set("public_url = \"https://ask.example.org\""));

    let lan = block_with(GUIDE, "askbridge expose lan\n").text;
    let port = free_port();
    reader.types(&format!("{} --name localhost --https 127.0.0.1:{port} --no-wait", lan.trim())).good();
    reader.bridge.kill();
    reader.bridge.start_with(&["--listen", &listen]);
    let right = steps(&block_with(GUIDE, "$ askbridge doctor"));
    assert_says(&right[0].output, reader.types(&right[0].command).good());
    assert_says(&right[1].output, &reader.types(&right[1].command).stdout);
    reader.types("askbridge expose off").good();
    assert!(!settings.exists(), "there was none before");
}
