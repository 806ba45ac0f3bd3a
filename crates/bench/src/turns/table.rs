//! The table and the plot of whole turns.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::run::Run;
use super::subjects::Contender;
use crate::plot::{Group, bars};

pub(super) const TITLE: &str = "Server CPU for a whole turn";

pub(super) fn write(page: &mut String, run: &Run) -> Result<()> {
    page.push_str(
        "\n| sessions | pace | server | rounds/s | p50 ms | p99 ms | CPU µs/round | of the durable relay | kept, B/round | \
         written, kB/round |\n|---:|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let durable = run.place(Contender::Durable).context("the durable relay is always measured")?;
    for measured in &run.loads {
        for (place, contender) in run.contenders.iter().enumerate() {
            let (kept, written) = match contender.stores() {
                true => (
                    format!("{:.0}", measured.of(place, |f| f.kept_bytes)),
                    format!("{:.1}", measured.of(place, |f| f.written_bytes) / 1e3),
                ),
                false => ("0".to_owned(), "0".to_owned()),
            };
            writeln!(
                page,
                "| {} | {} | {} | {:.0} | {:.2} | {:.2} | {:.0} | **{:.2}** | {kept} | {written} |",
                measured.load.sessions,
                measured.load.pace,
                contender.name(),
                measured.of(place, |f| f.rounds.rounds_per_s),
                measured.of(place, |f| f.rounds.p50.as_secs_f64() * 1e3),
                measured.of(place, |f| f.rounds.p99.as_secs_f64() * 1e3),
                measured.of(place, |f| f.rounds.cpu_us_per_round),
                measured.ratio(place, durable, |f| f.rounds.cpu_us_per_round),
            )?;
        }
    }
    page.push_str(
        "\n| memory of the server | before the first session, MiB | for each waiting session, KiB |\n|---|---:|---:|\n",
    );
    for (contender, memory) in run.contenders.iter().zip(&run.memory) {
        writeln!(
            page,
            "| {} | {:.1} | {:.0} |",
            contender.name(),
            memory.base / 1024.0 / 1024.0,
            memory.per_waiting / 1024.0
        )?;
    }
    Ok(())
}

/// Draws the CPU of every load. The build that is not published is left out.
pub(super) fn plot(run: &Run) -> String {
    let shown = run.contenders.iter().enumerate().filter(|(_, contender)| **contender != Contender::ReleasePrime);
    let (places, names): (Vec<_>, Vec<_>) = shown.map(|(place, contender)| (place, contender.name())).unzip();
    let group = |measured: &super::run::Measured| Group {
        name: format!("{} sessions, {}", measured.load.sessions, measured.load.pace),
        values: places.iter().map(|place| measured.of(*place, |f| f.rounds.cpu_us_per_round)).collect(),
    };
    bars(TITLE, "µs", &names, &run.loads.iter().map(group).collect::<Vec<_>>(), None)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::meter::{Beside, Load, Memory, TurnFigures};
    use super::super::run::Measured;
    use super::*;
    use crate::load::Pace;
    use crate::measure::Figures;

    fn figures(cpu: [f64; 3]) -> Vec<TurnFigures> {
        let one = |cpu_us_per_round| {
            let (p50, p90, p99) = (Duration::from_millis(2), Duration::from_millis(3), Duration::from_millis(4));
            let rounds = Figures { rounds_per_s: 500.0, p50, p90, p99, cpu_us_per_round };
            TurnFigures { rounds, kept_bytes: 4200.0, written_bytes: 29_000.0 }
        };
        cpu.map(one).to_vec()
    }

    fn run() -> Run {
        let load = Load { sessions: 64, pace: Pace::Saturated, span: Duration::from_secs(4), beside: Beside::Nothing };
        let figures = vec![figures([100.0, 200.0, 400.0]), figures([300.0, 400.0, 1200.0])];
        let memory = Memory { base: 30.0 * 1024.0 * 1024.0, per_waiting: 32.0 * 1024.0 };
        let contenders = vec![Contender::Durable, Contender::Prime];
        Run { contenders, loads: vec![Measured { load, figures }], memory: vec![memory; 2] }
    }

    #[test]
    fn a_ratio_is_the_median_over_the_floor_of_the_same_repeat() {
        let mut page = String::new();
        write(&mut page, &run()).unwrap();
        // 3, 2 and 3 times the floor; the ratio of the medians would be 2.
        let row = "| 64 | saturated | askbridge, prime | 500 | 2.00 | 4.00 | 400 | **3.00** | 4200 | 29.0 |";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("| askbridge, prime | 30.0 | 32 |"), "{page}");
    }

    #[test]
    fn the_plot_names_every_server_that_was_measured() {
        let plot = plot(&run());
        assert!(plot.contains(">durable relay</text>") && plot.contains(">askbridge, prime</text>"), "{plot}");
        assert_eq!(plot.matches("<title>").count(), 2, "a bar for each: {plot}");
    }
}
