//! The flags of `askbridge config`.

use std::path::PathBuf;

use askbridge_config::reference;

use super::check::{check_all, check_file};
use super::show::show;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::print;
use crate::settings::{CommandLine, look_up};

const EXAMPLES: &str = "\
Examples:
  askbridge config show                     every setting, its value, and where it came from
  askbridge config show --json | jq
  askbridge --log-level debug config show   what the server would see with this flag
  askbridge config check                    are the file, the environment and the flags right?
  askbridge config check /etc/askbridge.toml
  askbridge config reference                what every setting is for

The file is the one that `--config` names, else $ASKBRIDGE_CONFIG, else ~/.config/askbridge/config.toml.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show every setting, its value, and where it came from
    Show {
        /// Print JSON, one setting on each line
        #[arg(long)]
        json: bool,
    },
    /// Print what every setting is for, as Markdown
    Reference,
    /// Say everything that is wrong with the settings
    Check {
        /// Look at this file alone [default: all that would be read]
        file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(line: &CommandLine, args: &Args) -> Result<Exit, Failure> {
    match &args.verb {
        Verb::Show { json } => show(&look_up(line), *json),
        Verb::Reference => {
            print(reference().trim_end())?;
            Ok(Exit::Good)
        }
        Verb::Check { file: Some(file), json } => check_file(file, *json),
        Verb::Check { file: None, json } => check_all(look_up(line), *json),
    }
}
