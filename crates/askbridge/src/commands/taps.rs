//! `askbridge taps`: is a tap on a paired device needed before a program of this machine speaks for a person?

use hyper::Method;
use serde::Deserialize;
use serde_json::json;

use crate::client::{Client, Reply};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge taps            how it is now
  askbridge taps off        no longer ask the phone; this is itself confirmed there, once
  askbridge taps on         ask again

From the first device on, pairing another one, revoking a person's token, and deciding from a terminal that anything could
have opened (tmux, a graphical terminal) need a tap on a paired device. A tap for a terminal holds until its shell ends.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to do [default: status]
    #[arg(value_enum)]
    verb: Option<Verb>,
    /// Print JSON: {"on", "needed"}
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Verb {
    Status,
    On,
    Off,
}

#[derive(Debug, Deserialize)]
struct Taps {
    on: bool,
    needed: bool,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    let client = Client::local(settings);
    let reply: Reply = match args.verb {
        None | Some(Verb::Status) => client.get("/v1/taps").await?,
        Some(verb) => client.with_tap(Method::POST, "/v1/taps", &json!({"on": verb == Verb::On})).await?,
    };
    let taps: Taps = reply.json()?;
    let said = match (taps.on, taps.needed) {
        (true, true) => "on: what programs here do for a person needs a tap on a paired device",
        (true, false) => "on: needed once the first device is paired, and none is yet",
        (false, _) => "off: programs here may pair devices and decide without a tap",
    };
    print(if args.json { reply.text.trim() } else { said })?;
    Ok(Exit::Good)
}
