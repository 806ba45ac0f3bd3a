//! `askbridge expose off`: the settings as they were before, and what was started elsewhere stopped.

use std::fs;

use tokio::process::Command;

use super::change;
use super::lan;
use super::record::Record;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, tell, visible};
use crate::settings::Settings;

pub(super) async fn run(settings: &Settings, record: Option<Record>, dry: bool) -> Result<Exit, Failure> {
    let Some(record) = record else {
        print("nothing to undo: `askbridge expose` has changed nothing here")?;
        return Ok(Exit::Good);
    };
    if dry {
        let change = change::take_out(settings, &record, true)?;
        for command in &record.undo {
            tell(&format!("would run `{}`", command.join(" ")));
        }
        if record.way == lan::WAY {
            tell("would delete the keys of the authority of your network");
        }
        print(visible(&change.diff()).trim_end())?;
        return Ok(Exit::Good);
    }
    let mut undone = true;
    for command in &record.undo {
        undone &= undo(command).await;
    }
    change::take_out(settings, &record, false)?;
    match record.way.as_str() {
        lan::WAY => {
            let _ = fs::remove_dir_all(settings.tls_folder().join("lan"));
            tell("the authority of your network is gone; remove its certificate from your devices, too");
        }
        "acme" => {
            let folder = settings.tls_folder().join("acme");
            tell(&format!("kept, so that it need not be obtained again: `{}`", folder.display()));
        }
        _ => {}
    }
    Record::forget(settings);
    tell("next: start askbridge again, so that it reads its settings");
    if !undone {
        return Err(Failure::new("not everything could be undone").hint("run the commands above yourself"));
    }
    Ok(Exit::Good)
}

async fn undo(command: &[String]) -> bool {
    let Some((program, arguments)) = command.split_first() else { return true };
    let ran = Command::new(program).args(arguments).stdin(std::process::Stdio::null()).output().await;
    let why = match ran {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    tell(&format!("`{}` failed: {}", command.join(" "), visible(&why)));
    false
}
