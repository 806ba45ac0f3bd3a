//! Reports every problem of a rule file.

use std::path::Path;

use askbridge_bridge::rule_file::RuleSource;
use askbridge_policy::PROJECT_FILE;
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{counted, print, visible};

/// Checks the operator's rules, or `named` as the file of a project if it is one.
pub(super) fn check(source: &RuleSource, named: Option<&Path>, json: bool) -> Result<Exit, Failure> {
    let project = named.filter(|file| file.ends_with(PROJECT_FILE));
    let read = match project {
        Some(file) => {
            source.read_as_project(file).map(|read| (read.rules.len(), read.examples.len(), Some(file.to_owned())))
        }
        None => source.read().map(|read| (read.set.len(), read.examples.len(), read.file)),
    };
    let problems = match read {
        Ok((rules, examples, file)) => {
            let file = file.map(|file| file.display().to_string());
            if json {
                print(&json!({"file": file, "good": true, "rules": rules, "problems": []}).to_string())?;
                return Ok(Exit::Good);
            }
            let rules = counted(rules as u64, "rule", "rules");
            let examples = counted(examples as u64, "example", "examples");
            let named = file.map_or_else(|| "there is no rule file".to_owned(), |file| visible(&file));
            print(&format!("{named}: all is as it should be ({rules}, {examples})"))?;
            return Ok(Exit::Good);
        }
        Err(problems) => problems,
    };
    if json {
        let listed: Vec<_> = problems
            .iter()
            .map(|it| json!({"file": it.file, "line": it.line, "column": it.column, "what": it.what, "hint": it.hint}))
            .collect();
        print(&json!({"file": problems.first().map(|it| &it.file), "good": false, "problems": listed}).to_string())?;
    } else {
        for problem in &problems {
            let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            print(&visible(&format!("{problem}{hint}")))?;
        }
    }
    let many = counted(problems.len() as u64, "thing is", "things are");
    Err(Failure::new(format!("{many} wrong with the rules")))
}
