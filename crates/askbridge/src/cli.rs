//! What can be typed.

use clap::{Parser, Subcommand};

use crate::commands::{answer, ask, inbox, journal, pair, run, serve, token};

const EXAMPLES: &str = "\
Examples:
  askbridge                                    serve, and print the link to open
  askbridge pair                               let a phone or browser answer
  askbridge ask \"Deploy now?\" -o Yes -o No     ask, wait, print the answer
  askbridge inbox                              what waits for you
  askbridge answer                             answer it, here in the terminal
  askbridge run -- claude                      run an agent that may ask but never decide

Environment:
  ASKBRIDGE_LISTEN           address to serve on, and to reach with a token (127.0.0.1:4760)
  ASKBRIDGE_DATA             folder of the journal and the local socket (~/.local/share/askbridge)
  ASKBRIDGE_TOKEN            a token to speak with; without one, commands use the local socket
  ASKBRIDGE_ALLOWED_ORIGINS  other web origins that may talk to the server, with commas
  ASKBRIDGE_CLAUDE           the Claude Code program (`claude` on PATH)
  ASKBRIDGE_ROOTS            folders in which agents may work, with colons (home, and where askbridge was started)
  ASKBRIDGE_WARM             how long an agent is kept for an open question: 10m, 0 or off
  ASKBRIDGE_HOLD_MAX         how long an agent is kept for an open permission, then denied: 1h or off (off)
  ASKBRIDGE_IDLE             how long an agent with nothing to do is kept (30m)
  ASKBRIDGE_AGENTS_MAX       how many agents run at the same time (16)
  ASKBRIDGE_AGENT_ENV        variables that agents find in their environment beside the usual, with commas
  ASKBRIDGE_LOG              how much the server logs: error, warn, info, debug
  NO_COLOR                   no colour";

/// Carries a coding agent's question to a person, waits as long as it takes, and carries the answer back.
#[derive(Debug, Parser)]
#[command(name = "askbridge", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server in the foreground (the default)
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(serve::Args),
    /// Ask a person, wait, and print the answer
    Ask(ask::Args),
    /// Show what waits for an answer
    Inbox(inbox::Args),
    /// Answer an ask: with flags, or step by step in a terminal
    Answer(Box<answer::Args>),
    /// Make a link or a token with which a person's device may decide
    Pair(pair::Args),
    /// List, create and revoke tokens
    Token(token::Args),
    /// Check or export the journal
    Journal(journal::Args),
    /// Run a program as an agent: it and everything below it may ask but never decide
    Run(run::Args),
}

const SERVE_EXAMPLES: &str = "\
Examples:
  askbridge
  ASKBRIDGE_LISTEN=0.0.0.0:4760 askbridge serve    let phones in the same network in
  ASKBRIDGE_DATA=/srv/askbridge askbridge serve";
