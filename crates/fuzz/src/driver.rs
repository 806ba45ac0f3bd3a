//! Feeds a target: first its corpus, then random mutations of it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::targets::Target;

/// Bytes of one input. Beyond: cut.
const INPUT_MAX: usize = 64 * 1024;
/// Changes made to one input at once, at most.
const CHANGES_MAX: u64 = 6;

/// Fragments on which parsers tend to fail.
const WORDS: &[&str] = &[
    "null",
    "true",
    "-0",
    "1e999",
    "18446744073709551616",
    "\"\"",
    "{}",
    "[]",
    "\u{200b}",
    "\u{202e}",
    "\r\n",
    "\\u0000",
    "\\ud800",
    "\"type\":",
    "\"answers\":",
    "\"ask\":",
    "\"questions\":",
    "\"options\":",
    "\"on_expiry\":",
    ", ",
    "Other",
    "ask_00000000000000000000000007_1",
    "ses_00000000000000000000000007",
    "c1.",
    "Bearer ",
    "ü",
];

/// Inputs of one batch.
pub const BATCH: usize = 500;

/// A random number generator with a seed (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    /// Returns the generator of one batch: the same on any thread, and beside any number of other batches.
    pub fn of_batch(seed: u64, batch: u64) -> Self {
        let mut dice = Self(seed);
        let apart = dice.below(u64::MAX);
        Self(apart ^ batch.wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    fn place(&mut self, len: usize) -> usize {
        self.below(len as u64 + 1) as usize
    }
}

/// An input on which a target panicked.
#[derive(Debug)]
pub struct Crash {
    pub target: &'static str,
    pub input: Vec<u8>,
}

/// The folder of a target's corpus.
pub fn corpus_folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// Reads a target's corpus, in the order of the files' names.
pub fn corpus(target: &Target) -> std::io::Result<Vec<Vec<u8>>> {
    let beside = |folder: &&str| Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut paths = Vec::new();
    for folder in [corpus_folder(target)].into_iter().chain(target.also.iter().map(beside)) {
        for entry in fs::read_dir(folder)? {
            paths.push(entry?.path());
        }
    }
    paths.sort();
    // One input on each line, and the file as a whole.
    let mut inputs = Vec::new();
    for path in paths {
        let file = fs::read(path)?;
        inputs.extend(file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec));
        inputs.push(file);
    }
    Ok(inputs)
}

/// Feeds one input.
pub fn feed(target: &Target, input: &[u8]) -> Result<(), Crash> {
    let fed = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    fed.map_err(|_| Crash { target: target.name, input: input.to_vec() })
}

/// Feeds the whole corpus.
pub fn replay(target: &Target, corpus: &[Vec<u8>]) -> Result<(), Crash> {
    corpus.iter().try_for_each(|input| feed(target, input))
}

/// Feeds `count` random mutations of the corpus.
pub fn mutate(target: &Target, corpus: &[Vec<u8>], dice: &mut Dice, count: usize) -> Result<(), Crash> {
    for _ in 0..count {
        let mut input = corpus[dice.below(corpus.len() as u64) as usize].clone();
        for _ in 0..=dice.below(CHANGES_MAX) {
            change(&mut input, corpus, dice);
        }
        input.truncate(INPUT_MAX);
        feed(target, &input)?;
    }
    Ok(())
}

fn change(input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut Dice) {
    let (a, b) = (dice.place(input.len()), dice.place(input.len()));
    let (from, to) = (a.min(b), a.max(b));
    match dice.below(8) {
        0 => input.truncate(a),
        1 => drop(input.drain(from..to)),
        2 => {
            let part = input[from..to].to_vec();
            let at = dice.place(input.len());
            input.splice(at..at, part);
        }
        3 => {
            if let Some(byte) = input.get_mut(a) {
                *byte ^= 1 << dice.below(8);
            }
        }
        4 => input.insert(a, dice.below(256) as u8),
        5 | 6 => {
            let word = WORDS[dice.below(WORDS.len() as u64) as usize];
            let to = if dice.below(2) == 0 { from } else { to };
            input.splice(from..to, word.bytes());
        }
        _ => {
            let other = &corpus[dice.below(corpus.len() as u64) as usize];
            let tail = dice.place(other.len());
            input.truncate(a);
            input.extend_from_slice(&other[tail..]);
        }
    }
}
