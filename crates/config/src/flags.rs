//! The command line flags of the settings, for clap.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::table::{KEYS, Key, Whose};

/// Settings from a command line: key and text.
pub type Flags = Vec<(&'static Key, String)>;

/// Flags that every command accepts.
#[derive(Debug, Clone, Default)]
pub struct ForEveryone(pub Flags);

/// Flags that only the server accepts.
#[derive(Debug, Clone, Default)]
pub struct ForServer(pub Flags);

const HEADING: &str = "Settings";

/// Settings that only commands read are global flags too, like those that everything reads.
fn is_for(key: &Key, whose: Whose) -> bool {
    key.whose == whose || (whose == Whose::Everyone && key.whose == Whose::Commands)
}

fn arguments(command: Command, whose: Whose) -> Command {
    let keys = KEYS.iter().filter(|key| is_for(key, whose));
    keys.fold(command, |command, key| match &key.flag {
        None => command,
        Some(flag) => {
            let arg = Arg::new(&*key.name)
                .long(&**flag)
                .value_name(key.form.value_name())
                .help(&*key.doc)
                .help_heading(HEADING)
                .action(if key.form.is_repeated() { ArgAction::Append } else { ArgAction::Set })
                .value_parser(clap::value_parser!(OsString))
                .global(whose == Whose::Everyone);
            // Without a value, the flag means true.
            let is_a_switch = flag == "insecure-loopback";
            command.arg(if is_a_switch { arg.num_args(0..=1).default_missing_value("true") } else { arg })
        }
    })
}

fn given(matches: &ArgMatches, whose: Whose) -> Flags {
    let keys = KEYS.iter().filter(|key| is_for(key, whose) && key.flag.is_some());
    let given = keys.filter_map(|key| {
        let texts: Vec<_> = matches.try_get_many::<OsString>(&key.name).ok().flatten()?.collect();
        Some((key, texts.iter().map(|text| text.to_string_lossy()).collect::<Vec<_>>().join(",")))
    });
    given.collect()
}

macro_rules! takes {
    ($flags:ident, $whose:expr) => {
        impl clap::FromArgMatches for $flags {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                Ok(Self(given(matches, $whose)))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                self.0.extend(given(matches, $whose));
                Ok(())
            }
        }

        impl clap::Args for $flags {
            fn augment_args(command: Command) -> Command {
                arguments(command, $whose)
            }

            fn augment_args_for_update(command: Command) -> Command {
                arguments(command, $whose)
            }
        }
    };
}

takes!(ForEveryone, Whose::Everyone);
takes!(ForServer, Whose::Server);
