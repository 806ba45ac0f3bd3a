//! The guides for programming languages: each example prints what the `text` block after it says.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::bridge::TestBridge;
use crate::guide::be_friendly;
use crate::nginx::{Nginx, block, free_port};
use crate::patience::until;

/// Returns the examples that are followed by their output, with that output.
fn examples(guide: &'static str, language: &str) -> Vec<(&'static str, &'static str)> {
    let blocks: Vec<_> = guide.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap()).collect();
    let pairs = blocks.windows(2).filter(|pair| pair[0].0 == language);
    let pairs: Vec<_> = pairs.map(|pair| (pair[0].1, pair[1])).collect();
    assert!(!pairs.is_empty(), "no example in {language}");
    pairs
        .into_iter()
        .map(|(code, (language, expected))| {
            assert_eq!(language, "text", "what does this print?\n{code}");
            (code, expected)
        })
        .collect()
}

/// Runs every example, while a person answers.
fn every_example_works(guide: &'static str, language: &str, program: &str, file: &str) {
    let bridge = TestBridge::start();
    let (person, done) = (bridge.person(), AtomicBool::new(false));
    // The lines that the page begins with, which set its environment.
    let environment: String = block(guide, "console")
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .fold(String::new(), |lines, line| lines + &line.replace("127.0.0.1:4760", &bridge.address()) + "\n");
    assert!(environment.contains(&bridge.address()) && environment.contains("ASKBRIDGE_TOKEN="), "{environment}");
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                be_friendly(&bridge, &person);
                // Yields the CPU to the examples; nothing depends on the time.
                thread::sleep(Duration::from_millis(50));
            }
        });
        let failures: Vec<_> = examples(guide, language)
            .into_iter()
            .filter_map(|(code, expected)| {
                fs::write(bridge.dir.path().join(file), code).unwrap();
                let ran = bridge.bash(&format!("{environment}{program} {file}"));
                (ran.stdout != expected).then(|| format!("{code}printed\n{}{}", ran.stdout, ran.stderr))
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    });
}

/// Runs the example that waits for ever, behind nginx; kills the server meanwhile, and restarts it after a 502.
fn the_loop_holds(guide: &'static str, language: &str, program: &str, file: &str) {
    let mut bridge = TestBridge::stopped();
    let listen = format!("127.0.0.1:{}", free_port());
    bridge.start_with(&["--listen", &listen]);
    let nginx = Nginx::start(&bridge, free_port(), block(PROXY, "nginx"));
    let (person, token) = (bridge.person(), bridge.run(&["token", "create", "guide"]).good().trim().to_owned());
    let (code, expected) = *examples(guide, language)
        .iter()
        .find(|(code, _)| ["while", "for (;;)", "for {"].iter().any(|word| code.contains(word)))
        .expect("an example waits");
    fs::write(bridge.dir.path().join(file), code).unwrap();
    let (port, authority) = (nginx.https.port, &nginx.https.authority);
    let believing = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]
        .map(|name| format!("{name}='{}' ", authority.display()))
        .concat();
    let running = bridge.spawn_bash(&format!(
        "{believing}ASKBRIDGE_URL=https://localhost:{port} ASKBRIDGE_TOKEN={token} {program} {file}"
    ));
    let asked = bridge.the_open_ask();
    bridge.kill();
    until("the example was told 502", || nginx.answered().contains("\" 502 ").then_some(()));
    bridge.start_with(&["--listen", &listen]);
    assert_eq!(bridge.the_open_ask(), asked, "it is the same ask, and no other");
    until("the example ends", || {
        be_friendly(&bridge, &person);
        (running.stdout() == expected).then_some(()).or_else(|| {
            thread::sleep(Duration::from_millis(50));
            None
        })
    });
    assert_eq!(running.ended().code, Some(0));
}

const PROXY: &str = include_str!("../../../../docs/guides/proxy.md");

#[test]
fn the_loop_for_curl_waits_through_a_502_and_a_restart() {
    the_loop_holds(include_str!("../../../../docs/guides/curl.md"), "bash", "bash", "example.sh");
}

#[test]
fn the_loop_for_python_waits_through_a_502_and_a_restart() {
    the_loop_holds(include_str!("../../../../docs/guides/python.md"), "python", "python3", "example.py");
}

#[test]
fn the_loop_for_typescript_waits_through_a_502_and_a_restart() {
    the_loop_holds(include_str!("../../../../docs/guides/typescript.md"), "js", "node", "example.mjs");
}

#[test]
fn the_guide_for_curl_does_what_it_says() {
    every_example_works(include_str!("../../../../docs/guides/curl.md"), "bash", "bash", "example.sh");
}

#[test]
fn the_guide_for_python_does_what_it_says() {
    every_example_works(include_str!("../../../../docs/guides/python.md"), "python", "python3", "example.py");
}

#[test]
fn the_guide_for_typescript_does_what_it_says() {
    every_example_works(include_str!("../../../../docs/guides/typescript.md"), "js", "node", "example.mjs");
}

#[test]
fn the_guide_for_go_does_what_it_says() {
    every_example_works(include_str!("../../../../docs/guides/go.md"), "go", &go_run(), "example.go");
}

#[test]
fn the_loop_for_go_waits_through_a_502_and_a_restart() {
    the_loop_holds(include_str!("../../../../docs/guides/go.md"), "go", &go_run(), "example.go");
}

/// The command that builds and runs a file: `ASKBRIDGE_TEST_GO`, the system's Go, or the one in `.tools`.
#[allow(clippy::disallowed_methods, reason = "a test has no settings module")]
fn go_run() -> String {
    let named = std::env::var_os("ASKBRIDGE_TEST_GO").map(PathBuf::from);
    let unpacked = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/golang/usr/lib"));
    let unpacked = unpacked.into_iter().flatten().flatten().map(|version| version.path().join("bin/go"));
    let mut places = named.into_iter().chain([PathBuf::from("/usr/bin/go")]).chain(unpacked);
    let go = places.find(|path| path.is_file()).expect("there is no Go; `cargo xtask install` fetches it");
    // The build cache is shared: a fresh home would mean to build the standard library each time.
    format!("GOCACHE={}/go {} run", env!("CARGO_TARGET_TMPDIR"), go.display())
}
