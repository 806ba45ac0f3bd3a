//! The subcommands of `askbridge cluster`.

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

use super::{forget, status, up};

const EXAMPLES: &str = "\
Examples:
  askbridge cluster up --nodes 3     three NATS servers and three nodes on this machine, to try it out
  askbridge serve --journal nats://a:4222,b:4222,c:4222     one node of a real one; start the same on each machine
  askbridge cluster status           which nodes there are, and how they are
  askbridge cluster forget gpu-2     that machine will not come back

Every node serves every person: ask on one, see the card on another, answer on a third. The agents of a node run on its machine.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show the nodes that share the journal of the server on this machine
    Status {
        /// Print JSON: {"here", "alone", "rank", "nodes": [{"id", "name", "state", …}]}
        #[arg(long)]
        json: bool,
    },
    /// Declare a node gone that will not come back: its agents' open questions become messages
    Forget(forget::Args),
    /// Start NATS servers and nodes on this machine, to try it out; Ctrl-C ends them, and what was asked stays
    Up(up::Args),
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    match args.verb {
        Verb::Status { json } => status::run(settings, json).await,
        Verb::Forget(args) => forget::run(settings, &args).await,
        Verb::Up(args) => up::run(settings, &args).await,
    }
}
