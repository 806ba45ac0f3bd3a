//! Runs the examples of a rule file.

use askbridge_bridge::rule_file::RulesRead;
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, print, visible};

pub(super) fn test(rules: &RulesRead, json: bool) -> Result<Exit, Failure> {
    let file = rules.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let mut failed = 0u64;
    for example in &rules.examples {
        let run = example.run(&rules.set);
        failed += u64::from(run.is_err());
        if json {
            let (good, why) = (run.is_ok(), run.err());
            let line = json!({"file": file, "line": example.line, "rule": example.beside, "good": good, "why": why});
            print(&line.to_string())?;
        } else if let Err(why) = run {
            print(&visible(&format!("{file}:{}: beside `{}`: {why}", example.line, example.beside)))?;
        }
    }
    let all = counted(rules.examples.len() as u64, "example", "examples");
    if failed > 0 {
        let failure = Failure::new(format!("{failed} of {all} came out differently"));
        return Err(failure.hint("`askbridge policy explain --input FILE` says why, rule by rule"));
    }
    if !json {
        print(&format!("{all}: all came out as expected"))?;
    }
    Ok(Exit::Good)
}
