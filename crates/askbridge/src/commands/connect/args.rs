//! The flags of `askbridge connect`.

use std::path::PathBuf;

use super::begin::{NewConnection, begin};
use super::off::off;
use super::status::show;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge connect https://ask.example.org
  askbridge connect https://home.lan:4760 --ca home.pem --name laptop
  askbridge connect --status
  askbridge disconnect

One tap on a device that is paired there connects this machine. From then on its hooks, MCP servers and `askbridge ask`
ask there; nothing has to be installed again. It may ask, never decide. `--url` and ASKBRIDGE_URL still win over it;
`--url here` is the askbridge on this machine.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The address at which people open the askbridge: https, or http through a tunnel that begins on this machine
    #[arg(value_name = "URL", required_unless_present_any = ["status", "off"], conflicts_with_all = ["status", "off"])]
    home: Option<String>,
    /// What people read on the cards of this machine [default: its host name]
    #[arg(long, requires = "home")]
    name: Option<String>,
    /// A PEM file with the certificate of the authority that vouches for it, if that is one of your own; no other then
    /// counts
    #[arg(long, value_name = "FILE", requires = "home")]
    ca: Option<PathBuf>,
    /// Say where this machine asks, and whether that works
    #[arg(long)]
    status: bool,
    /// Ask at the askbridge of this machine again, as `askbridge disconnect` does
    #[arg(long, conflicts_with = "status")]
    off: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    match args.home {
        Some(home) => begin(settings, NewConnection { home, name: args.name, ca: args.ca, json: args.json }).await,
        None if args.off => off(settings).await,
        None => show(settings, args.json).await,
    }
}
