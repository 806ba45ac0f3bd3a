//! The project's own commands.

mod agents;
mod api;
mod api_diff;
mod bench;
mod book;
mod deny;
mod dist;
mod docs;
mod drift;
mod install;
mod links;
mod run;
mod soak;
mod suite;
mod test;
mod tidy;
mod web;

use std::os::unix::process::CommandExt;

use anyhow::{Context, Result, bail};

const HELP: &str = "\
cargo xtask test             everything that has to hold: format, lints, docs, tidy, tests
cargo xtask dist             the build that is published, in target/published: ordered by what it does under load
cargo xtask bench [--quick]  speed, beside the floor of the same run
cargo xtask bench ringing    what ringing costs, beside a server that rings nobody in the same run; --quick
cargo xtask bench turns      only whole turns, beside the official SDKs too (fetches 200 MB); --quick
cargo xtask api              the real server against its own document, by schemathesis
cargo xtask api-diff         does the API keep what the last release promised?
cargo xtask api-release      makes today's API the promise: part of a release
cargo xtask load [--quick]   a crowd on one server: nothing lost, bounded memory, 429 or 503 beyond
cargo xtask simulate         the real bridge on simulated afternoons; --seeds N, --seed S, --minutes M
cargo xtask fuzz             every parser, fed with chance; --minutes M, --inputs N
cargo xtask soak [--hours H] seeds, inputs and the storms at full length; its result is docs/soak.md
cargo xtask web              the web app: types, tests, the committed build, journeys in a real browser
cargo xtask tidy             walls between crates, file sizes, door plates
cargo xtask deny             licences and sources of dependencies, as deny.toml says; each has to be used
cargo xtask links            every link between the documents leads somewhere
cargo xtask book             the documents as pages, in target/book
cargo xtask install          what the tests need and the machine may not have
cargo xtask agents           the part of `test` with Codex and OpenCode (fetches 230 MB)
cargo xtask drift [--cli P]  the scenarios of the real Claude Code against another one; 2.1.197 unless told";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["test"] => test::run(),
        ["bench", rest @ ..] => bench::run(rest),
        ["dist"] => dist::run().map(|folder| println!("{}", folder.join("askbridge").display())),
        ["api"] => api::run(),
        ["api-diff"] => api_diff::run(),
        ["api-release"] => api_diff::release(),
        ["load", rest @ ..] => {
            let bench = dist::run()?.join("askbridge-bench");
            run::program(&bench, &[&["crowd"], rest].concat())?;
            run::program(&bench, &[&["heavy"], rest].concat())?;
            run::program(&bench, &[&["mixed"], rest].concat())
        }
        ["simulate", rest @ ..] => run_ours("askbridge-simulation", rest),
        ["fuzz", rest @ ..] => run_ours("askbridge-fuzz", rest),
        ["soak", rest @ ..] => soak::run(rest),
        ["web"] => install::run().and_then(|installed| web::run(&installed)),
        ["tidy"] => tidy::run(),
        ["deny"] => deny::run(),
        ["agents"] => agents::run(),
        ["drift", rest @ ..] => drift::run(rest),
        ["links"] => links::run(),
        ["book"] => book::run().map(drop),
        ["install"] => install::run().and_then(|_| install::schemathesis()).map(drop),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n\n{HELP}"),
    }
}

/// Builds one of our programs in release mode and execs it: Ctrl-C reaches it alone, and it says how far it came.
fn run_ours(package: &str, args: &[&str]) -> Result<()> {
    let mut command =
        run::cargo_command(&[&["run", "--quiet", "--release", "--package", package, "--"], args].concat(), &[]);
    Err(command.current_dir(run::root()).exec()).with_context(|| format!("could not run {package}"))
}
