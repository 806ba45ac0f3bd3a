//! Reports a change, or why it could not be made.

use askbridge_edits::{Change, Error, Trouble, apply};
use serde_json::json;

use super::program::{Job, Program};
use crate::failure::Failure;
use crate::output::{print, visible};

/// Reports what happened to a file, or would happen.
pub(super) fn tell_change(program: Program, job: &Job, change: &Change, dry: bool, json: bool) -> Result<(), Failure> {
    let file = change.file.display().to_string();
    let done = match (&change.before, &change.after) {
        (before, after) if before == after => "unchanged",
        (None, _) => "created",
        (_, None) => "removed",
        _ => "changed",
    };
    if json {
        let backup = change.backup.as_ref().map(|backup| backup.display().to_string());
        let mut line =
            json!({"program": program.word(), "file": file, "change": done, "dry_run": dry, "backup": backup});
        if dry {
            line["diff"] = json!(change.diff());
        }
        return Ok(print(&line.to_string())?);
    }
    let what = job.what;
    if dry && !change.is_none() {
        return Ok(print(visible(&change.diff()).trim_end())?);
    }
    print(&match done {
        "unchanged" => format!("{file}: nothing to change ({what})"),
        done => format!("{file}: {done} ({what})"),
    })?;
    if let Some(backup) = &change.backup {
        print(&format!("  what was there before: {}", backup.display()))?;
    }
    Ok(())
}

/// Explains why a file was left alone, and what to do.
pub(super) fn failed(error: Error, job: &Job) -> Failure {
    let by_hand = || {
        let text = apply(job.target.format, "", &job.target.parts).unwrap_or_default();
        format!("put this into it by hand:\n\n{}", text.trim_end())
    };
    let file = job.target.file.display().to_string();
    let hint = match &error {
        Error::Document { source: Trouble::Syntax { .. }, .. } => {
            "nothing was changed; correct the file, which its program cannot read either, and try again".to_owned()
        }
        Error::Document { source: Trouble::NotPlain { .. }, .. } => {
            "nothing was changed, and what is yours stays. Take it out of the file yourself, or put askbridge into another one: \
             `askbridge init claude` is your own settings, `--local` your own for the project in this folder, `--project` \
             everybody's"
                .to_owned()
        }
        Error::Document { source: Trouble::Taken { name, .. }, .. } => {
            format!("nothing was changed; give your own `{name}` another name, and try again")
        }
        Error::Document { .. } => format!("nothing was changed; {}", by_hand()),
        Error::ReadOnly { .. } => format!(
            "nothing was changed; type `chmod u+w '{file}'`. If another tool writes this file, let that one add what \
             `--dry-run` shows"
        ),
        Error::HardLinks { .. } => format!("nothing was changed; {}", by_hand()),
        Error::Locked { .. } | Error::Restless { .. } => "nothing was changed; try again in a moment".to_owned(),
        Error::NotText { .. } | Error::TooLarge { .. } | Error::NotAFile { .. } => {
            format!("nothing was changed; look at it with `ls -l '{file}'`")
        }
        Error::Io { .. } => "nothing was changed".to_owned(),
    };
    Failure::from(anyhow::Error::from(error)).hint(hint)
}
