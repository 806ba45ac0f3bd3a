//! Checks, in the agents' own transcripts, that every answer was the one given.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::script::WILL_SAY;

/// Reads all transcripts below a home folder. Returns how many questions were answered; fails if one was answered with
/// anything but what the message before it announced.
pub(super) fn check(home: &Path) -> Result<usize> {
    let mut answered = 0;
    for transcript in transcripts(home)? {
        let text = fs::read_to_string(&transcript)?;
        answered += check_one(&text).with_context(|| format!("in `{}`", transcript.display()))?;
    }
    Ok(answered)
}

fn check_one(transcript: &str) -> Result<usize> {
    let (mut announced, mut answered) = (None, 0);
    for line in transcript.lines() {
        if let Some(at) = line.find(WILL_SAY) {
            let rest = &line[at + WILL_SAY.len()..];
            announced = rest.split('"').next();
        } else if line.contains(r#""tool_result""#) {
            let label = announced.take().context("a result without a question")?;
            ensure!(line.contains(&format!(r#"=\"{label}\""#)), "`{label}` was given, and the agent read {line}");
            answered += 1;
        }
    }
    Ok(answered)
}

fn transcripts(home: &Path) -> Result<Vec<PathBuf>> {
    let projects = home.join(".claude/projects");
    let mut found = Vec::new();
    for project in
        fs::read_dir(&projects).with_context(|| format!("no agent has written to `{}`", projects.display()))?
    {
        for file in fs::read_dir(project?.path())? {
            found.push(file?.path());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Round 1. The answer will be SQLite"}]}}"#;

    fn result(label: &str) -> String {
        let text = format!(r#"Your questions have been answered: \"Which?\"=\"{label}\". You can now continue"#);
        format!(r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":"{text}"}}]}}}}"#)
    }

    #[test]
    fn an_answer_that_was_announced_counts() {
        assert_eq!(check_one(&format!("{ASKED}\n{}\n{ASKED}\n", result("SQLite"))).unwrap(), 1);
    }

    #[test]
    fn another_answer_fails() {
        let error = check_one(&format!("{ASKED}\n{}\n", result("PostgreSQL"))).unwrap_err();
        assert!(error.to_string().starts_with("`SQLite` was given"), "{error}");
    }

    #[test]
    fn an_answer_that_comes_twice_fails() {
        assert!(check_one(&format!("{ASKED}\n{0}\n{0}\n", result("SQLite"))).is_err());
    }
}
