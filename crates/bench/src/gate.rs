//! What the gate for every call costs: the hook of an agent that we run, and the hook's process in a terminal.
//!
//! Without rules about calls an agent that we run has no such hook, so all of its time is added. A terminal's hook is
//! compared with one that runs `/bin/true`, started in the same way and in turn.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::agents;
use crate::measure::percentile;
use crate::subject::{Subject, beside};

/// How long a measurement takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    hosted: Duration,
    /// Hooks of each kind.
    hooks: usize,
}

pub(crate) const FULL: Span = Span { hosted: Duration::from_secs(5), hooks: 300 };
pub(crate) const QUICK: Span = Span { hosted: Duration::from_secs(1), hooks: 40 };

/// The goals: what may be added at the median.
const HOSTED_MS: f64 = 3.0;
const HOOKED_MS: f64 = 15.0;

/// An event as Claude Code writes it to its hook.
const EVENT: &str = r#"{"session_id":"bench","transcript_path":"/nowhere","cwd":"/tmp","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cargo test --workspace --test it -- filter","description":"Run the tests"},"tool_use_id":"toolu_bench"}"#;

pub(crate) async fn run(span: Span) -> Result<()> {
    let root = Path::new("target/bench");
    fs::create_dir_all(root)?;
    let root = fs::canonicalize(root)?;
    let folder = TempDir::new_in(&root)?;
    let mut page = String::from(
        "| gate | rules | calls | p50 ms | p99 ms | added at p50 | goal |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for count in [1, 10_000] {
        let rules = folder.path().join(format!("rules-{count}.toml"));
        fs::write(&rules, self::rules(count))?;
        eprintln!("an agent that we run, {count} rules");
        let mut took = agents::calls(&root, &rules, span.hosted).await?;
        let added = at(&mut took, 0.5)?;
        row(&mut page, "hosted", count, &mut took, added, HOSTED_MS)?;
        eprintln!("a terminal, {count} rules");
        let (mut bare, mut ours) = hooks(&root, &rules, span.hooks).await?;
        let added = at(&mut ours, 0.5)?.saturating_sub(at(&mut bare, 0.5)?);
        row(&mut page, "terminal, `/bin/true`", count, &mut bare, Duration::ZERO, 0.0)?;
        row(&mut page, "terminal, `askbridge hook --rules`", count, &mut ours, added, HOOKED_MS)?;
    }
    println!("{page}");
    Ok(())
}

/// Rules about calls, none of which is about the commands of this benchmark.
fn rules(count: usize) -> String {
    let rule = |at: usize| {
        format!(
            "[[rules]]\nname = \"rule {at}\"\ndo = \"deny\"\nwords = \"no\"\ntool = \"Bash(program{at} run *)\"\nevery_call = true\n\n"
        )
    };
    (0..count).map(rule).collect()
}

/// Times hooks in turn: one that does nothing, and ours.
async fn hooks(root: &Path, rules: &Path, count: usize) -> Result<(Vec<Duration>, Vec<Duration>)> {
    let folder = TempDir::new_in(root)?;
    let data = folder.path().join("data");
    let mut command = Subject::command(&data, "127.0.0.1:0")?;
    command.env("ASKBRIDGE_RULES", rules).env("HOME", folder.path()).stdout(Stdio::piped());
    let subject = Subject::hosting(command.spawn()?, &data).await?;
    let ours = format!("'{}' hook --rules", beside("askbridge")?.display());
    let (mut bare_took, mut our_took) = (Vec::new(), Vec::new());
    for round in 0..count + 3 {
        let (bare, ours) = (one("/bin/true", &data)?, one(&ours, &data)?);
        // The first pay for caches.
        if round >= 3 {
            bare_took.push(bare);
            our_took.push(ours);
        }
    }
    subject.stop().await?;
    Ok((bare_took, our_took))
}

/// Starts a hook as Claude Code does, and waits until it has ended.
fn one(command: &str, data: &Path) -> Result<Duration> {
    let began = Instant::now();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("ASKBRIDGE_DATA", data);
    let mut hook = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    // `/bin/true` may have ended before it is written to.
    let _ = hook.stdin.take().context("it has an input")?.write_all(EVENT.as_bytes());
    let ended = hook.wait_with_output()?;
    ensure!(ended.status.success() && ended.stdout.is_empty(), "a hook has an opinion");
    Ok(began.elapsed())
}

fn row(page: &mut String, gate: &str, rules: usize, took: &mut [Duration], added: Duration, goal: f64) -> Result<()> {
    let ms = |span: Duration| span.as_secs_f64() * 1e3;
    let (p50, p99) = (ms(at(took, 0.5)?), ms(at(took, 0.99)?));
    let (added, goal) = match goal {
        0.0 => (String::new(), String::new()),
        goal => (format!("**{:.2} ms**", ms(added)), format!("{goal:.0} ms")),
    };
    writeln!(page, "| {gate} | {rules} | {} | {p50:.2} | {p99:.2} | {added} | {goal} |", took.len())?;
    Ok(())
}

fn at(took: &mut [Duration], part: f64) -> Result<Duration> {
    ensure!(!took.is_empty(), "nothing was measured");
    Ok(percentile(took, part))
}
