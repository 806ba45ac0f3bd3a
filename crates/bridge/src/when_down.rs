//! The rules that deny calls in terminals while the server does not answer: a copy for the hooks, in the data folder.
//!
//! Only the operator's file can have such rules (`when_down = "deny"`). The copy is of the last good version; it is
//! written when rules are put in force, and removed when none of them says so. It is no wall: an agent can delete it.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use askbridge_core::ask::{Approval, Body};
use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::{
    AskFacts, AskRule, Call, Conditions, LocalTime, RuleFile, RuleSet, TermsOf, WhenDown, rule_every_call,
};
use askbridge_core::terms::Wishes;
use askbridge_peers::doors::hook::NAME;
use askbridge_policy::JsonCall;
use serde::{Deserialize, Serialize};

/// Where the copy is, in the data folder.
pub const WHEN_DOWN_FILE: &str = "run/when-down.json";

/// The agent whose hooks ask.
const AGENT: &str = "claude";

#[derive(Serialize, Deserialize)]
struct Copied {
    /// The rule file.
    file: String,
    /// Its text.
    text: String,
    /// For `~/` in rules.
    home: Option<String>,
}

/// The rules that say to deny.
#[derive(Debug)]
pub struct WhenDownRules(RuleSet);

impl WhenDownRules {
    /// Reads the copy. `None`: it cannot be read, or no rule in it says to deny.
    pub fn read(text: &str) -> Option<Self> {
        let Copied { file, text, home } = serde_json::from_str(text).ok()?;
        let loaded = askbridge_policy::read(&file, &text, home.as_deref()).ok()?;
        let rules: Vec<_> = loaded.rules.into_iter().filter(denies).map(without_the_server).collect();
        let set = RuleSet::new(vec![RuleFile { terms: TermsOf::Every, rules }], Wishes::default());
        (!set.is_empty()).then_some(Self(set))
    }

    /// The rule that denies a call, if one does.
    pub fn denies(
        &self,
        tool: &str,
        input: &str,
        folder: Option<&str>,
        local: Option<LocalTime>,
        at: Timestamp,
    ) -> Option<&AskRule> {
        let input = if input.is_empty() { "{}" } else { input };
        let body = Body::Approval(Approval {
            tool: tool.to_owned(),
            input: input.into(),
            summary: None,
            reason: None,
            rules: Vec::new(),
            overrule: false,
        });
        let call = JsonCall::new(tool, input);
        let none = Wishes::default();
        let facts = AskFacts {
            at,
            door: NAME,
            agent: AGENT,
            session: None,
            title: None,
            folder,
            branch: None,
            body: Some(&body),
            call: Some(&call as &dyn Call),
            digest_questions: None,
            local,
            present: None,
            decided_before: 0,
            wishes: [&none; 4],
        };
        rule_every_call(&self.0, None, &facts).map(|ruled| ruled.rule)
    }
}

fn denies(rule: &AskRule) -> bool {
    rule.every_call && rule.when_down == WhenDown::Deny
}

/// What only the server knows is taken to hold: the person chose to be safe.
fn without_the_server(rule: AskRule) -> AskRule {
    let when = Conditions {
        session: Vec::new(),
        branch: Vec::new(),
        present: None,
        decided_before: None,
        asks_about: Vec::new(),
        ..rule.when
    };
    AskRule { when, ..rule }
}

/// Brings the copy up to date. `file`: the rules in force, and the text that they are from.
pub(crate) fn keep_copy(
    path: &Path,
    rules: &RuleSet,
    file: Option<&Path>,
    text: &str,
    home: Option<&str>,
) -> io::Result<()> {
    let file = file.filter(|_| rules.rules().any(denies));
    let Some(file) = file else {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    let copied = Copied { file: file.display().to_string(), text: text.to_owned(), home: home.map(str::to_owned) };
    let text = serde_json::to_vec(&copied)?;
    let fresh = path.with_extension("new");
    let mut written = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    written.write_all(&text)?;
    drop(written);
    fs::rename(&fresh, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
[[rules]]
name = "no pushes"
do = "deny"
words = "Push in the morning."
tool = "Bash(git push *)"
every_call = true
when_down = "deny"

[[rules]]
name = "releases"
do = "ask"
tool = "Bash(cargo publish *)"
branch = "main"
every_call = true
when_down = "deny"

[[rules]]
name = "passes"
do = "deny"
words = "No."
tool = "Bash(rm *)"
every_call = true
"#;

    fn denied(rules: &WhenDownRules, command: &str) -> Option<String> {
        let input = serde_json::json!({ "command": command }).to_string();
        rules.denies("Bash", &input, Some("/srv/app"), None, Timestamp(0)).map(|rule| rule.name.clone())
    }

    #[test]
    fn only_rules_that_say_so_deny_without_a_server_and_what_is_unknown_counts_as_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("when-down.json");
        let loaded = askbridge_policy::read("rules.toml", RULES, None).expect("rules");
        let set = RuleSet::new(vec![loaded.into_file()], Wishes::default());
        keep_copy(&path, &set, Some(Path::new("rules.toml")), RULES, None).expect("it is written");
        let rules = WhenDownRules::read(&fs::read_to_string(&path).expect("it is there")).expect("rules deny");
        assert_eq!(denied(&rules, "git push origin"), Some("no pushes".to_owned()));
        assert_eq!(denied(&rules, "cargo publish -p x"), Some("releases".to_owned()), "the branch is not known");
        assert_eq!(denied(&rules, "rm -r x"), None);
        assert_eq!(denied(&rules, "git status"), None);
        assert!(rules.denies("Bash", "not JSON", None, None, Timestamp(0)).is_some(), "an unreadable command");

        let none = RuleSet::default();
        keep_copy(&path, &none, Some(Path::new("rules.toml")), "", None).expect("it is removed");
        assert!(!path.exists());
        keep_copy(&path, &none, None, "", None).expect("it was not there");
    }

    #[test]
    fn a_copy_that_makes_no_sense_denies_nothing() {
        for text in
            ["", "{", "{}", r#"{"file":"a","text":"[[rules]]","home":null}"#, r#"{"file":"a","text":"","home":null}"#]
        {
            assert!(WhenDownRules::read(text).is_none(), "{text}");
        }
    }
}
