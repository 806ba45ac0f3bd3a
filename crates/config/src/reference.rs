//! Generates `docs/reference/config.md` from the settings.

use super::rules::CONDITIONS;
use super::table::{KEYS, Key, Whose};

const INTRODUCTION: &str = "\
# Settings

Written by a test from the structure in `crates/config/src/settings.rs`; change that, then run
`BLESS=1 cargo test -p askbridge-config the_reference`.

Every setting has a name in one TOML file, a variable and (with few exceptions) a flag. Who wins: **a flag, then the environment,
then the file, then the default.** The file is the one that `--config FILE` names, else `$ASKBRIDGE_CONFIG`, else
`$XDG_CONFIG_HOME/askbridge/config.toml`, else `~/.config/askbridge/config.toml`. It need not be there, unless you named it.

```console
$ askbridge config show          # every setting, its value, and where it came from
$ askbridge config check         # what is wrong with the file, the environment and the flags
$ askbridge config reference     # this page
$ askbridge help settings        # the flags, on a screen
```

A name that does not exist is refused, with the one that was probably meant; so is a value of the wrong type. An empty variable
counts as not set. A running server does not read the file again: restart it.

## An example

";

const EXAMPLE: &str = "\
listen = \"127.0.0.1:4760\"
public_url = \"https://ask.example.org\"

[log]
level = \"info\"
format = \"json\"

[terms]                      # where neither the ask nor its session says otherwise
timeout = \"8h\"
undo = \"5s\"

[[rules]]                    # the first rule that matches an ask wins over everything else
name = \"deploys need two\"
folder = \"/srv/shop\"
asks_about = \"deploy\"
quorum = 2
timeout = \"never\"
";

const RULES: &str = "\
## [[rules]]

Terms for the asks that a rule names, stronger than anything else: a rule, then the ask itself, then its session, then `[terms]`.
For each ask the first rule of which every condition holds applies. A rule has at least one of the settings of `[terms]`, under the
same names. Rules have no variables and no flags. These rules only set terms; a [rule file](../concepts/rules.md) can
also allow, deny and answer.

| condition | |
|---|---|
";

const ELSEWHERE: &str = "\
## What is not in the table

| variable | |
|---|---|
| `ASKBRIDGE_CONFIG` | the file with the settings |
| `NO_COLOR` | no colour, whatever its value ([no-color.org](https://no-color.org)); neither is there any where the output is not a terminal, or where `TERM` is `dumb` |
| `XDG_CONFIG_HOME`, `XDG_DATA_HOME`, `HOME` | where the defaults lie |
| `USER`, `LOGNAME` | the default of `user` |
| `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_PROTOCOL` | the default of `otel.endpoint`, unless it is `https` or the protocol is `grpc`: then it was meant for others |
";

fn row(key: &Key) -> String {
    let flag = key.flag.as_ref().map_or("none".to_owned(), |flag| format!("`--{flag}`"));
    let place = match key.whose {
        Whose::Caller => "; not in the file, where an agent could read it",
        Whose::Server | Whose::Commands => "",
        Whose::Everyone => "; also for commands",
    };
    let Key { doc, env, .. } = key;
    let (name, shape, default) = (key.short(), key.form.shape(), key.default.words());
    format!("| `{name}` | {doc}{place} | {shape} | {default} | `{env}` | {flag} |\n")
}

/// Returns the page.
pub fn page() -> String {
    let mut page = format!("{INTRODUCTION}```toml\n{EXAMPLE}```\n");
    let mut last = None;
    for key in KEYS.iter() {
        if last != Some(key.section()) {
            last = Some(key.section());
            let title = if key.section().is_empty() { "At the top".to_owned() } else { format!("[{}]", key.section()) };
            let head = "| name | | what it may be | default | variable | flag |\n|---|---|---|---|---|---|\n";
            page.push_str(&format!("\n## {title}\n\n{head}"));
        }
        page.push_str(&row(key));
    }
    page.push_str(&format!("\n{RULES}"));
    for (name, doc) in CONDITIONS {
        page.push_str(&format!("| `{name}` | {doc} |\n"));
    }
    page.push_str(&format!("\n{ELSEWHERE}"));
    page
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::resolve::Config;
    use super::super::settings::Settings;
    use super::super::table::{Machine, Source};
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test may be told to write")]
    fn the_reference_is_what_the_table_says() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/config.md");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, page()).unwrap();
        }
        assert!(fs::read_to_string(&path).unwrap_or_default() == page(), "run it again with BLESS=1");
    }

    #[test]
    fn the_example_of_the_reference_is_right() {
        let config = Config::of_text("example", EXAMPLE);
        assert_eq!(config.problems, []);
        let set = config.shown().filter(|shown| *shown.source != Source::Default).count();
        assert_eq!((set, config.rules.len()), (6, 1));
    }

    #[test]
    fn every_default_can_be_written() {
        let mut settings = Settings::of(&Machine::default());
        for key in KEYS.iter() {
            let (text, _) = (key.get)(&settings);
            let text = text.to_owned();
            if !text.is_empty() && !text.contains(' ') {
                assert_eq!((key.set)(&mut settings, &text, Source::Default), Ok(()), "{}", key.name);
            }
        }
    }
}
