//! The page's section on hosted agents, beside the durable floor of the same run.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::agents;
use crate::load::Pace;
use crate::measure::{Figures, measure};
use crate::report::median;
use crate::subject::{Kind, Subject};

/// Sessions whose memory is measured.
const SESSIONS: usize = 64;
/// The floor at full speed, hosted agents, and the floor at the agents' pace.
const SERVERS: [&str; 3] = ["durable floor", "askbridge and its agents", "durable floor, at their pace"];

pub(crate) async fn write(page: &mut String, root: &Path, repeats: usize, span: Duration) -> Result<()> {
    page.push_str(
        "\n| agents | server | rounds/s | p50 ms | p90 ms | p99 ms | CPU µs/round | of the floor, as fast as it can | at the same \
         pace |\n|---:|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for sessions in [1, 8, 64] {
        let mut figures: [Vec<Figures>; 3] = Default::default();
        for repeat in 1..=repeats {
            eprintln!("{sessions} agents that we run, {repeat} of {repeats}");
            figures[0].push(floor(root, sessions, Pace::Saturated, span).await?);
            let ours = agents::measure(root, sessions, span).await?;
            // Agents are separate processes and take their share of the machine, so they ask less often than a floor
            // that has it to itself; and rarer rounds share fewer commits.
            figures[2].push(floor(root, sessions, Pace::PerSecond(ours.rounds_per_s as u32), span).await?);
            figures[1].push(ours);
        }
        let of = |floor: &[Figures]| {
            let pairs = figures[1].iter().zip(floor);
            median(pairs.map(|(ours, floor)| ours.cpu_us_per_round / floor.cpu_us_per_round).collect())
        };
        let ratios = format!("{:.2} | **{:.2}**", of(&figures[0]), of(&figures[2]));
        for ((server, figures), ratios) in SERVERS.into_iter().zip(&figures).zip([" | ", &ratios, " | "]) {
            row(page, sessions, server, figures, ratios)?;
        }
    }
    eprintln!("memory of agents that we run");
    let memory = agents::memory(root, SESSIONS).await?;
    write!(
        page,
        "\n| an agent that we run | |\n|---|---:|\n| memory of the server for one that runs, without its own | {:.1} kB \
         |\n| for one that is parked, while its session is in memory | {:.1} kB |\n",
        memory.running / 1e3,
        memory.parked / 1e3,
    )?;
    Ok(())
}

async fn floor(root: &Path, sessions: usize, pace: Pace, span: Duration) -> Result<Figures> {
    let subject = Subject::start(Kind::Durable, root).await?;
    let figures = measure(&subject, sessions, pace, span).await?;
    subject.stop().await?;
    Ok(figures)
}

fn row(page: &mut String, sessions: usize, name: &str, figures: &[Figures], ratio: &str) -> Result<()> {
    let of = |pick: fn(&Figures) -> f64| median(figures.iter().map(pick).collect());
    writeln!(
        page,
        "| {sessions} | {name} | {:.0} | {:.2} | {:.2} | {:.2} | {:.0} | {ratio} |",
        of(|f| f.rounds_per_s),
        of(|f| f.p50.as_secs_f64() * 1e3),
        of(|f| f.p90.as_secs_f64() * 1e3),
        of(|f| f.p99.as_secs_f64() * 1e3),
        of(|f| f.cpu_us_per_round),
    )?;
    Ok(())
}

/// Measures the cost of hosted agents only.
pub(crate) async fn only_agents() -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    let mut page = String::new();
    write(&mut page, root, 3, Duration::from_secs(3)).await?;
    println!("{page}");
    Ok(())
}

/// Runs one measurement, to observe with other tools.
pub(crate) async fn one(agents: usize, seconds: u64) -> Result<()> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    println!("{:?}", agents::measure(root, agents, Duration::from_secs(seconds)).await?);
    Ok(())
}
