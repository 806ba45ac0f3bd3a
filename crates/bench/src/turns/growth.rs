//! Whole turns beside many open asks: their cost must not grow with the journal.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use super::meter::{Load, TurnFigures, measure};
use super::run::Plan;
use super::subjects::{Contender, Tools};
use crate::load::Pace;
use crate::report::median;

const SESSIONS: [usize; 2] = [1, 64];

pub(super) async fn write(page: &mut String, root: &Path, tools: &Tools, plan: &Plan) -> Result<()> {
    page.push_str(
        "\n| whole turns, prime, beside open asks | sessions | p50 ms | CPU µs/round | of none |\n|---:|---:|---:|---:|---:|\n",
    );
    for sessions in SESSIONS {
        let mut figures: Vec<Vec<TurnFigures>> = vec![Vec::new(); plan.open_asks.len()];
        for repeat in 1..=plan.repeats {
            for (open_asks, figures) in plan.open_asks.iter().zip(&mut figures) {
                eprintln!("{sessions} whole turns beside {open_asks} open asks, {repeat} of {}", plan.repeats);
                let load = Load { sessions, pace: Pace::Saturated, span: plan.span, open_asks: *open_asks };
                figures.push(measure(Contender::Prime, root, tools, load).await?);
            }
        }
        for (open_asks, own) in plan.open_asks.iter().zip(&figures) {
            let of = |pick: fn(&TurnFigures) -> f64| median(own.iter().map(pick).collect());
            let pairs = own.iter().zip(&figures[0]);
            let ratios = pairs.map(|(own, none)| own.rounds.cpu_us_per_round / none.rounds.cpu_us_per_round);
            writeln!(
                page,
                "| {open_asks} | {sessions} | {:.2} | {:.0} | {:.2} |",
                of(|f| f.rounds.p50.as_secs_f64() * 1e3),
                of(|f| f.rounds.cpu_us_per_round),
                median(ratios.collect()),
            )?;
        }
    }
    Ok(())
}
