//! `docs/soak.md`: what the last soak did, for people; and, in a comment at its end, the state for the next one.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Delimiters of the machine-readable comment.
const MARK: (&str, &str) = ("<!-- soak ", " -->");

/// What one run did.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Run {
    pub(super) date: String,
    pub(super) commit: String,
    /// The git tree of the sources: the same for commits that only change documents.
    pub(super) code: String,
    pub(super) cores: u64,
    pub(super) minutes: u64,
    /// The range of simulated seeds, end excluded.
    pub(super) seeds: (u64, u64),
    pub(super) asks: u64,
    pub(super) fuzz_seed: u64,
    pub(super) inputs: BTreeMap<String, u64>,
    /// The storms that passed, in words.
    pub(super) storms: Vec<String>,
    pub(super) faults: Vec<String>,
}

/// The totals of earlier runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Past {
    pub(super) next_seed: u64,
    pub(super) next_fuzz_seed: u64,
    pub(super) code: String,
    /// The number of runs on that code, and their totals.
    pub(super) runs: u64,
    pub(super) seeds: u64,
    pub(super) asks: u64,
    pub(super) inputs: BTreeMap<String, u64>,
}

impl Past {
    /// Parses a page. Without an earlier run, begins with the first seed.
    pub(super) fn read(page: &str) -> Result<Self> {
        let Some((_, after)) = page.split_once(MARK.0) else {
            return Ok(Self { next_seed: 1, next_fuzz_seed: 1, ..Self::default() });
        };
        let text = after.split_once(MARK.1).map_or(after, |(text, _)| text);
        let known: Value = serde_json::from_str(text).context("the comment at the end of docs/soak.md is not JSON")?;
        let number = |name: &str| known[name].as_u64().with_context(|| format!("docs/soak.md does not say `{name}`"));
        let counted = |(name, count): (&String, &Value)| Some((name.clone(), count.as_u64()?));
        Ok(Self {
            next_seed: number("next_seed")?,
            next_fuzz_seed: number("next_fuzz_seed")?,
            code: known["code"].as_str().unwrap_or_default().to_owned(),
            runs: number("runs")?,
            seeds: number("seeds")?,
            asks: number("asks")?,
            inputs: known["inputs"].as_object().map(|all| all.iter().filter_map(counted).collect()).unwrap_or_default(),
        })
    }

    /// Adds a run: to those on the same code, or as the first one on new code.
    pub(super) fn and(&self, run: &Run) -> Self {
        let mut sum = if self.code == run.code { self.clone() } else { Self::default() };
        sum.code.clone_from(&run.code);
        (sum.next_seed, sum.next_fuzz_seed) = (run.seeds.1, run.fuzz_seed + 1);
        sum.runs += 1;
        sum.seeds += run.seeds.1 - run.seeds.0;
        sum.asks += run.asks;
        for (target, inputs) in &run.inputs {
            *sum.inputs.entry(target.clone()).or_default() += inputs;
        }
        sum
    }

    fn json(&self) -> Value {
        json!({"next_seed": self.next_seed, "next_fuzz_seed": self.next_fuzz_seed, "code": self.code, "runs": self.runs,
               "seeds": self.seeds, "asks": self.asks, "inputs": self.inputs})
    }
}

/// Writes the page.
pub(super) fn page(run: &Run, sum: &Past) -> String {
    let faults = match run.faults.as_slice() {
        [] => "none".to_owned(),
        some => some.join("; "),
    };
    let storms = if run.storms.is_empty() { "none was run".to_owned() } else { run.storms.join("; ") };
    let (first, end) = run.seeds;
    let seeds = match end.checked_sub(first) {
        None | Some(0) => "none".to_owned(),
        Some(count) => format!("{}: {first} to {}", grouped(count), end - 1),
    };
    let inputs = |of: &BTreeMap<String, u64>| grouped(of.values().sum());
    let mut rows = vec![
        ("finished".to_owned(), run.date.clone(), format!("{} runs", sum.runs)),
        ("commit".to_owned(), format!("`{}`", run.commit), format!("sources `{}`", run.code)),
        ("took".to_owned(), format!("{} minutes on {} cores", run.minutes, run.cores), String::new()),
        ("simulated seeds".to_owned(), seeds, grouped(sum.seeds)),
        ("asks in them".to_owned(), grouped(run.asks), grouped(sum.asks)),
        ("fuzzed inputs".to_owned(), format!("{} (seed {})", inputs(&run.inputs), run.fuzz_seed), inputs(&sum.inputs)),
    ];
    for (target, count) in &run.inputs {
        let all = sum.inputs.get(target).copied().unwrap_or_default();
        rows.push((format!("of these `{target}`"), grouped(*count), grouped(all)));
    }
    rows.push(("storms".to_owned(), storms, String::new()));
    rows.push(("faults found".to_owned(), faults, String::new()));
    let rows: String = rows.iter().map(|(what, last, all)| format!("| {what} | {last} | {all} |\n")).collect();
    format!(
        "# The last soak\n\nWritten by `cargo xtask soak`, which runs what [How we know](design/0002-proof.md) describes for as long as it is \
         told. Each run goes on with seeds that no run before it had. The right column adds up the runs on the same \
         sources.\n\n| | the last run | all runs on these sources |\n|---|---|---|\n{rows}\n{}{}{}\n",
        MARK.0,
        sum.json(),
        MARK.1
    )
}

/// Writes a number with its digits grouped.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let from_end = |(place, digit): (usize, char)| {
        let gap = place > 0 && (digits.len() - place).is_multiple_of(3);
        gap.then_some(',').into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(from_end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_run(code: &str, seeds: (u64, u64)) -> Run {
        let inputs = BTreeMap::from([("hook".to_owned(), 1_000_500), ("ids".to_owned(), 20)]);
        Run { code: code.to_owned(), seeds, asks: 7, fuzz_seed: 3, inputs, ..Run::default() }
    }

    #[test]
    fn runs_on_the_same_sources_add_up_and_seeds_go_on() {
        let none = Past::read("# The last soak\n\nNothing yet.\n").unwrap();
        assert_eq!((none.next_seed, none.next_fuzz_seed), (1, 1));
        let one = none.and(&a_run("aaa", (1, 101)));
        let two = one.and(&a_run("aaa", (101, 151)));
        assert_eq!((two.runs, two.seeds, two.asks, two.next_seed, two.next_fuzz_seed), (2, 150, 14, 151, 4));
        assert_eq!(two.inputs["hook"], 2_001_000);
        let other = two.and(&a_run("bbb", (151, 152)));
        assert_eq!((other.runs, other.seeds, other.next_seed), (1, 1, 152), "new sources begin anew, seeds do not");
    }

    #[test]
    fn a_page_says_to_people_what_happened_and_to_the_next_run_where_to_go_on() {
        let run = a_run("aaa", (1, 1_235));
        let sum = Past::read("").unwrap().and(&run);
        let page = page(&run, &sum);
        assert!(page.contains("| simulated seeds | 1,234: 1 to 1234 | 1,234 |"), "{page}");
        assert!(page.contains("| of these `hook` | 1,000,500 | 1,000,500 |"), "{page}");
        assert!(page.contains("| faults found | none | |") || page.contains("| faults found | none |  |"), "{page}");
        assert_eq!(Past::read(&page).unwrap(), sum);
    }
}
