//! The command line: all commands and flags.

use std::path::PathBuf;

use askbridge_config::{ForEveryone, ForServer};
use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    answer, ask, away, channel, cluster, completions, config, connect, demo, digest, doctor, expose, hook, inbox, init,
    journal, mcp, notify, pair, policy, resume, run, serve, taps, token,
};
use crate::failure::Failure;
use crate::settings::CommandLine;

/// Fits a screen of 24 lines and 80 columns. The settings are on a separate page.
const HELP: &str = "\
Carries a coding agent's question to a person, and the answer back.

Usage: askbridge [COMMAND]

  serve, demo      run the server (the default); see how it works
  expose, connect  let a phone reach it; ask at your askbridge at home
  ask, wait, away  ask a person, wait for the answer; say that you are away
  inbox, answer    see what waits for you (live with --watch), and answer it
  pair, token      let a phone or browser decide; list and revoke tokens
  channel, notify  be reached while away; see what was rung
  policy, digest   rules that decide for you; what they decided
  init, uninstall  let an agent program ask through askbridge, and undo that
  run, mcp, hook   run a program as an agent; what agents start to reach you
  journal, resume  check, back up or move the journal; take up parked runs
  cluster, taps    share a journal between machines; when taps are needed
  config, doctor   show and check the settings; find out what is wrong
  completions      completions for your shell

Examples:
  askbridge ask \"Deploy now?\" -o Yes -o No
  askbridge init claude

More: askbridge help COMMAND; askbridge help settings; askbridge --version";

/// Carries a coding agent's question to a person, waits as long as it takes, and carries the answer back.
#[derive(Debug, Parser)]
#[command(name = "askbridge", version, override_help = HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// The file with the settings
    #[arg(long, value_name = "FILE", global = true, help_heading = "Settings")]
    config: Option<PathBuf>,
    #[command(flatten)]
    everyone: ForEveryone,
    #[command(flatten)]
    server: ForServer,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server in the foreground (the default)
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// See how it works: a script plays an agent and asks, you answer
    Demo(demo::Args),
    /// Ask a person, wait, and print the answer
    Ask(ask::Args),
    /// Wait for the answer to a question that was asked before, and print it
    Wait(ask::later::Args),
    /// Show what waits for an answer
    Inbox(inbox::Args),
    /// Answer an ask: with flags, or step by step in a terminal
    Answer(Box<answer::Args>),
    /// Make a link or a token with which a person's device may decide
    Pair(pair::Args),
    /// List, create and revoke tokens
    Token(token::Args),
    /// Let this machine ask at an askbridge on another one: its hooks, MCP and `askbridge ask`
    Connect(connect::Args),
    /// Let this machine ask at its own askbridge again
    #[command(hide = true)]
    Disconnect,
    /// Say whether a tap on a paired device is needed before a program speaks for a person
    Taps(taps::Args),
    /// Share a journal with other machines: show the nodes, or start some here to try it out
    Cluster(cluster::Args),
    /// Check, export, back up, restore or prune the journal
    Journal(journal::Args),
    /// Run a program as an agent: it and everything below it may ask but never decide
    Run(run::Args),
    /// Let an MCP client reach a person: speaks the protocol on stdin and stdout
    Mcp(mcp::Args),
    /// Say that you are away from this machine, or that you are back
    Away(away::Args),
    /// Add, test and remove the ways in which you are reached while away
    Channel(channel::Args),
    /// Be reached over https: with a certificate, through Tailscale, in your own network, or behind a proxy
    Expose(Box<expose::Args>),
    /// See what was rung, and what became of it
    Notify(notify::Args),
    /// Take up runs again whose parked question has been answered
    Resume(resume::Args),
    /// What agents in your own terminal call when they need you
    Hook(hook::Args),
    /// Show the settings and where they come from, or check them
    Config(config::Args),
    /// Check, explain and test the rules by which asks are decided without you
    Policy(policy::Args),
    /// Show what rules decided without you, and how to correct it
    Digest(digest::Args),
    /// Let an agent that you already use ask through askbridge: writes into that program's own settings
    Init(init::Args),
    /// Take out of a program's settings what `init` wrote, and nothing else
    Uninstall(init::UninstallArgs),
    /// Look whether everything is as it should be, and say what to do where it is not
    Doctor(doctor::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Every setting. Each can be a flag before or behind a command, a variable, or a line in a file
    #[command(hide = true, override_usage = "askbridge [COMMAND] [SETTINGS]", after_help = SETTINGS_EXAMPLES)]
    Settings(SettingsPage),
}

/// What `askbridge help settings` shows.
#[derive(Debug, clap::Args)]
pub(crate) struct SettingsPage {
    #[command(flatten)]
    server: ForServer,
}

impl SettingsPage {
    /// Prints the same as `askbridge help settings`.
    pub(crate) fn print() -> std::io::Result<()> {
        let mut cli = Cli::command();
        // Only a built command includes the global flags.
        cli.build();
        cli.find_subcommand_mut("settings").map_or(Ok(()), clap::Command::print_help)
    }
}

const SETTINGS_EXAMPLES: &str = "\
Examples:
  askbridge --listen 0.0.0.0:4760              a flag wins over everything else
  ASKBRIDGE_LISTEN=0.0.0.0:4760 askbridge      then the environment
  askbridge --config /etc/askbridge.toml       then a file: listen = \"0.0.0.0:4760\"
  askbridge config show                        every setting, its value, and where it came from
  askbridge config reference                   the same with names, variables and defaults

NO_COLOR switches colour off.";

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    server: ForServer,
    #[command(flatten)]
    pub(crate) args: serve::Args,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  askbridge
  askbridge serve --listen 0.0.0.0:4760            let phones in the same network in
  askbridge serve --data /srv/askbridge --log-format json
  askbridge serve --config /etc/askbridge.toml     everything from a file; see `askbridge config show`
  askbridge serve --dialect prime --dialect ccc=127.0.0.1:8000   let clients of other systems in
  askbridge serve --wait-for-lock                  the next release, started before the running one is stopped

SIGTERM and Ctrl-C finish what is in hand, then stop. A server that is just stopping is waited for by itself.
Sockets that systemd opened for us (LISTEN_FDS) are used instead of opening new ones.";

impl Cli {
    /// Separates the command from the settings, and refuses the server's settings for other commands.
    pub(crate) fn split(self) -> Result<(Command, CommandLine), Failure> {
        let mut flags = self.everyone.0;
        let command = self.command.unwrap_or_else(|| Command::Serve(Serve::default()));
        if let (Some((key, _)), false) = (self.server.0.first(), takes_server_flags(&command)) {
            let flag = key.flag.as_deref().unwrap_or_default();
            return Err(Failure::usage(format!("`--{flag}` is a setting of the server, and this command is not"))
                .hint(format!("start the server with it: `askbridge serve --{flag} …`")));
        }
        flags.extend(self.server.0);
        if let Command::Serve(serve) = &command {
            flags.extend(serve.server.0.iter().cloned());
        }
        Ok((command, CommandLine { file: self.config, flags }))
    }
}

/// `config show` shows what the server would use.
fn takes_server_flags(command: &Command) -> bool {
    matches!(command, Command::Serve(_) | Command::Config(_) | Command::Policy(_) | Command::Settings(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_a_screen_and_names_every_command() {
        assert!(HELP.lines().count() < 24 && HELP.lines().all(|line| line.chars().count() < 80));
        let cli = Cli::command();
        let (_, rest) = HELP.split_once("Usage: askbridge [COMMAND]\n\n").unwrap();
        let lines = rest.lines().take_while(|line| !line.is_empty());
        let mut named: Vec<_> = lines.flat_map(|line| line[2..17].split(',').map(str::trim)).collect();
        let mut known: Vec<_> =
            cli.get_subcommands().filter(|command| !command.is_hide_set()).map(|it| it.get_name()).collect();
        named.sort_unstable();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
