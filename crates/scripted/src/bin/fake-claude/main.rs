//! A double of Claude Code 2.1.325 over stdio, for tests that need many, fast and alike.
//!
//! It speaks the wire as the real one does (the tests run the same bodies on both) and thinks with a script
//! (`FAKE_CLAUDE_SCRIPT`, a file or the JSON itself) or with the scripted model at `ANTHROPIC_BASE_URL`. It runs no tools:
//! an allowed call other than a question returns a sentence that says so. Plain threads, no runtime.
//!
//! `settings` is what it was started with, `brain` asks the model, `engine` hears lines and moves, `turn` is one turn's
//! state, `calls` takes its calls along, `permission` says what a reply means for one, `answers` what the model reads of a question, `history` the conversation and
//! its file, `wire` the frames. `drill` is a way of its own, for measuring.

mod answers;
mod brain;
mod calls;
mod drill;
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

/// What the engine waits for: lines of the host, and events of the model.
enum Input {
    Line(String),
    Closed,
    Model { asked: usize, event: brain::Event },
}

/// More than this, and the host or the model waits.
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
