//! A test double of Claude Code 2.1.325 over stdio, for tests that need many, fast and alike.
//!
//! It speaks the protocol of the real one (the tests run the same bodies on both) and takes its replies from a script
//! (`FAKE_CLAUDE_SCRIPT`, a file or the JSON itself) or from the scripted model at `ANTHROPIC_BASE_URL`. It runs no
//! tools: an allowed call other than a question returns a sentence that says so. Plain threads, no runtime.
//!
//! `settings` is its command line and environment, `brain` asks the model, `engine` is the main loop, `turn` is one
//! turn's state, `calls` advances its calls, `permission` interprets the replies about one, `answers` is the result of
//! a question, `history` the conversation and its file, `wire` the frames. `drill` is a separate mode, for benchmarks, and
//! `drill_turn` its whole turns.

mod answers;
mod brain;
mod calls;
mod drill;
mod drill_turn;
mod engine;
mod history;
mod permission;
mod settings;
mod turn;
mod wire;

use std::io::BufRead;
use std::process::ExitCode;
use std::sync::mpsc::{SyncSender, sync_channel};

use crate::engine::Engine;
use crate::settings::{Settings, Start};

/// The engine's inputs: lines of the host, and events of the model.
enum Input {
    Line(String),
    Closed,
    Model { asked: usize, event: brain::Event },
}

/// Inputs queued for the engine. Beyond: the host or the model waits.
const INPUTS_MAX: usize = 256;

fn main() -> ExitCode {
    let settings = match Settings::read() {
        Start::Run(settings) => settings,
        Start::Say(text) => {
            println!("{text}");
            return ExitCode::SUCCESS;
        }
        Start::Refuse(text) => {
            eprintln!("{text}");
            return ExitCode::FAILURE;
        }
    };
    if settings.drills {
        return drill::run(settings);
    }
    let (sender, inputs) = sync_channel(INPUTS_MAX);
    let lines = sender.clone();
    std::thread::spawn(move || read_lines(&lines));
    Engine::new(settings, sender).run(&inputs)
}

fn read_lines(lines: &SyncSender<Input>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if lines.send(Input::Line(line)).is_err() {
            return;
        }
    }
    drop(lines.send(Input::Closed));
}
