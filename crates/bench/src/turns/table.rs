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
