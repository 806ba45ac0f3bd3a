//! The full measurement, and the page made from it.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::load::Pace;
use crate::many::{Many, STARTS, Spread, many};
use crate::measure::{Figures, measure};
use crate::plot::{Group, bars};
use crate::subject::{Kind, Subject};
use crate::{dialects, footprint, hosted, turns};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Length {
    /// A few minutes; printed, not stored.
    Quick,
    /// Half an hour; written into the docs.
    Full,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::Bare, "bare relay"), (Kind::Durable, "durable floor"), (Kind::Askbridge, "askbridge")];
const PACES: [Pace; 2] = [Pace::Saturated, Pace::PerSecond(1000)];

const PAGE: &str = "docs/benchmarks.md";
const BEGIN: &str = "<!-- measured: from here -->";
const END: &str = "<!-- measured: to here -->";

/// One load, over all subjects.
struct Round {
    sessions: usize,
    pace: Pace,
    figures: [Vec<Figures>; 3],
}

pub(crate) async fn run(length: Length) -> Result<()> {
    let (repeats, span, many_asks) = match length {
        Length::Quick => (1, Duration::from_secs(2), 20_000),
        Length::Full => (5, Duration::from_secs(4), 1_000_000),
    };
    // Not in /tmp: that may be memory, where a sync costs nothing.
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    // First: what a person notices. It keeps its own part of the page.
    let mut whole_turns = String::new();
    turns::write(&mut whole_turns, root, length).await?;
    let mut rounds = Vec::new();
    for pace in PACES {
        for sessions in [1, 8, 64, 512] {
            rounds.push(round(root, sessions, pace, repeats, span).await?);
        }
    }
    // Written after each part, so that a later failure loses nothing.
    let so_far = |page: &str| match length {
        Length::Quick => Ok(()),
        Length::Full => keep(page, &rounds),
    };
    let mut page = String::new();
    write_rounds(&mut page, &rounds)?;
    so_far(&page)?;
    write_footprint(&mut page, root, length).await?;
    so_far(&page)?;
    hosted::write(&mut page, root, repeats, span).await?;
    so_far(&page)?;
    dialects::write(&mut page, root, repeats, span).await?;
    so_far(&page)?;
    eprintln!("{many_asks} open asks");
    write_many(&mut page, &many(root, many_asks).await?)?;
    so_far(&page)?;
    if length == Length::Quick {
        println!("{whole_turns}\n{page}");
    }
    Ok(())
}

/// Measures one load, alternating between the subjects.
async fn round(root: &Path, sessions: usize, pace: Pace, repeats: usize, span: Duration) -> Result<Round> {
    let mut figures: [Vec<Figures>; 3] = Default::default();
    for repeat in 1..=repeats {
        for (place, (kind, name)) in KINDS.into_iter().enumerate() {
            eprintln!("{sessions} sessions, {}, {name}, {repeat} of {repeats}", pace);
            let subject = Subject::measured(kind, root).await?;
            figures[place].push(measure(&subject, sessions, pace, span).await?);
            subject.stop().await?;
        }
    }
    Ok(Round { sessions, pace, figures })
}

impl Round {
    fn of(&self, place: usize, pick: fn(&Figures) -> f64) -> f64 {
        median(self.figures[place].iter().map(pick).collect())
    }

    /// Each run is compared with the floor measured right before it.
    fn ratio(&self) -> f64 {
        let pairs = self.figures[2].iter().zip(&self.figures[1]);
        median(pairs.map(|(ours, floor)| ours.cpu_us_per_round / floor.cpu_us_per_round).collect())
    }
}

fn write_rounds(page: &mut String, rounds: &[Round]) -> Result<()> {
    page.push_str(
        "| sessions | pace | server | rounds/s | p50 ms | p90 ms | p99 ms | CPU µs/round | of the durable floor |\n\
         |---:|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for round in rounds {
        for (place, (kind, name)) in KINDS.into_iter().enumerate() {
            let ratio = if kind == Kind::Askbridge { format!("**{:.2}**", round.ratio()) } else { String::new() };
            writeln!(
                page,
                "| {} | {} | {name} | {:.0} | {:.2} | {:.2} | {:.2} | {:.0} | {ratio} |",
                round.sessions,
                round.pace,
                round.of(place, |f| f.rounds_per_s),
                round.of(place, |f| f.p50.as_secs_f64() * 1e3),
                round.of(place, |f| f.p90.as_secs_f64() * 1e3),
                round.of(place, |f| f.p99.as_secs_f64() * 1e3),
                round.of(place, |f| f.cpu_us_per_round),
            )?;
        }
    }
    Ok(())
}

async fn write_footprint(page: &mut String, root: &Path, length: Length) -> Result<()> {
    let (connections, asks, starts) = match length {
        Length::Quick => (500, 5_000, 5),
        Length::Full => (5_000, 50_000, 21),
    };
    eprintln!("memory and starts");
    let connection = footprint::per_connection(root, connections).await?;
    let ask = footprint::per_open_ask(root, asks).await?;
    let mut took = Vec::new();
    for _ in 0..starts {
        took.push(footprint::start(root).await?.as_secs_f64() * 1e3);
    }
    write!(
        page,
        "\n| what waits | |\n|---|---:|\n| memory of an idle WebSocket | {:.1} kB |\n| memory of an open ask while its \
         session is in memory | {:.1} kB |\n| start to first accepted connection | {:.1} ms |\n",
        connection / 1e3,
        ask / 1e3,
        median(took)
    )?;
    Ok(())
}

fn write_many(page: &mut String, many: &Many) -> Result<()> {
    let spread = |it: &Spread, digits: usize| {
        let ms = |span: Duration| span.as_secs_f64() * 1e3;
        format!("{:.digits$} ms, at most {:.digits$}", ms(it.median), ms(it.slowest))
    };
    writeln!(page, "\n| {} open asks, killed and started again {STARTS} times | |\n|---|---:|", many.asks)?;
    writeln!(page, "| ready after | {} |", spread(&many.ready, 0))?;
    writeln!(page, "| resident memory then, at most | {:.0} MB |", many.resident as f64 / 1e6)?;
    writeln!(page, "| the very first page of the inbox | {} |", spread(&many.first_page, 1))?;
    writeln!(page, "| later pages | {} |", spread(&many.later_pages, 1))?;
    let (events, took) = (many.events, many.verify.as_secs_f64());
    writeln!(page, "| `journal verify`: {events} events checked and folded | {took:.1} s |")?;
    Ok(())
}

/// Writes the figures into the docs, with their plots.
fn keep(figures: &str, rounds: &[Round]) -> Result<()> {
    let mut plots = String::new();
    for pace in PACES {
        let groups = rounds.iter().filter(|round| round.pace == pace).map(|round| Group {
            name: format!("{} sessions", round.sessions),
            values: (0..KINDS.len()).map(|place| round.of(place, |f| f.cpu_us_per_round)).collect(),
        });
        let title = format!("CPU per round, {}", pace);
        let svg = bars(&title, "µs", &KINDS.map(|(_, name)| name), &groups.collect::<Vec<_>>(), None);
        let file = format!("cpu-{}.svg", pace.to_string().replace("/s", "-per-second"));
        std::fs::create_dir_all("docs/plots")?;
        std::fs::write(format!("docs/plots/{file}"), svg)?;
        writeln!(plots, "\n![{title}](plots/{file})")?;
    }
    put_between(PAGE, BEGIN, END, &format!("{figures}{plots}"))
}

/// Replaces what stands between two marks of a page.
pub(crate) fn put_between(path: &str, begin: &str, end: &str, text: &str) -> Result<()> {
    let page = std::fs::read_to_string(path)?;
    let (before, rest) = page.split_once(begin).with_context(|| format!("`{path}` has no mark `{begin}`"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("`{path}` has no mark `{end}`"))?;
    std::fs::write(path, format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim()))?;
    eprintln!("written into {path}");
    Ok(())
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Runs one subject for a while, to profile it.
pub(crate) async fn one(kind: &str, sessions: usize, seconds: u64, pace: Pace) -> Result<()> {
    let kind = match kind {
        "bare" => Kind::Bare,
        "durable" => Kind::Durable,
        _ => Kind::Askbridge,
    };
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let subject = Subject::measured(kind, root).await?;
    eprintln!("process {}", subject.pid);
    let figures = measure(&subject, sessions, pace, Duration::from_secs(seconds)).await?;
    println!("{figures:?}");
    subject.stop().await
}

/// Measures the cost of many open asks only.
pub(crate) async fn only_many(asks: usize) -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let mut page = String::new();
    write_many(&mut page, &many(root, asks).await?)?;
    println!("{page}");
    Ok(())
}

/// Measures the cost of waiting only.
pub(crate) async fn only_footprint() -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let mut page = String::new();
    write_footprint(&mut page, root, Length::Full).await?;
    println!("{page}");
    Ok(())
}
