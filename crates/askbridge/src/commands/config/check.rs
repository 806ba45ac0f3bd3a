//! Everything that is wrong with a file.

use std::path::PathBuf;

use askbridge_config::{Problem, read_file};
use serde_json::json;

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, visible};

pub(super) fn check(file: Option<PathBuf>, named: bool, json: bool) -> Result<Exit, Failure> {
    let Some(path) = file else {
        return Err(Failure::new("there is no file to check").hint("name one: `askbridge config check FILE`"));
    };
    let shown = path.display();
    let (settings, rules, problems) = match read_file(&path) {
        Ok(None) if named => return Err(Failure::new(format!("there is no file `{shown}`"))),
        Ok(None) => {
            print(&if json {
                json!({"file": shown.to_string(), "exists": false, "good": true, "problems": []}).to_string()
            } else {
                format!("there is no file `{shown}`; everything is at its default")
            })?;
            return Ok(Exit::Good);
        }
        Ok(Some(contents)) => (contents.values.len(), contents.rules.len(), contents.problems),
        Err(problem) => (0, 0, vec![problem]),
    };
    let good = problems.is_empty();
    if json {
        let problems: Vec<_> = problems.iter().map(as_json).collect();
        print(&json!({"file": shown.to_string(), "exists": true, "good": good, "problems": problems}).to_string())?;
    } else {
        for problem in &problems {
            let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            print(&visible(&format!("{problem}{hint}")))?;
        }
    }
    if !good {
        let many =
            if problems.len() == 1 { "one thing is".to_owned() } else { format!("{} things are", problems.len()) };
        return Err(Failure::new(format!("{many} wrong with `{shown}`"))
            .hint("every setting is in `askbridge config reference`"));
    }
    if !json {
        print(&format!("{shown}: all is as it should be (settings: {settings}, rules: {rules})"))?;
    }
    Ok(Exit::Good)
}

fn as_json(problem: &Problem) -> serde_json::Value {
    let line = (problem.line > 0).then_some(problem.line);
    json!({"line": line, "what": problem.what, "hint": problem.hint})
}
