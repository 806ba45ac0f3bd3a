//! The project's own commands.

mod drift;
mod install;
mod run;
mod test;
mod tidy;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask test             everything that has to hold: format, lints, docs, tidy, tests
cargo xtask bench [--quick]  speed, beside the floor of the same run
cargo xtask tidy             walls between crates, file sizes, door plates
cargo xtask install          what the tests need and the machine may not have
cargo xtask drift [--cli P]  the scenarios of the real Claude Code against another one; 2.1.197 unless told";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["test"] => test::run(),
        ["bench", rest @ ..] => {
            // What is published is what is measured.
            run::cargo(&["build", "--profile", "dist", "--package", "askbridge", "--package", "askbridge-bench"])?;
            run::program(run::root().join("target/dist/askbridge-bench"), rest)
        }
        ["tidy"] => tidy::run(),
        ["drift", rest @ ..] => drift::run(rest),
        ["install"] => install::run().map(drop),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n\n{HELP}"),
    }
}
