//! What a seed stands for: who takes part, for how long, and what goes wrong.

use crate::dice::Dice;

/// One simulated afternoon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub seed: u64,
    /// Bridges that share one journal.
    pub nodes: usize,
    /// People, by the language they speak.
    pub natives: usize,
    pub choruses: usize,
    pub letterboxes: usize,
    /// Agents that ask over HTTP, and agents that ask over a connection of their own.
    pub agents: usize,
    pub askers: usize,
    /// Asks that each agent makes.
    pub rounds: usize,
    /// Lives of the bridge before the last one, in which all is calm.
    pub lives: usize,
    /// Appends that go wrong, of a thousand.
    pub journal_trouble: u32,
    /// Steps of clients that go wrong, of a thousand: cut, repeated, delayed, stalled.
    pub wire_trouble: u32,
    /// Is the clock set forwards and back?
    pub clock_trouble: bool,
}

impl Plan {
    /// Draws a plan from a seed.
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0);
        Self {
            seed,
            nodes: 1 + dice.below(2),
            natives: 1 + dice.below(3),
            choruses: dice.below(3),
            letterboxes: dice.below(3),
            agents: 1 + dice.below(4),
            askers: dice.below(3),
            rounds: 2 + dice.below(4),
            lives: dice.below(5),
            journal_trouble: [0, 20, 60, 150][dice.below(4)],
            wire_trouble: [0, 20, 60, 150][dice.below(4)],
            clock_trouble: dice.below(2) == 0,
        }
    }

    /// Returns plans with the same seed and less in them, to find the smallest that still fails.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        let mut with = |change: fn(&mut Self)| {
            let mut plan = self.clone();
            change(&mut plan);
            if plan != *self {
                smaller.push(plan);
            }
        };
        with(|plan| plan.lives = 0);
        with(|plan| plan.lives = plan.lives.saturating_sub(1));
        with(|plan| plan.rounds = 1);
        with(|plan| plan.rounds = (plan.rounds - 1).max(1));
        with(|plan| plan.agents = 1);
        with(|plan| plan.agents = plan.agents.saturating_sub(1));
        with(|plan| plan.askers = 0);
        with(|plan| plan.choruses = 0);
        with(|plan| plan.letterboxes = 0);
        with(|plan| plan.natives = 1);
        with(|plan| plan.natives = (plan.natives - 1).max(1));
        with(|plan| plan.clock_trouble = false);
        with(|plan| plan.wire_trouble = 0);
        with(|plan| plan.journal_trouble = 0);
        with(|plan| plan.nodes = 1);
        smaller
    }
}
