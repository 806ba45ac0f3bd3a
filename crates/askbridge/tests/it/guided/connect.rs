//! The guide for connected machines, typed on a laptop beside a home that speaks https.

use crate::bridge::{Ran, TestBridge};
use crate::connect::Home;

use super::page::{assert_says, block_with, steps};
use super::reader::Reader;

const CONNECT: &str = include_str!("../../../../../docs/guides/connect.md");
const THERE: &str = "https://ask.example.org";

/// Types lines on the laptop, and allows the tap that they wait for.
fn types_and_taps(reader: &Reader, home: &TestBridge, line: &str) -> Ran {
    let typed = reader.begins(&format!("exec 2>&1\n{line}"));
    home.tap("--allow");
    typed.ended()
}

#[test]
fn a_machine_is_connected_used_and_disconnected_with_the_lines_of_the_guide() {
    let home = Home::start();
    let url = home.url();
    let Home { bridge: home, laptop, .. } = home;
    let reader = Reader::at(laptop);
    reader.stand_in("ssh", "");
    reader.stand_in("claude", "echo claude runs");
    std::fs::create_dir_all(reader.home().join(".claude")).unwrap();
    // As if a public authority vouched for home.
    let here = |text: &str| format!("export SSL_CERT_FILE=$HOME/home.pem\n{}", text.replace(THERE, &url));
    let says = |output: &[String], ran: &Ran| {
        let output: Vec<_> = output.iter().map(|line| line.replace(THERE, &url)).collect();
        assert_says(&output, ran.good());
    };

    let first = steps(&block_with(CONNECT, "it has to show the code"));
    says(&first[0].output, &types_and_taps(&reader, &home, &here(&first[0].command)));
    let looks = steps(&block_with(CONNECT, "it answers ("));
    let [status, off] = &looks[..] else { panic!("{looks:?}") };
    for step in [status, off] {
        says(&step.output, &reader.types(&here(&format!("exec 2>&1\n{}", step.command))));
    }

    let own = block_with(CONNECT, "--ca home.pem").text.replace(THERE, &url);
    types_and_taps(&reader, &home, &own).good();
    let used = reader.types(&block_with(CONNECT, "askbridge init claude").text);
    assert!(used.good().contains("claude runs"), "{}", used.stdout);
    assert!(reader.home().join(".claude/settings.json").is_file());
    reader.types(&off.command).good();

    let tunnel = block_with(CONNECT, "ssh -f -N -L").text;
    let port = url.rsplit_once(':').unwrap().1;
    let tunnel = tunnel.replace("http://127.0.0.1:4761", &format!("http://127.0.0.1:{port}"));
    types_and_taps(&reader, &home, &tunnel).good();
    assert!(reader.typed().contains("ssh -f -N -L 4761:127.0.0.1:4760 home.example.org\n"), "{}", reader.typed());
}
