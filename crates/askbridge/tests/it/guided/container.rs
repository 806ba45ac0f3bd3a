//! The image of `packaging/docker/Dockerfile`. No engine runs where the tests do, so what the file says is run as processes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::bridge::TestBridge;
use crate::nginx::free_port;
use crate::patience::until;

use super::reader::{Reader, repository};

/// The instructions of a Dockerfile in order, with lines that continue joined.
fn instructions(file: &str) -> Vec<(String, String)> {
    let lines: Vec<_> = file.lines().filter(|line| !line.starts_with('#')).collect();
    let whole = lines.join("\n").replace("\\\n", " ");
    let made = whole.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let (name, rest) = line.split_once(' ').expect("an instruction has arguments");
        (name.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    made.collect()
}

/// Reads a command that is written as a list.
fn list(text: &str) -> Vec<String> {
    serde_json::from_str(text).expect("a command is a list of texts")
}

#[test]
fn the_last_stage_of_the_dockerfile_serves_is_healthy_and_stops_as_processes_without_an_engine() {
    let file = fs::read_to_string(repository().join("packaging/docker/Dockerfile")).unwrap();
    let instructions = instructions(&file);
    let last = instructions.iter().rposition(|(name, _)| name == "FROM").unwrap();
    let (build, last) = instructions.split_at(last);
    let one = |name: &str| {
        let mut found = last.iter().filter(|(known, _)| known == name).map(|(_, rest)| rest.as_str());
        let only = found.next().unwrap_or_else(|| panic!("there is no {name}"));
        assert_eq!(found.next(), None, "there is one {name}");
        only
    };

    // The commands in its first lines fit the file.
    let [make, run] = ["# docker build ", "# docker run "].map(|begin| {
        let line = file.lines().find_map(|line| line.strip_prefix(begin));
        line.expect("it says how to build and run it").split_whitespace().collect::<Vec<_>>()
    });
    let after = |line: &[&str], flag: &str| {
        let place = line.iter().position(|word| *word == flag).unwrap_or_else(|| panic!("no {flag} in {line:?}"));
        line[place + 1].to_owned()
    };
    assert!(repository().join(after(&make, "-f")).is_file());
    assert_eq!(run.last().map(|image| (*image).to_owned()), Some(after(&make, "-t")), "it runs what it built");
    assert_eq!(after(&run, "-p"), format!("127.0.0.1:{0}:{0}", one("EXPOSE")));
    assert!(after(&run, "-v").ends_with(&format!(":{}", one("VOLUME"))));

    // The first stage builds what the last one copies.
    let reader = Reader::at(TestBridge::stopped());
    let (from, to) = one("COPY").strip_prefix("--from=build ").unwrap().split_once(' ').unwrap();
    assert!(build[0].1.ends_with(" AS build") && build.contains(&("WORKDIR".to_owned(), "/src".to_owned())));
    assert!(build.iter().any(|(name, rest)| name == "RUN" && rest.ends_with("cargo xtask dist")));
    assert_eq!(from, "/src/target/published/askbridge", "where `cargo xtask dist` puts it");
    let root = reader.home().join("root");
    let there = root.join(to.trim_start_matches('/'));
    fs::create_dir_all(there.parent().unwrap()).unwrap();
    symlink(env!("CARGO_BIN_EXE_askbridge"), &there).unwrap();

    // What would install packages and users is only written down: the shell understands it.
    for name in ["apt-get", "rm", "useradd", "install"] {
        reader.stand_in(name, "");
    }
    reader.types(one("RUN")).good();
    let typed = reader.typed();
    assert!(
        typed.contains("apt-get install --yes --no-install-recommends curl\n"),
        "its health check needs it: {typed}"
    );
    assert!(
        typed.contains(&format!(
            "useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin {}",
            one("USER")
        ))
    );
    assert!(typed.contains(&format!(
        "install --directory --owner {0} --group {0} --mode 0700 {1}",
        one("USER"),
        one("VOLUME")
    )));

    // Its environment, with a folder and a port of this test.
    let port = free_port();
    let data = root.join("data");
    fs::create_dir_all(&data).unwrap();
    let here = |text: &str| text.replace("/data", data.to_str().unwrap()).replace(one("EXPOSE"), &port.to_string());
    let mut environment: BTreeMap<_, _> = one("ENV")
        .split(' ')
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(name, value)| (name, here(value)))
        .collect();
    let listen = environment.get_mut("ASKBRIDGE_LISTEN").unwrap();
    assert_eq!(*listen, format!("0.0.0.0:{port}"));
    *listen = format!("127.0.0.1:{port}");
    let path = format!("{}:/usr/bin:/bin", there.parent().unwrap().display());
    let log = || fs::read_to_string(root.join("log")).unwrap_or_default();
    let command = |line: &[String]| {
        let mut command = Command::new("env");
        command.args(line).env_clear().env("PATH", &path).envs(&environment);
        command.current_dir(&root).stdin(Stdio::null()).stdout(Stdio::null());
        command
    };
    let check = list(&here(one("HEALTHCHECK").split_once("CMD ").unwrap().1));
    let is_healthy = || command(&check).stderr(Stdio::null()).status().unwrap().success();
    assert!(!is_healthy(), "nothing serves yet");
    let line: Vec<_> = list(one("ENTRYPOINT")).into_iter().chain(list(one("CMD"))).collect();
    let mut serving = command(&line).stderr(fs::File::create(root.join("log")).unwrap()).spawn().unwrap();
    until("it is healthy", || {
        assert_eq!(serving.try_wait().unwrap(), None, "{}", log());
        is_healthy().then_some(())
    });
    assert!(data.join("askbridge.db").is_file(), "everything is in the volume");
    let signal = one("STOPSIGNAL").trim_start_matches("SIG");
    let pid = serving.id().to_string();
    assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
    let ended = until("it stops", || serving.try_wait().unwrap());
    assert!(ended.success(), "{ended}: {}", log());
    for line in log().lines() {
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "its log is for programs: {line}");
    }
}
