//! The scripted model as a program: `fake-model SCRIPT.json [PORT]`. Prints its address, then every request as a line
//! of JSON. A line on its standard input opens the gate of that name.

use std::io::{Write, stdin};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use askbridge_scripted::model::{Model, Script};

const HELP: &str = "\
usage: fake-model SCRIPT.json [PORT]

Prints the address to use as ANTHROPIC_BASE_URL, then every request as a line of JSON. A line on standard input opens
the gate of that name.

  {\"turns\": [{\"when\": {\"user\": \"hi\"}, \"say\": {\"message\": [{\"text\": \"hello\"}]}}]}";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let (path, port) = match args {
        [path] => (path, 0),
        [path, port] => (path, port.parse()?),
        _ => return Err("a script is needed".into()),
    };
    let model = Arc::new(Model::start_at(Script::from_json(&std::fs::read_to_string(path)?)?, port)?);
    let doors = Arc::clone(&model);
    thread::spawn(move || stdin().lines().map_while(Result::ok).for_each(|gate| doors.open(gate.trim())));
    let mut out = std::io::stdout();
    writeln!(out, "{}", model.url())?;
    let mut told = 0;
    loop {
        for heard in model.news(told, Duration::from_secs(3600)) {
            writeln!(out, "{}", heard.body)?;
            told += 1;
        }
    }
}
