//! Runs every check and reports the findings.

use std::io::{IsTerminal, stdin, stdout};

use serde_json::json;

use super::checks::CHECKS;
use super::finding::{Finding, Health};
use super::patient::Patient;
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{Paint, print, tell, visible};
use crate::settings::{CommandLine, Settings, look_up, misspelt_variables};

const EXAMPLES: &str = "\
Examples:
  askbridge doctor
  askbridge doctor --json | jq 'select(.health == \"bad\")'

Changes nothing. It makes one ask, named as a test, and answers it where it may: on the running server from a
terminal, else on a server of its own that it throws away. At a terminal it also sends a test over each of your
channels, and waits a minute for your tap. Ends with 1 if something is bad.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print JSON, one finding on each line
    #[arg(long)]
    json: bool,
    /// Whether to send a test over each of your channels and wait for your tap; `auto`: at a terminal
    #[arg(long, value_enum, default_value = "auto")]
    ring: Ringing,
}

/// When the channels are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Ringing {
    Auto,
    Always,
    Never,
}

pub(crate) async fn run(line: &CommandLine, args: &Args) -> Result<Exit, Failure> {
    let mut report = Report { json: args.json, bad: 0, warnings: 0, paint: None };
    let config = look_up(line);
    if !config.problems.is_empty() {
        for problem in &config.problems {
            let hint = problem.hint.clone().unwrap_or_else(|| "see `askbridge config check`".to_owned());
            report.tell("settings", Finding::bad(problem.to_string(), hint))?;
        }
        return report.end("the other checks need settings that are right");
    }
    let settings = Settings::of(&config)?;
    report.paint = Some(Paint::stdout(&settings));
    let file = match (&config.file, config.file_is_there) {
        (Some(file), true) => format!("`{}` is right", file.display()),
        _ => "no file; flags, environment and defaults are right".to_owned(),
    };
    report.tell("settings", Finding::good(file))?;
    for (name, meant) in misspelt_variables() {
        let hint = format!("did you mean `{meant}`?");
        report.tell("settings", Finding::warning(format!("nothing looks at the variable `{name}`"), hint))?;
    }
    let at_a_terminal = !args.json && stdin().is_terminal() && stdout().is_terminal();
    let rings = args.ring == Ringing::Always || (args.ring == Ringing::Auto && at_a_terminal);
    let patient = Patient::meet(settings, rings).await;
    for check in CHECKS {
        for finding in (check.look)(&patient).await {
            report.tell(check.name, finding)?;
        }
    }
    report.end("do what the hints say, then run `askbridge doctor` again")
}

struct Report {
    json: bool,
    bad: usize,
    warnings: usize,
    paint: Option<Paint>,
}

impl Report {
    fn tell(&mut self, check: &str, finding: Finding) -> Result<(), Failure> {
        let Finding { health, what, hint } = finding;
        self.bad += usize::from(health == Health::Bad);
        self.warnings += usize::from(health == Health::Warning);
        if self.json {
            let line = json!({"check": check, "health": health.name(), "what": what, "hint": hint});
            return Ok(print(&line.to_string())?);
        }
        let bold = |text: &str| self.paint.map_or_else(|| text.to_owned(), |paint| paint.bold(text));
        let mark = format!("{:<7}", health.name());
        let mark = if health == Health::Bad { bold(&mark) } else { mark };
        print(&format!("{mark}  {check:<8}  {}", visible(&what)))?;
        if let Some(hint) = hint {
            print(&format!("{:<19}hint: {}", "", visible(&hint)))?;
        }
        Ok(())
    }

    fn end(self, hint: &str) -> Result<Exit, Failure> {
        match self.bad {
            0 => {
                let summary = match self.warnings {
                    0 => "all is as it should be".to_owned(),
                    1 => "nothing is broken; one warning deserves a look".to_owned(),
                    more => format!("nothing is broken; {more} warnings deserve a look"),
                };
                if !self.json {
                    tell(&summary);
                }
                Ok(Exit::Good)
            }
            1 => Err(Failure::new("one thing is not as it should be").hint(hint)),
            more => Err(Failure::new(format!("{more} things are not as they should be")).hint(hint)),
        }
    }
}
