//! Whole turns beside many open asks: their cost must not grow with the journal.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::meter::{Beside, Load, TurnFigures, measure};
use super::run::Plan;
use super::subjects::{Contender, Tools};
use crate::load::Pace;
use crate::report::median;

const SESSIONS: [usize; 2] = [1, 64];
/// A name, and what to measure beside.
type Way = (&'static str, fn(usize) -> Beside);
/// Right after the asks were opened, when their sessions are in memory, and after a restart, when they are not.
const WAYS: [Way; 2] = [("opened just before", Beside::OpenAsks), ("after a restart", Beside::OpenAsksRestarted)];

pub(super) async fn write(page: &mut String, root: &Path, tools: &Tools, plan: &Plan) -> Result<()> {
    page.push_str(
        "\n| whole turns, prime, beside open asks | | sessions | p50 ms | p50 of none | CPU µs/round | CPU of none |\n\
         |---:|---|---:|---:|---:|---:|---:|\n",
    );
    for sessions in SESSIONS {
        for (way, beside) in WAYS {
            let mut figures: Vec<Vec<TurnFigures>> = vec![Vec::new(); plan.open_asks.len()];
            for repeat in 1..=plan.repeats {
                for (open_asks, figures) in plan.open_asks.iter().zip(&mut figures) {
                    eprintln!(
                        "{sessions} whole turns beside {open_asks} open asks, {way}, {repeat} of {}",
                        plan.repeats
                    );
                    let (pace, span) = (Pace::Saturated, plan.span);
                    let load = Load { sessions, pace, span, beside: beside(*open_asks) };
                    figures.push(measure(Contender::Prime, root, tools, load).await?);
                }
            }
            for (open_asks, own) in plan.open_asks.iter().zip(&figures) {
                let of = |pick: fn(&TurnFigures) -> f64| {
                    // Each run is compared with the one beside none of the same repeat.
                    let ratios = own.iter().zip(&figures[0]).map(|(own, none)| pick(own) / pick(none));
                    (median(own.iter().map(pick).collect()), median(ratios.collect()))
                };
                let (p50, p50_of_none) = of(|f| f.rounds.p50.as_secs_f64() * 1e3);
                let (cpu, cpu_of_none) = of(|f| f.rounds.cpu_us_per_round);
                writeln!(
                    page,
                    "| {open_asks} | {way} | {sessions} | {p50:.2} | {p50_of_none:.2} | {cpu:.0} | {cpu_of_none:.2} |"
                )?;
            }
        }
    }
    Ok(())
}

/// Measures the growth only.
pub(super) async fn alone(root: &Path, plan: &Plan) -> Result<()> {
    let mut page = String::new();
    write(&mut page, root, &Tools::find(), plan).await?;
    println!("{page}");
    Ok(())
}
