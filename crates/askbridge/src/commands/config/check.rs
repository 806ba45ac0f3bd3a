//! Reports every problem of one file, or of all the settings that a server would read.

use std::path::{Path, PathBuf};

use askbridge_config::{Config, Problem, Source};
use serde_json::{Value, json};

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{print, visible};

/// Checks a single file, which need not be meant for this machine.
pub(super) fn check_file(path: &Path, json: bool) -> Result<Exit, Failure> {
    let shown = path.display();
    if path.try_exists().is_ok_and(|exists| !exists) {
        return Err(Failure::new(format!("there is no file `{shown}`")));
    }
    let config = Config::of_file(path);
    let good = format!("{shown}: {}", all_is_well(set(&config), config.rules.len()));
    Checked { file: Some(path.to_owned()), exists: true, problems: config.problems }.tell(&good, json)
}

/// Counts the settings that are not left at their default.
fn set(config: &Config) -> usize {
    config.shown().filter(|shown| *shown.source != Source::Default).count()
}

/// Checks all that applies here: flags, the environment and the file.
pub(super) fn check_all(config: Config, json: bool) -> Result<Exit, Failure> {
    let set = set(&config);
    let good = match (&config.file, config.file_is_there) {
        (Some(file), true) => format!("{}: {}", file.display(), all_is_well(set, config.rules.len())),
        (Some(file), false) if set == 0 => {
            format!("there is no file `{}`; everything is at its default", file.display())
        }
        (Some(file), false) => format!("there is no file `{}`; {}", file.display(), all_is_well(set, 0)),
        (None, _) => all_is_well(set, 0),
    };
    Checked { file: config.file, exists: config.file_is_there, problems: config.problems }.tell(&good, json)
}

fn all_is_well(settings: usize, rules: usize) -> String {
    format!("all is as it should be (settings: {settings}, rules: {rules})")
}

struct Checked {
    file: Option<PathBuf>,
    exists: bool,
    problems: Vec<Problem>,
}

impl Checked {
    fn tell(self, good: &str, json: bool) -> Result<Exit, Failure> {
        let many = self.problems.len();
        if json {
            let problems: Vec<_> = self.problems.iter().map(as_json).collect();
            let file = self.file.map(|file| file.display().to_string());
            print(&json!({"file": file, "exists": self.exists, "good": many == 0, "problems": problems}).to_string())?;
        } else {
            for problem in &self.problems {
                let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
                print(&visible(&format!("{problem}{hint}")))?;
            }
        }
        if many > 0 {
            let many = if many == 1 { "one thing is".to_owned() } else { format!("{many} things are") };
            let failure = Failure::new(format!("{many} wrong with the settings"));
            return Err(failure.hint("every setting is in `askbridge config reference`"));
        }
        if !json {
            print(good)?;
        }
        Ok(Exit::Good)
    }
}

fn as_json(problem: &Problem) -> Value {
    let line = (problem.line > 0).then_some(problem.line);
    json!({"place": problem.place, "line": line, "what": problem.what, "hint": problem.hint})
}
