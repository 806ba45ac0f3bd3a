//! The whole measurement, all subjects interleaved, and shorter ones.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::meter::{Beside, Load, Memory, TurnFigures, measure, memory};
use super::subjects::{Contender, Tools};
use super::{goals, growth, table};
use crate::load::Pace;
use crate::report::{Length, median, put_between};

const PAGE: &str = "docs/benchmarks.md";
const README: &str = "README.md";
const BEGIN: &str = "<!-- turns: from here -->";
const END: &str = "<!-- turns: to here -->";
const README_BEGIN: &str = "<!-- turns plot: from here -->";
const README_END: &str = "<!-- turns plot: to here -->";
const PLOT: &str = "plots/turns.svg";
/// Sessions whose memory is measured.
const WAITING: usize = 64;
/// A round or two of each.
const CHECK: Duration = Duration::from_millis(100);

/// How much is measured.
pub(super) struct Plan {
    pub(super) repeats: usize,
    pub(super) span: Duration,
    /// Open asks in the journal, for the growth.
    pub(super) open_asks: &'static [usize],
}

impl Plan {
    fn of(length: Length) -> Self {
        match length {
            Length::Quick => Self { repeats: 1, span: Duration::from_secs(1), open_asks: &[0, 10_000] },
            Length::Full => Self { repeats: 3, span: Duration::from_secs(4), open_asks: &[0, 10_000, 200_000] },
        }
    }
}

/// All figures of a run.
pub(super) struct Run {
    pub(super) contenders: Vec<Contender>,
    pub(super) loads: Vec<Measured>,
    /// For each contender.
    pub(super) memory: Vec<Memory>,
}

/// One load, over all contenders.
pub(super) struct Measured {
    pub(super) load: Load,
    /// For each contender, one for each repeat.
    pub(super) figures: Vec<Vec<TurnFigures>>,
}

impl Run {
    pub(super) fn place(&self, contender: Contender) -> Option<usize> {
        self.contenders.iter().position(|other| *other == contender)
    }

    /// Returns the figures of a load.
    pub(super) fn at(&self, sessions: usize, pace: Pace) -> Option<&Measured> {
        self.loads.iter().find(|measured| (measured.load.sessions, measured.load.pace) == (sessions, pace))
    }
}

impl Measured {
    pub(super) fn of(&self, place: usize, pick: fn(&TurnFigures) -> f64) -> f64 {
        median(self.figures[place].iter().map(pick).collect())
    }

    /// Returns the median ratio of one contender to another of the same repeat.
    pub(super) fn ratio(&self, place: usize, to: usize, pick: fn(&TurnFigures) -> f64) -> f64 {
        let pairs = self.figures[place].iter().zip(&self.figures[to]);
        median(pairs.map(|(this, other)| pick(this) / pick(other)).collect())
    }
}

/// Measures everything and adds it to the page. A full run also writes the plot, and shows it in the README.
pub(crate) async fn write(page: &mut String, root: &Path, length: Length) -> Result<()> {
    let (plan, tools) = (Plan::of(length), Tools::find());
    let run = measure_all(root, &tools, &plan).await?;
    table::write(page, &run)?;
    goals::write(page, root, &run).await?;
    growth::write(page, root, &tools, &plan).await?;
    if length == Length::Full {
        std::fs::create_dir_all("docs/plots")?;
        std::fs::write(format!("docs/{PLOT}"), table::plot(&run))?;
        writeln!(page, "\n![{}]({PLOT})", table::TITLE)?;
        let readme = format!(
            "What a whole turn costs the server, from a person's message to the end of the agent's turn on the screen, beside \
             relays that do only that and what you might write instead ([how it is measured](docs/benchmarks.md)):\n\n![{}](docs/{PLOT})",
            table::TITLE
        );
        put_between(README, README_BEGIN, README_END, &readme)?;
        put_between(PAGE, BEGIN, END, page)?;
    }
    Ok(())
}

/// Measures whole turns only. A full run writes them into the docs, a quick one prints them.
pub(crate) async fn alone(length: Length) -> Result<()> {
    let mut page = String::new();
    write(&mut page, &root()?, length).await?;
    if length == Length::Quick {
        println!("{page}");
    }
    Ok(())
}

/// Measures only how the turns' cost grows with the journal, and prints it.
pub(crate) async fn only_growth(length: Length) -> Result<()> {
    growth::alone(&root()?, &Plan::of(length)).await
}

async fn measure_all(root: &Path, tools: &Tools, plan: &Plan) -> Result<Run> {
    let contenders = tools.contenders();
    let saturated = [1, 8, 64].map(|sessions| (sessions, Pace::Saturated));
    let mut loads = Vec::new();
    for (sessions, pace) in saturated.into_iter().chain([(64, Pace::PerSecond(1000))]) {
        let load = Load { sessions, pace, span: plan.span, beside: Beside::Nothing };
        let mut figures = vec![Vec::new(); contenders.len()];
        for repeat in 1..=plan.repeats {
            for (contender, figures) in contenders.iter().zip(&mut figures) {
                eprintln!("{sessions} whole turns, {pace}, {}, {repeat} of {}", contender.name(), plan.repeats);
                figures.push(measured(*contender, root, tools, load).await?);
            }
        }
        loads.push(Measured { load, figures });
    }
    let mut waiting = vec![Vec::new(); contenders.len()];
    for repeat in 1..=plan.repeats {
        for (contender, waiting) in contenders.iter().zip(&mut waiting) {
            let name = contender.name();
            eprintln!("memory of {WAITING} waiting sessions, {name}, {repeat} of {}", plan.repeats);
            waiting.push(memory(*contender, root, tools, WAITING).await.context(name)?);
        }
    }
    let waiting = waiting.iter().map(|repeats| Memory {
        base: median(repeats.iter().map(|memory| memory.base).collect()),
        per_waiting: median(repeats.iter().map(|memory| memory.per_waiting).collect()),
    });
    let memory = waiting.collect();
    Ok(Run { contenders, loads, memory })
}

async fn measured(contender: Contender, root: &Path, tools: &Tools, load: Load) -> Result<TurnFigures> {
    measure(contender, root, tools, load).await.with_context(|| format!("{} failed", contender.name()))
}

/// Plays a few rounds with every floor and every dialect of ours. Prints how many; fails if an answer was not the one
/// given. Peers are not among them: their answers are checked whenever they are measured.
pub(crate) async fn check(sessions: usize) -> Result<()> {
    let (root, tools) = (root()?, Tools::default());
    for contender in Contender::ALL.into_iter().filter(|contender| contender.is_ours_or_floor()) {
        let load = Load { sessions, pace: Pace::Saturated, span: CHECK, beside: Beside::Nothing };
        let figures = measured(contender, &root, &tools, load).await?;
        println!("{}: every answer was the one given, {:.0} rounds/s", contender.name(), figures.rounds.rounds_per_s);
    }
    Ok(())
}

/// Runs one subject for a while, to profile it.
pub(crate) async fn one(name: &str, sessions: usize, seconds: u64, pace: Pace) -> Result<()> {
    let tools = Tools::find();
    let known = Contender::ALL.into_iter().find(|contender| contender.name() == name);
    let Some(contender) = known else {
        bail!("no subject is called `{name}`; there are {:?}", Contender::ALL.map(Contender::name))
    };
    let load = Load { sessions, pace, span: Duration::from_secs(seconds), beside: Beside::Nothing };
    println!("{:?}", measured(contender, &root()?, &tools, load).await?);
    Ok(())
}

/// Not in /tmp: that may be memory, where a sync costs nothing.
fn root() -> Result<std::path::PathBuf> {
    let root = Path::new("target/bench");
    std::fs::create_dir_all(root)?;
    Ok(root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pages_have_a_place_for_what_a_run_writes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (page, begin, end) in [(PAGE, BEGIN, END), (README, README_BEGIN, README_END)] {
            let folder = tempfile::tempdir().unwrap();
            let copy = folder.path().join("page.md");
            std::fs::copy(root.join(page), &copy).unwrap();
            // Twice: what a run writes, the next one replaces.
            for text in ["an old table", "a new table"] {
                put_between(copy.to_str().unwrap(), begin, end, text).unwrap();
            }
            let written = std::fs::read_to_string(&copy).unwrap();
            assert!(written.contains(&format!("{begin}\n\na new table\n\n{end}")), "{page}");
            assert!(!written.contains("an old table"), "{page}");
        }
    }
}
