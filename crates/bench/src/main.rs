//! Benchmarks of askbridge against the floor of the same run.
//!
//! The floor is the minimum that any such bridge has to do: a relay that takes a question over HTTP, shows it on a
//! WebSocket and carries the answer back. *bare* stores nothing; *durable* makes two synced commits a round. The same
//! client drives all three in turn, so that a noisy machine disturbs them alike. `turns` does the same for a whole turn of
//! an agent that we run.

mod agents;
mod crowd;
mod dialects;
mod disk;
mod floor;
mod footprint;
mod gate;
mod heavy;
mod hosted;
mod http;
mod load;
mod many;
mod measure;
mod mixed;
mod overload;
mod plot;
mod report;
mod ringing;
mod subject;
mod tongues;
mod turns;

use anyhow::{Result, bail};

use load::Pace;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["floor", "bare"] => runtime.block_on(floor::serve(None)),
        ["floor", "durable", folder] => runtime.block_on(floor::serve(Some(folder.into()))),
        ["relay", "bare", _] => runtime.block_on(turns::serve(turns::Keeps::Nothing, None)),
        ["relay", "durable", folder] => runtime.block_on(turns::serve(turns::Keeps::AskAndAnswer, Some(folder.into()))),
        ["relay", "faithful", folder] => runtime.block_on(turns::serve(turns::Keeps::Everything, Some(folder.into()))),
        ["turns"] => runtime.block_on(turns::alone(report::Length::Full)),
        ["turns", "--quick"] => runtime.block_on(turns::alone(report::Length::Quick)),
        ["turns", "growth"] => runtime.block_on(turns::only_growth(report::Length::Full)),
        ["turns", "growth", "--quick"] => runtime.block_on(turns::only_growth(report::Length::Quick)),
        ["turns", "check", sessions] => runtime.block_on(turns::check(sessions.parse()?)),
        ["turns", subject, sessions, seconds] => {
            runtime.block_on(turns::one(subject, sessions.parse()?, seconds.parse()?, Pace::Saturated))
        }
        ["turns", subject, sessions, seconds, rate] => {
            let pace = Pace::PerSecond(rate.parse()?);
            runtime.block_on(turns::one(subject, sessions.parse()?, seconds.parse()?, pace))
        }
        ["crowd"] => runtime.block_on(crowd::run(crowd::FULL)),
        ["crowd", "--quick"] => runtime.block_on(crowd::run(crowd::QUICK)),
        ["crowd", people, asks_per_s, seconds] => {
            let (people, asks_per_s) = (people.parse()?, asks_per_s.parse()?);
            let span = std::time::Duration::from_secs(seconds.parse()?);
            runtime.block_on(crowd::run(crowd::Crowd { people, asks_per_s, span }))
        }
        ["heavy"] => runtime.block_on(heavy::run(heavy::FULL)),
        ["heavy", "--quick"] => runtime.block_on(heavy::run(heavy::QUICK)),
        ["dialects"] => runtime.block_on(dialects::run(5, std::time::Duration::from_secs(4))),
        ["dialects", "--quick"] => runtime.block_on(dialects::run(1, std::time::Duration::from_secs(2))),
        ["mixed"] => runtime.block_on(mixed::run(mixed::FULL)),
        ["mixed", "--quick"] => runtime.block_on(mixed::run(mixed::QUICK)),
        ["mixed", clients] => runtime.block_on(mixed::run(clients.parse()?)),
        ["ringing"] => runtime.block_on(ringing::run(ringing::FULL)),
        ["ringing", "--quick"] => runtime.block_on(ringing::run(ringing::QUICK)),
        [] => runtime.block_on(report::run(report::Length::Full)),
        ["one", kind, sessions, seconds] => {
            runtime.block_on(report::one(kind, sessions.parse()?, seconds.parse()?, Pace::Saturated))
        }
        ["one", kind, sessions, seconds, rate] => {
            let pace = Pace::PerSecond(rate.parse()?);
            runtime.block_on(report::one(kind, sessions.parse()?, seconds.parse()?, pace))
        }
        ["many", asks] => runtime.block_on(report::only_many(asks.parse()?)),
        ["agents", agents, seconds] => runtime.block_on(hosted::one(agents.parse()?, seconds.parse()?)),
        ["agents"] => runtime.block_on(hosted::only_agents()),
        ["gate"] => runtime.block_on(gate::run(gate::FULL)),
        ["gate", "--quick"] => runtime.block_on(gate::run(gate::QUICK)),
        ["waiting"] => runtime.block_on(report::only_footprint()),
        ["--quick"] => runtime.block_on(report::run(report::Length::Quick)),
        other => bail!("unknown arguments {other:?}; try --quick, or nothing"),
    }
}
