//! The tables.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::load::Pace;
use crate::measure::{Figures, measure};
use crate::subject::{Kind, Subject};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Length {
    Quick,
    Full,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::Bare, "bare relay"), (Kind::Durable, "durable floor"), (Kind::Askbridge, "askbridge")];

/// Measures everything, alternating between the subjects, and prints the medians as Markdown.
pub(crate) async fn run(length: Length) -> Result<()> {
    let (repeats, span) = match length {
        Length::Quick => (1, Duration::from_secs(2)),
        Length::Full => (5, Duration::from_secs(4)),
    };
    // Not in /tmp: that may be memory, where a sync costs nothing.
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let mut page = String::from(
        "| sessions | pace | server | rounds/s | p50 ms | p90 ms | p99 ms | CPU µs/round | of the durable floor |\n\
         |---:|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for pace in [Pace::Saturated, Pace::PerSecond(1000)] {
        for sessions in [1, 8, 64] {
            let mut figures: [Vec<Figures>; 3] = Default::default();
            for repeat in 1..=repeats {
                for (place, (kind, name)) in KINDS.into_iter().enumerate() {
                    eprintln!("{sessions} sessions, {}, {name}, {repeat} of {repeats}", spoken(pace));
                    let subject = Subject::start(kind, root).await?;
                    figures[place].push(measure(&subject, sessions, pace, span).await?);
                    subject.stop().await?;
                }
            }
            // Each run is compared with the floor measured right before it.
            let ratios =
                figures[2].iter().zip(&figures[1]).map(|(ours, floor)| ours.cpu_us_per_round / floor.cpu_us_per_round);
            let ratio = median(ratios.collect());
            for (place, (kind, name)) in KINDS.into_iter().enumerate() {
                let of = |pick: fn(&Figures) -> f64| median(figures[place].iter().map(pick).collect());
                let ratio = if kind == Kind::Askbridge { format!("{ratio:.2}") } else { String::new() };
                writeln!(
                    page,
                    "| {sessions} | {} | {name} | {:.0} | {:.2} | {:.2} | {:.2} | {:.0} | {ratio} |",
                    spoken(pace),
                    of(|f| f.rounds_per_s),
                    of(|f| f.p50.as_secs_f64() * 1e3),
                    of(|f| f.p90.as_secs_f64() * 1e3),
                    of(|f| f.p99.as_secs_f64() * 1e3),
                    of(|f| f.cpu_us_per_round),
                )?;
            }
        }
    }
    println!("{page}");
    Ok(())
}

fn spoken(pace: Pace) -> String {
    match pace {
        Pace::Saturated => "saturated".to_owned(),
        Pace::PerSecond(rate) => format!("{rate}/s"),
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
