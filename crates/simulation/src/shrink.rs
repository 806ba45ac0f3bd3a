//! Shrinks a failing plan to a smaller one that still fails, so that its transcript can be read.

use crate::broken::Broken;
use crate::run::{Story, run_with};

/// Plans that are tried. Beyond: the smallest so far is good enough.
const TRIES_MAX: usize = 60;

/// Returns the story of the smallest plan that breaks a law.
pub fn shrink(story: Story, broken: Option<Broken>) -> Story {
    let mut smallest = story;
    let mut tries = 0;
    'smaller: loop {
        for plan in smallest.plan.smaller() {
            tries += 1;
            if tries > TRIES_MAX {
                return smallest;
            }
            let story = run_with(&plan, broken);
            if !story.violations.is_empty() {
                smallest = story;
                continue 'smaller;
            }
        }
        return smallest;
    }
}

impl Story {
    /// Reports what was broken, how to reproduce it, and the lines that concern it.
    pub fn told(&self) -> String {
        let mut told = format!("seed {} broke {} laws; the first:\n", self.plan.seed, self.violations.len());
        if let Some(first) = self.violations.first() {
            told.push_str(&format!("  law {}: {}\n", first.law, first.text));
        }
        told.push_str(&format!("with {:?}\n{}", self.plan, self.excerpt));
        told.push_str(&format!("again: cargo xtask simulate --seed {}\n", self.plan.seed));
        told
    }
}
