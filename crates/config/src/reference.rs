//! `docs/reference/config.md`, written from the table.

use super::keys::{CONDITIONS, KEYS, Key, Whose};

const INTRODUCTION: &str = "\
# Settings

Written by a test from the table in `crates/config/src/keys.rs`; change that, then run
`BLESS=1 cargo test -p askbridge-config the_reference`.

Every setting has a name in one TOML file, a variable and (with few exceptions) a flag. Who wins: **a flag, then the environment,
then the file, then the default.** The file is the one that `--config FILE` names, else `$ASKBRIDGE_CONFIG`, else
`$XDG_CONFIG_HOME/askbridge/config.toml`, else `~/.config/askbridge/config.toml`. It need not be there, unless you named it.

```console
$ askbridge config show          # every setting, its value, and where it came from
$ askbridge config check         # what is wrong with the file, the environment and the flags
$ askbridge config reference     # this page
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
same names. Rules have no variables and no flags. A rule cannot answer an ask yet.

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

fn section(key: &Key) -> &str {
    key.name.split_once('.').map_or("", |(section, _)| section)
}

fn row(key: &Key) -> String {
    let short = key.name.rsplit('.').next().unwrap_or(key.name);
    let default = match key.default {
        "" => "none".to_owned(),
        words if words.contains(' ') || words.contains('$') => words.to_owned(),
        value => format!("`{value}`"),
    };
    let flag = key.flag.map_or("none".to_owned(), |flag| format!("`--{flag}`"));
    let place = match key.whose {
        Whose::Caller => "; not in the file, where an agent could read it",
        Whose::Server | Whose::Commands => "",
        Whose::Everyone => "; also for commands",
    };
    format!("| `{short}` | {}{place} | {} | {default} | `{}` | {flag} |\n", key.doc, key.kind.shape(), key.env)
}

/// Returns the page.
pub fn page() -> String {
    let mut page = format!("{INTRODUCTION}```toml\n{EXAMPLE}```\n");
    let mut last = None;
    for key in KEYS {
        if last != Some(section(key)) {
            last = Some(section(key));
            let title = if section(key).is_empty() { "At the top".to_owned() } else { format!("[{}]", section(key)) };
            let head = "| name | | what it may be | default | variable | flag |\n|---|---|---|---|---|---|\n";
            page.push_str(&format!("\n## {title}\n\n{head}"));
        }
        page.push_str(&row(key));
    }
    page.push_str(&format!("\n{RULES}"));
    for condition in CONDITIONS {
        page.push_str(&format!("| `{}` | {} |\n", condition.name, condition.doc));
    }
    page.push_str(&format!("\n{ELSEWHERE}"));
    page
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::file::read_text;
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
        let contents = read_text("example", EXAMPLE);
        assert_eq!(contents.problems, []);
        assert_eq!((contents.values.len(), contents.rules.len()), (6, 1));
    }

    #[test]
    fn every_default_can_be_written_and_names_are_alike() {
        for key in KEYS {
            let words = key.default.contains(' ');
            if !words {
                assert!(key.kind.read(key.default).is_ok() || key.default.is_empty(), "{}", key.name);
            }
            assert!(key.env.starts_with("ASKBRIDGE_"), "{}", key.name);
            if let Some(flag) = key.flag {
                let named = key.name.replace(['.', '_'], "-");
                let typed_often = [("dialects-speak", "dialect"), ("dialects-insecure-loopback", "insecure-loopback")];
                let short = typed_often.iter().find(|(long, _)| *long == named).map(|(_, short)| *short);
                assert_eq!(flag, short.unwrap_or(&named));
            }
        }
    }
}
