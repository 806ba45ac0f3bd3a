//! Settings from a file, variables and flags: each is parsed or refused with an explanation, and round-trips.

use std::collections::HashMap;

use askbridge_config::{Config, Flags, ForEveryone, ForServer, Machine, Problem, SettingSources, Source};
use clap::{Args, Command, FromArgMatches};

/// A line that ends the file; variables follow, one on each line.
const VARIABLES: &str = "%env";
/// A line that ends the variables; the words of a command line follow, one on each line.
const FLAGS: &str = "%flags";

pub(super) fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (file, rest) = parted(&text, VARIABLES);
    let (variables, words) = parted(rest, FLAGS);
    read_file(file);
    let variables: HashMap<_, _> = variables.lines().filter_map(|line| line.split_once('=')).collect();
    let flags = flags(words);
    let env = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let given = SettingSources { flags: &flags, env: &env, file: None, machine: Machine::default() };
    let config = Config::resolve(&given);
    config.problems.iter().for_each(has_words);
    reads_the_same(&config);
    // The core's rules accept every setting that passed.
    let _ = config.rules();
}

/// Splits the text at a line that is the mark.
fn parted<'a>(text: &'a str, mark: &str) -> (&'a str, &'a str) {
    let marked = text.match_indices(mark).find(|(at, _)| {
        let (before, after) = (&text[..*at], &text[at + mark.len()..]);
        (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
    });
    marked.map_or((text, ""), |(at, _)| (&text[..at], &text[at + mark.len()..]))
}

fn read_file(text: &str) {
    let config = Config::of_text("config.toml", text);
    let lines = 1 + text.matches('\n').count();
    for problem in &config.problems {
        has_words(problem);
        assert!((1..=lines).contains(&problem.line), "{problem} in a file of {lines} lines");
    }
    for shown in config.shown() {
        if let Source::File { line, .. } = shown.source {
            assert!((1..=lines).contains(line), "{} on line {line} of {lines}", shown.key.name);
        }
    }
    reads_the_same(&config);
    if config.problems.is_empty() {
        assert!(config.rules.iter().all(|ruled| !ruled.rule.name.is_empty()), "a rule without a name");
    }
}

fn flags(words: &str) -> Flags {
    let command = ForServer::augment_args(ForEveryone::augment_args(Command::new("askbridge").no_binary_name(true)));
    // clap refuses invalid command lines before our code sees them.
    let Ok(matches) = command.try_get_matches_from(words.lines().filter(|word| !word.is_empty())) else {
        return Flags::new();
    };
    let everyone = ForEveryone::from_arg_matches(&matches).map(|it| it.0).unwrap_or_default();
    let server = ForServer::from_arg_matches(&matches).map(|it| it.0).unwrap_or_default();
    everyone.into_iter().chain(server).collect()
}

fn has_words(problem: &Problem) {
    assert!(!problem.what.is_empty() && !problem.place.is_empty(), "{problem:?}");
}

/// What was parsed is shown as text that parses to the same.
fn reads_the_same(config: &Config) {
    let texts: HashMap<_, _> = config
        .shown()
        .filter(|shown| *shown.source != Source::Default)
        .map(|shown| (shown.key.env.clone(), shown.text.to_owned()))
        .collect();
    let env = |name: &str| texts.get(name).cloned();
    let given = SettingSources { flags: &Flags::new(), env: &env, file: None, machine: Machine::default() };
    let again = Config::resolve(&given);
    assert_eq!(again.problems, []);
    for (before, after) in config.shown().zip(again.shown()) {
        assert_eq!(before.text, after.text, "{}", before.key.name);
    }
}
