//! `askbridge cluster up`: NATS servers and nodes on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use askbridge_platform::ourselves;
use askbridge_platform::processes::ProcessId;
use askbridge_platform::running::HeldProcess;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::local_nats::{self, LocalNats};
use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell};
use crate::private::keep_private;
use crate::settings::Settings;

/// How many nodes may be tried out on one machine.
const NODES_MAX: u32 = 9;
/// How long a node may take to serve: the streams of a new journal need their leaders first.
const READY_MAX: Duration = Duration::from_secs(90);
/// How long a node may take to stop.
const STOP_MAX: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many nodes to start, from 1 to 9
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=i64::from(NODES_MAX)))]
    nodes: u32,
    /// Where their files are [default: `cluster` in the data folder]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Print a line of JSON once they serve: {"journal", "nodes": [{"name", "url", "data"}]}
    #[arg(long)]
    json: bool,
}

/// A node that we started.
struct LocalNode {
    name: String,
    data: PathBuf,
    process: Child,
}

pub(crate) async fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    let folder = args.folder.clone().unwrap_or_else(|| settings.data.join("cluster"));
    fs::create_dir_all(&folder).with_context(|| format!("could not make `{}`", folder.display()))?;
    let folder = fs::canonicalize(&folder).with_context(|| format!("could not find `{}`", folder.display()))?;
    keep_private(&folder);
    let program = local_nats::find(&folder).await?;
    tell("Starting three NATS servers …");
    let mut nats = local_nats::start(&program, &folder, 3).await?;
    let mut nodes = Vec::new();
    let ports = local_nats::ports(&folder, &format!("node-ports-{}", args.nodes), args.nodes as usize)?;
    for (number, port) in (1..).zip(ports) {
        tell(&format!("Starting node {number} of {} …", args.nodes));
        nodes.push(start(settings, &folder, (number, port), &nats.journal)?);
    }
    let mut shown = Vec::new();
    for node in &mut nodes {
        let url = ready(node).await?;
        shown.push(json!({"name": node.name, "url": url, "data": node.data.display().to_string()}));
    }
    match args.json {
        true => print(&json!({"journal": nats.journal, "nodes": shown}).to_string())?,
        false => show(settings, &nodes, &nats.journal).await?,
    }
    until_told(&mut nodes, &mut nats).await?;
    tell("Stopping …");
    for node in &mut nodes {
        stop(&mut node.process).await;
    }
    for server in &mut nats.servers {
        stop(server).await;
    }
    Ok(Exit::Good)
}

/// Starts a node: our own program, in a data folder of its own.
fn start(settings: &Settings, folder: &Path, (number, port): (u32, u16), journal: &str) -> Result<LocalNode> {
    let (name, data) = (format!("node-{number}"), folder.join(format!("node-{number}")));
    fs::create_dir_all(&data).with_context(|| format!("could not make `{}`", data.display()))?;
    keep_private(&data);
    // What an earlier run wrote there would look like this one's.
    let _ = fs::remove_file(data.join("run").join("address"));
    let log = fs::File::create(data.join("node.log"))?;
    let mut command = Command::new(ourselves::PROGRAM);
    let listen = format!("127.0.0.1:{port}");
    command.args(["serve", "--listen", &listen, "--node-name", &name, "--journal", journal]);
    command.args(["--nats-user", local_nats::USER, "--nats-password-file"]).arg(folder.join(local_nats::PASSWORD_FILE));
    command.arg("--data").arg(&data).args(["--user", &settings.top.user]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0).kill_on_drop(true);
    let process = command.spawn().context("could not start a node")?;
    Ok(LocalNode { name, data, process })
}

/// Waits until the node serves. Returns its address.
async fn ready(node: &mut LocalNode) -> Result<String, Failure> {
    let log = node.data.join("node.log");
    let began = tokio::time::Instant::now();
    let file = node.data.join("run").join("address");
    loop {
        if let Ok(address) = fs::read_to_string(&file)
            && let Ok(address) = address.trim().parse()
            && Client::without_token(address).get("/readyz").await.is_ok()
        {
            return Ok(format!("http://{address}"));
        }
        if let Ok(Some(status)) = node.process.try_wait() {
            let last = fs::read_to_string(&log).unwrap_or_default();
            let last = last.lines().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n");
            return Err(Failure::new(format!("{} ended ({status}):\n{last}", node.name)));
        }
        if began.elapsed() > READY_MAX {
            let hint = format!("see `{}`", log.display());
            return Err(Failure::new(format!("{} does not serve yet", node.name)).hint(hint));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Prints a link for each node. If no device is paired yet, the first one pairs it.
async fn show(settings: &Settings, nodes: &[LocalNode], journal: &str) -> Result<(), Failure> {
    let mut secret = None;
    if let Some(node) = nodes.first() {
        let mut there = settings.clone();
        there.data.clone_from(&node.data);
        let client = Client::local(&there);
        // Where a device is paired, asking for a further link would open a tap on it.
        let tokens = client.get("/v1/tokens").await?.json::<serde_json::Value>();
        let decides = |token: &serde_json::Value| ["person", "operator"].iter().any(|role| token["role"] == *role);
        let is_paired = tokens.is_ok_and(|all| all["items"].as_array().is_some_and(|all| all.iter().any(decides)));
        if !is_paired {
            let made = client.post("/v1/pairings", &json!({"role": "operator"})).await;
            secret = made.ok().and_then(|it| Some(it.json::<serde_json::Value>().ok()?["secret"].as_str()?.to_owned()));
        }
    }
    let is_first_time = secret.is_some();
    for node in nodes {
        let base = fs::read_to_string(node.data.join("run").join("address")).unwrap_or_default();
        let path = secret.take().map(|secret| format!("#pair={secret}")).unwrap_or_default();
        print(&format!("{}  http://{}/{path}", node.name, base.trim()))?;
    }
    if is_first_time {
        tell("The first link pairs your browser. It then agrees to each further one: `askbridge pair --data FOLDER`.");
    }
    let first = &nodes[0].data;
    tell(&format!(
        "\nWhat is asked on one appears on all. The journal is {journal}.\n\
         Ask on the first, and end any of them to see what becomes of it:\n  askbridge ask \"Which way?\" -o Left -o Right --data {}\n  \
         askbridge cluster status --data {}\nCtrl-C ends them all.",
        first.display(),
        first.display(),
    ));
    Ok(())
}

/// Waits for Ctrl-C, and says if something ends by itself.
async fn until_told(nodes: &mut [LocalNode], nats: &mut LocalNats) -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut gone = vec![false; nodes.len() + nats.servers.len()];
    loop {
        tokio::select! {
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            () = tokio::time::sleep(LOOK_EVERY * 10) => {}
        }
        let names = nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>();
        let processes = nodes.iter_mut().map(|node| &mut node.process).chain(&mut nats.servers);
        for (number, process) in processes.enumerate() {
            if !gone[number] && process.try_wait().is_ok_and(|status| status.is_some()) {
                gone[number] = true;
                match names.get(number) {
                    Some(name) => tell(&format!("{name} has ended; the others go on")),
                    None => tell(&format!("NATS server {} has ended", number - names.len() + 1)),
                }
            }
        }
    }
}

/// Asks a process to end, and ends it if it does not.
async fn stop(process: &mut Child) {
    let running = process.id().and_then(ProcessId::of).and_then(|id| HeldProcess::hold(id).ok().flatten());
    if let Some(running) = running {
        running.terminate();
    }
    if tokio::time::timeout(STOP_MAX, process.wait()).await.is_err() {
        let _ = process.kill().await;
    }
}
