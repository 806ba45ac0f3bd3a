//! The goals for whole turns, beside the figures of the run.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::meter::TurnFigures;
use super::run::Run;
use super::subjects::Contender;
use crate::agents;
use crate::load::Pace;

const PACED: Pace = Pace::PerSecond(1000);
const PARKED: usize = 64;

/// A goal that a figure must not exceed, or must reach.
struct Goal {
    what: String,
    unit: &'static str,
    bound: Bound,
    /// `None`: what it compares with was not measured.
    now: Option<f64>,
}

enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

pub(super) async fn write(page: &mut String, root: &Path, run: &Run) -> Result<()> {
    eprintln!("memory of parked agents");
    let parked = agents::memory(root, PARKED).await?.parked / 1024.0;
    page.push_str("\n| goal for whole turns | now | |\n|---|---:|---|\n");
    for goal in goals(run) {
        let (sign, bound) = match goal.bound {
            Bound::AtMost(bound) => ("at most", bound),
            Bound::AtLeast(bound) => ("at least", bound),
        };
        let verdict = match (&goal.bound, goal.now) {
            (_, None) => "not measured",
            (Bound::AtMost(bound), Some(now)) if now <= *bound => "reached",
            (Bound::AtLeast(bound), Some(now)) if now >= *bound => "reached",
            _ => "**not reached**",
        };
        let now = goal.now.map(shown).unwrap_or_default();
        writeln!(page, "| {}: {sign} {}{} | {now} | {verdict} |", goal.what, shown(bound), goal.unit)?;
    }
    writeln!(
        page,
        "| a parked agent: no memory beyond the cache of sessions | {parked:.0} KiB within it | not measured beyond it |"
    )?;
    Ok(())
}

fn shown(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn cpu(figures: &TurnFigures) -> f64 {
    figures.rounds.cpu_us_per_round
}

fn goals(run: &Run) -> Vec<Goal> {
    let ratio = |this, to, sessions, pace, pick| {
        let (this, to) = (run.place(this)?, run.place(to)?);
        Some(run.at(sessions, pace)?.ratio(this, to, pick))
    };
    let to_durable = |sessions, pace, pick: fn(&TurnFigures) -> f64| {
        ratio(Contender::Prime, Contender::Durable, sessions, pace, pick)
    };
    // A peer's CPU as a multiple of ours.
    let beaten = |peer| ratio(peer, Contender::Prime, 64, Pace::Saturated, cpu);
    let kept = |sessions| Some(run.at(sessions, Pace::Saturated)?.of(run.place(Contender::Prime)?, |f| f.kept_bytes));
    let waiting = |contender| Some(run.memory[run.place(contender)?].per_waiting / 1024.0);
    let base = run.place(Contender::Native).map(|place| run.memory[place].base / 1024.0 / 1024.0);
    let written = |f: &TurnFigures| f.written_bytes;
    let p99 = |f: &TurnFigures| f.rounds.p99.as_secs_f64();
    let (most, least) = (Bound::AtMost, Bound::AtLeast);
    let goal = |what: &str, unit, bound, now| Goal { what: what.to_owned(), unit, bound, now };
    let times = " times the durable relay's";
    let release = ratio(Contender::ReleasePrime, Contender::Prime, 64, Pace::Saturated, cpu);
    vec![
        goal("CPU with 64 sessions, prime", times, most(2.0), to_durable(64, Pace::Saturated, cpu)),
        goal("CPU with 8", times, most(1.6), to_durable(8, Pace::Saturated, cpu)),
        goal("CPU with one", times, most(1.25), to_durable(1, Pace::Saturated, cpu)),
        goal("CPU with 64 at 1,000/s", times, most(1.3), to_durable(64, PACED, cpu)),
        goal("FastAPI's CPU with 64", " times ours", least(5.0), beaten(Contender::FastApi)),
        goal("Node's CPU with 64", " times ours", least(2.0), beaten(Contender::Node)),
        goal("p99 with 64", times, most(2.0), to_durable(64, Pace::Saturated, p99)),
        goal("kept on disk, with 64", " B a round", most(2000.0), kept(64)),
        goal("written to disk, with 64", times, most(1.5), to_durable(64, Pace::Saturated, written)),
        goal("written to disk, with one", times, most(1.5), to_durable(1, Pace::Saturated, written)),
        goal("a waiting session, prime", " KiB", most(32.0), waiting(Contender::Prime)),
        goal("a waiting session, native", " KiB", most(16.0), waiting(Contender::Native)),
        goal("memory before the first session", " MiB", most(30.0), base),
        goal("CPU of the release build with 64", " times the published build's", most(1.15), release),
    ]
}
