//! `askbridge run`: announces its own process as an agent, and execs the program.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

use askbridge_platform::orphans;
use serde_json::json;

use crate::client::Client;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::tell;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge run -- claude
  askbridge run -- bash -c 'askbridge ask \"Deploy now?\" -o Yes -o No'";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Run the program even if askbridge cannot be told
    #[arg(long)]
    anyway: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    if let Err(error) = Client::local(settings).post("/v1/agents", &json!({})).await {
        if !args.anyway {
            return Err(
                Failure::from(error).hint("start it with `askbridge`, or run the program unannounced with `--anyway`")
            );
        }
        tell(&format!("warning: {error}\nwarning: what runs now is not known as an agent"));
    }
    // Orphaned descendants are adopted by us (subreaper), not by the system, and so stay below an agent. Best effort,
    // since it only narrows what is out of scope anyway.
    let _ = orphans::adopt();
    let (program, rest) = args.command.split_first().ok_or_else(|| Failure::usage("there is no program to run"))?;
    // A person's token in our environment would let the agent decide.
    let error = Command::new(program).args(rest).env_remove("ASKBRIDGE_TOKEN").exec();
    let exit = if error.kind() == ErrorKind::NotFound { Exit::NotFound } else { Exit::NotExecutable };
    let what = format!("could not run `{}`", program.display());
    Err(Failure::from(anyhow::Error::from(error).context(what)).exit(exit))
}
