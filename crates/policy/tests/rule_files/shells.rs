//! What we take for plain words, run by a real shell.

use std::fs;
use std::process::{Command, Stdio};

use askbridge_core::rules::asks::Call;
use askbridge_policy::JsonCall;
use proptest::collection::vec;
use proptest::prelude::*;

/// Instead of running a command, the shell notes its words. There is no program on its path.
const NOTING: &str = r#"
command_not_found_handle() { printf '%q ' "$@" >> ../noted; printf '\n' >> ../noted; }
PATH=
"#;

/// Runs a text. Returns the commands that the shell would have run, and whether it left a file.
fn run(text: &str) -> (Vec<String>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let desk = folder.path().join("desk");
    fs::create_dir(&desk).unwrap();
    let mut command = Command::new("/bin/bash");
    command.args(["--norc", "-c", &format!("{NOTING}\neval \"$1\"",), "bash", text]);
    command.env_clear().current_dir(&desk).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap();
    let noted = fs::read_to_string(folder.path().join("noted")).unwrap_or_default();
    let left = fs::read_dir(&desk).unwrap().next().is_some();
    (noted.lines().map(str::to_owned).collect(), left)
}

fn text() -> impl Strategy<Value = String> {
    let tokens = &[
        "frob",
        "a",
        "b",
        "--x",
        "V=1",
        "'a b'",
        "\"a b\"",
        "'",
        "\"",
        "\\",
        "\\ ",
        "\\\n",
        "$V",
        "${V}",
        "$(a)",
        "`b`",
        "<(a)",
        "(",
        ")",
        "{",
        "}",
        "{a,b}",
        ";",
        "&",
        "&&",
        "|",
        "||",
        "|&",
        "\n",
        ">",
        ">>",
        "<",
        "<<",
        "<<<",
        "2>",
        ">&2",
        "2>&1",
        "&>",
        "> /dev/null",
        "#",
        "!",
        "=",
        "*",
        "$",
        "if",
        "then",
        "fi",
        "for",
        "do",
        "done",
        "eval",
        "$'\\x61'",
        "~",
        "-",
        "\t",
    ];
    let token = prop::sample::select(&tokens[..]);
    let space = prop::sample::select(&["", " ", " ", "  "]);
    vec((token, space), 1..9).prop_map(|tokens| tokens.iter().map(|(token, space)| format!("{token}{space}")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A shell runs nothing beyond the parts that we see, and each part is one command. It writes no file.
    #[test]
    fn a_real_shell_runs_no_more_than_the_parts_that_we_see(text in text()) {
        let input = serde_json::json!({"command": text}).to_string();
        let call = JsonCall::new("Bash", &input);
        let Some(parts) = &call.script().unwrap().plain else { return Ok(()) };
        let (ran, left) = run(&text);
        prop_assert!(!left, "it wrote a file");
        let mut alone = Vec::new();
        for part in parts {
            let (one, _) = run(&part.text);
            // None, if it is the path of a folder or not a command at all.
            prop_assert!(one.len() <= 1, "{:?} is more than one command: {one:?}", part.text);
            alone.extend(one);
        }
        for command in &ran {
            prop_assert!(alone.contains(command), "{command} runs, and is none of {alone:?}");
        }
    }
}
