//! `askbridge mcp`: an MCP server on stdio. It answers the handshake itself, and forwards calls to the running server.

mod carry;
mod input;

use std::collections::HashMap;
use std::io::{BufReader, IsTerminal, stdin};
use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::chance::Chance;
use askbridge_bridge::server::mcp::{Passed, StdioAction, StdioSession, whereabouts};
use askbridge_core::limits;
use hyper::Method;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use self::carry::carry;
use self::input::lines;
use crate::client::Client;
use crate::commands::ask::whereabouts::Whereabouts;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::settings::{Settings, claude_is_attended};

const EXAMPLES: &str = "\
Examples, as a client's own settings have it:
  claude mcp add askbridge -- askbridge mcp
  codex mcp add askbridge -- askbridge mcp
  {\"mcpServers\": {\"askbridge\": {\"command\": \"askbridge\", \"args\": [\"mcp\"]}}}
  claude -p \"…\" --permission-prompt-tool mcp__askbridge__approve

A client starts this; you never type it by hand, and everything below that client may ask but never decide.
Without a running askbridge every call says what to type; nothing has to be restarted once it runs.";

/// Responses that are not written yet. Beyond: calls wait.
const UNWRITTEN_MAX: usize = 64;
/// How long running calls may take once the client is gone. Beyond: they are dropped; their questions stay open.
const LAST_WORDS_MAX: Duration = Duration::from_secs(1);
/// How long ending the session on the server may take.
const GOODBYE_MAX: Duration = Duration::from_secs(1);

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A token to speak with, over TCP, instead of the local socket
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Arc::new(Client::new(settings, args.token)?);
    let here = Whereabouts::here();
    let context = whereabouts(here.folder.as_deref(), here.branch.as_deref(), claude_is_attended());
    let mut stdio = StdioSession::new(Chance::System.u128(), context);
    let ended = attend(settings, &client, &mut stdio).await;
    let headers = stdio.headers();
    let goodbye = client.exchange(Method::DELETE, "/mcp", &headers, String::new());
    // On this machine the server also notices that this process ends.
    let _ = timeout(GOODBYE_MAX, goodbye).await;
    ended.map(|()| Exit::Good)
}

/// Serves until the client closes its end or stops us. Claude Code ends its servers with SIGTERM, without notice.
async fn attend(settings: &Settings, client: &Arc<Client>, stdio: &mut StdioSession) -> Result<(), Failure> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hang_up = signal(SignalKind::hangup())?;
    let (write, mut written) = mpsc::channel::<String>(UNWRITTEN_MAX);
    let mut input = lines(BufReader::new(stdin()));
    let mut calls = Calls::default();
    let mut is_announced = stdin().is_terminal();
    loop {
        tokio::select! {
            biased;
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = hang_up.recv() => return Ok(()),
            Some(line) = written.recv() => print(&line)?,
            Some(_) = calls.running.join_next() => calls.forget_ended(),
            line = input.recv(), if calls.running.len() < limits::IN_FLIGHT_MAX => match line.transpose()? {
                Some(line) => {
                    if let Some((passed, write)) = heard(stdio, &line, &mut calls, &write)? {
                        if !is_announced {
                            is_announced = announce(settings).await;
                        }
                        let id = passed.id.to_string();
                        let call = calls.running.spawn(carry(Arc::clone(client), passed, write));
                        calls.by_id.insert(id, call);
                    }
                }
                None => break,
            },
        }
    }
    // A script may close its end as soon as it has asked. Immediate responses are still written. Calls that take longer
    // are dropped when this returns.
    let last = async {
        drop(write);
        while let Some(line) = written.recv().await {
            print(&line)?;
        }
        Ok::<_, std::io::Error>(())
    };
    if let Ok(ended) = timeout(LAST_WORDS_MAX, last).await {
        ended?;
    }
    Ok(())
}

/// The running calls, by the ids that the client gave them.
#[derive(Default)]
struct Calls {
    running: JoinSet<()>,
    by_id: HashMap<String, AbortHandle>,
}

impl Calls {
    fn forget_ended(&mut self) {
        self.by_id.retain(|_, call| !call.is_finished());
    }
}

/// Handles a line. Returns the call to forward, and where its response goes.
fn heard(
    stdio: &mut StdioSession,
    line: &str,
    calls: &mut Calls,
    write: &mpsc::Sender<String>,
) -> Result<Option<(Passed, mpsc::Sender<String>)>, Failure> {
    match stdio.hear(line) {
        StdioAction::Say(answer) => print(&answer)?,
        StdioAction::Pass(passed) => return Ok(Some((passed, write.clone()))),
        // A reply gets no reply.
        StdioAction::Tell(passed) => return Ok(Some((passed, mpsc::channel(1).0))),
        StdioAction::GivenUp(id) => {
            if let Some(call) = calls.by_id.remove(&id.to_string()) {
                call.abort();
            }
        }
        StdioAction::Nothing => {}
    }
    Ok(None)
}

/// Announces our parent process as an agent: nothing below it may decide. Returns whether the server knows.
async fn announce(settings: &Settings) -> bool {
    Client::local(settings).post("/v1/agents", &json!({"parent": true})).await.is_ok()
}
