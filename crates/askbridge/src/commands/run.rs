//! `askbridge run`: announces its own process as an agent, and execs the program.

mod unattended;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

use askbridge_platform::orphans;
use serde_json::json;

use crate::client::{Client, Connection, Error};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::tell;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge run -- claude
  askbridge run --unattended -- claude -p 'Update the changelog'
  askbridge run -- bash -c 'askbridge ask \"Deploy now?\" -o Yes -o No'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Run the program even if askbridge cannot be told
    #[arg(long)]
    anyway: bool,
    /// No person attends the run: rules decide what it asks, and where none does, `answer` gives questions the recommended
    /// option or else the first and denies the rest, and `deny` denies all. A summary is printed to stderr at the end
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "answer")]
    unattended: Option<HowUnattended>,
    /// With `--unattended`: print the summary as one line of JSON
    #[arg(long, requires = "unattended")]
    json: bool,
    /// Let the program keep the token in ASKBRIDGE_TOKEN, which is an agent's
    #[arg(long, hide = true)]
    keep_token: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum HowUnattended {
    Answer,
    Deny,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    if let Some(how) = args.unattended {
        let how = match how {
            HowUnattended::Answer => "answer",
            HowUnattended::Deny => "deny",
        };
        return unattended::run(settings, how, args.json, &args.command).await;
    }
    if let Err(error) = Client::local(settings).post("/v1/agents", &json!({})).await {
        // On a connected machine no server needs to run: what asks elsewhere cannot decide there.
        let needs_none = matches!(error, Error::Unreachable { .. }) && Connection::read(settings)?.is_some();
        if !args.anyway && !needs_none {
            return Err(
                Failure::from(error).hint("start it with `askbridge`, or run the program unannounced with `--anyway`")
            );
        }
        if !needs_none {
            tell(&format!("warning: {error}\nwarning: what runs now is not known as an agent"));
        }
    }
    // Orphaned descendants are adopted by us (subreaper), not by the system, and so stay below an agent. Best effort,
    // since it only narrows what is out of scope anyway.
    let _ = orphans::adopt();
    let (program, rest) = args.command.split_first().ok_or_else(|| Failure::usage("there is no program to run"))?;
    // A person's token in our environment would let the agent decide.
    let mut command = Command::new(program);
    command.args(rest);
    if !args.keep_token {
        command.env_remove("ASKBRIDGE_TOKEN");
    }
    let error = command.exec();
    let exit = if error.kind() == ErrorKind::NotFound { Exit::NotFound } else { Exit::NotExecutable };
    let what = format!("could not run `{}`", program.display());
    Err(Failure::from(anyhow::Error::from(error).context(what)).exit(exit))
}
