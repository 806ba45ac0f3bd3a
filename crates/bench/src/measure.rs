//! The figures of one measurement.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::load::{Crew, Pace};
use crate::subject::Subject;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) rounds_per_s: f64,
    pub(crate) p50: Duration,
    pub(crate) p90: Duration,
    pub(crate) p99: Duration,
    /// CPU time of the server process, user and system.
    pub(crate) cpu_us_per_round: f64,
}

pub(crate) async fn measure(subject: &Subject, sessions: usize, pace: Pace, span: Duration) -> Result<Figures> {
    let mut crew = Crew::gather(subject, sessions).await?;
    crew.run(subject, pace, Duration::from_millis(300)).await?;
    let (cpu, began) = (cpu_time(subject.pid)?, Instant::now());
    let took = crew.run(subject, pace, span).await?;
    let (cpu, span) = (cpu_time(subject.pid)? - cpu, began.elapsed());
    Figures::of(took, cpu, span)
}

impl Figures {
    /// `cpu` was spent on all of these rounds together, which took `span`.
    pub(crate) fn of(mut took: Vec<Duration>, cpu: Duration, span: Duration) -> Result<Self> {
        ensure!(!took.is_empty(), "there was no round");
        let mut at = |part| percentile(&mut took, part);
        let (p50, p90, p99) = (at(0.5), at(0.9), at(0.99));
        Ok(Self {
            rounds_per_s: took.len() as f64 / span.as_secs_f64(),
            p50,
            p90,
            p99,
            cpu_us_per_round: cpu.as_secs_f64() * 1e6 / took.len() as f64,
        })
    }
}

/// Returns the percentile `part` of `spans`, which must not be empty.
pub(crate) fn percentile(spans: &mut [Duration], part: f64) -> Duration {
    let place = ((spans.len() - 1) as f64 * part) as usize;
    *spans.select_nth_unstable(place).1
}

/// Returns the CPU time of a process. The kernel counts it in hundredths of a second, precise enough here.
pub(crate) fn cpu_time(pid: u32) -> Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let rest = &stat[stat.rfind(')').context("a command has a name")? + 1..];
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}
