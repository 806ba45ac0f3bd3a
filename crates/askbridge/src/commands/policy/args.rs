//! The flags of `askbridge policy`.

use std::path::{Path, PathBuf};

use askbridge_bridge::rule_file::{RuleSource, RulesRead};

use super::check::check;
use super::check_gobby::check_gobby;
use super::explain::explain;
use super::remember::{self, remember, remembered};
use super::simulate::{self, simulate};
use super::test::test;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::served::bad_rules;
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  askbridge policy check rules.toml            everything that is wrong with a file, with line and column
  askbridge policy check --gobby .gobby        what gobby's rules would do here, and what not
  askbridge policy test                        run the examples that are kept beside the rules
  askbridge policy explain ask_06f2…           which rule decides an ask, and why the others do not
  askbridge policy explain --input ask.toml    the same for one that was not asked: command = \"npm publish\"
  askbridge policy explain --input ask.json --json | jq
  askbridge policy simulate --since 30d        what the rules would have done with what was asked, and what people did
  askbridge policy simulate new.toml --json    the same for rules that are not in force
  askbridge policy remember 0b9x --for project --until 30d
  askbridge policy remembered                  what is remembered, how often it was used, and until when

`.askbridge/rules.toml` is a project's file, which only tightens, and is checked as one.
Without a file, these are the rules that the server would read: `rules` in the settings, or rules.toml beside them.
Rules deny first, then ask, then allow or answer; within that the first in the file decides.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Say everything that is wrong with a rule file
    Check {
        /// The rule file [default: the one that the server would read]
        file: Option<PathBuf>,
        /// Check gobby's rule files in this folder instead: what they would do here, and what not
        #[arg(long, value_name = "FOLDER", conflicts_with = "file")]
        gobby: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say which rule decides an ask, and why the others do not
    Explain {
        /// The ask's id
        #[arg(required_unless_present = "input", conflicts_with = "input")]
        ask: Option<String>,
        /// An ask in a file: TOML with the keys of an example, or JSON as the API shows asks or as Claude Code reports a
        /// call to its hooks
        #[arg(long, value_name = "FILE")]
        input: Option<PathBuf>,
        /// Use the rules of this file
        #[arg(long, value_name = "FILE")]
        with: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Allow this very call again without asking: shows the rule, and saves it once you agree
    Remember(remember::Args),
    /// List the approvals that are remembered, or revoke one
    Remembered(remember::ListArgs),
    /// Say what the rules would have done with the asks of the last days, beside what people decided. Changes nothing
    Simulate(simulate::Args),
    /// Run the examples that are kept beside the rules
    Test {
        /// The rule file [default: the one that the server would read]
        file: Option<PathBuf>,
        /// Print JSON, one example on each line
        #[arg(long)]
        json: bool,
    },
}

pub(crate) async fn run(settings: &Settings, args: Args) -> Result<Exit, Failure> {
    match args.verb {
        Verb::Check { gobby: Some(folder), json, .. } => check_gobby(&folder, json),
        Verb::Check { file, json, .. } => check(&source(settings, file.as_deref()), file.as_deref(), json),
        Verb::Test { file, json } => test(&read(settings, file.as_deref())?, json),
        Verb::Remember(args) => remember(settings, args).await,
        Verb::Remembered(args) => remembered(settings, args).await,
        Verb::Simulate(args) => {
            let rules = read(settings, args.file.as_deref())?;
            simulate(settings, &rules, args).await
        }
        Verb::Explain { ask, input, with, json } => {
            let rules = read(settings, with.as_deref())?;
            explain(settings, &rules, &source(settings, with.as_deref()), ask.as_deref(), input.as_deref(), json).await
        }
    }
}

/// The rules of a file, with the terms of the settings; or those that the server would read.
fn source(settings: &Settings, file: Option<&Path>) -> RuleSource {
    let source = settings.rule_source();
    match file {
        Some(file) => RuleSource { files: vec![file.to_owned()], is_named: true, ..source },
        None => source,
    }
}

fn read(settings: &Settings, file: Option<&Path>) -> Result<RulesRead, Failure> {
    source(settings, file).read().map_err(|problems| bad_rules(&problems))
}
