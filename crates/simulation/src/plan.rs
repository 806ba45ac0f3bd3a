//! What a seed decides: who takes part, for how long, and what goes wrong.

use crate::dice::Dice;

/// One simulated run, drawn from a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub seed: u64,
    /// Bridges that share one journal.
    pub nodes: usize,
    /// People with our own clients: on a socket, and on the event stream.
    pub natives: usize,
    pub streams: usize,
    /// People with the client of another system: prime, ccc, gobby, seline.
    pub foreign: [bool; 4],
    /// Agents that ask over HTTP, and agents behind whimmy's plugin, which ask over a socket of their own.
    pub agents: usize,
    pub plugins: usize,
    /// Asks that each agent makes.
    pub rounds: usize,
    /// Lives of the bridge before the last one, in which no faults are injected.
    pub lives: usize,
    /// Appends that fail, in a thousand.
    pub journal_trouble: u32,
    /// Steps of clients that fail, in a thousand: cut, repeated, delayed, stalled.
    pub wire_trouble: u32,
    /// Is the clock set forwards and back?
    pub clock_trouble: bool,
    /// Do some asks have an undo time or a quorum, and do people undo, extend and change their minds?
    pub second_thoughts: bool,
    /// The number of approvals with large inputs, which one agent makes at once.
    pub large: usize,
    /// The number of tokens that are revoked while clients use them.
    pub revocations: usize,
    /// Is there a person with a phone, who is rung and answers with taps?
    pub rings: bool,
    /// Are there rules that answer, allow, deny and set terms, and do they change?
    pub rules: bool,
    /// Is the journal written to a real file after each life, and that file checked?
    pub on_disk: bool,
    /// The one append that fails in any case.
    pub strike: Option<Strike>,
}

/// What happens to exactly one append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strike {
    /// Counted from 1, over all sessions.
    pub append: usize,
    pub what: Struck,
}

/// Ways in which an append goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Struck {
    /// The disk is full, and stays full for a while.
    Full,
    ReadOnly,
    /// The result is lost: the entry was stored, or it was not.
    UnknownAndLanded,
    UnknownAndLost,
    KilledBefore,
    KilledAfter,
}

impl Struck {
    pub const ALL: [Self; 6] = [
        Self::Full,
        Self::ReadOnly,
        Self::UnknownAndLanded,
        Self::UnknownAndLost,
        Self::KilledBefore,
        Self::KilledAfter,
    ];
}

impl Plan {
    /// Draws a plan from a seed.
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 3);
        if dice.below(12) == 0 {
            let what = Struck::ALL[dice.below(Struck::ALL.len())];
            return Self::struck(seed, Strike { append: 1 + dice.below(40), what });
        }
        let second_thoughts = dice.below(3) == 0;
        // Large asks are slow, so few seeds have them.
        let large = if dice.below(24) == 0 { 4 + dice.below(76) } else { 0 };
        let revocations = [0, 0, 1, 2][dice.below(4)];
        let on_disk = dice.below(6) == 0;
        let foreign = [0; 4].map(|_: usize| dice.below(4) == 0);
        // Dice of its own, so that the other choices of a seed are as they were before phones rang.
        let rings = Dice::new(seed, 6).below(4) == 0;
        let rules = Dice::new(seed, 8).below(4) == 0;
        Self { second_thoughts, large, revocations, on_disk, foreign, rings, rules, ..Self::narrow(seed) }
    }

    /// Draws a plan with the basics only: our own clients, the plugin, small asks, no revocations.
    pub fn narrow(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0);
        Self {
            seed,
            nodes: 1 + dice.below(2),
            natives: 1 + dice.below(3),
            streams: dice.below(4),
            foreign: [false; 4],
            agents: 1 + dice.below(4),
            plugins: dice.below(3),
            rounds: 2 + dice.below(4),
            lives: dice.below(5),
            journal_trouble: [0, 20, 60, 150][dice.below(4)],
            wire_trouble: [0, 20, 60, 150][dice.below(4)],
            clock_trouble: dice.below(2) == 0,
            second_thoughts: false,
            large: 0,
            revocations: 0,
            rings: false,
            rules: false,
            on_disk: false,
            strike: None,
        }
    }

    /// Draws a plan with a person who is rung. Without rules, which leave less to ring for.
    pub fn rung(seed: u64) -> Self {
        Self { rings: true, rules: false, ..Self::of(seed) }
    }

    /// Draws a plan with rules that change.
    pub fn ruled(seed: u64) -> Self {
        Self { rules: true, ..Self::of(seed) }
    }

    /// Draws a small plan in which exactly one append fails.
    pub fn struck(seed: u64, strike: Strike) -> Self {
        Self {
            nodes: 1,
            natives: 1,
            streams: 1,
            agents: 1,
            plugins: 1,
            rounds: 2,
            lives: 1,
            journal_trouble: 0,
            wire_trouble: 0,
            clock_trouble: false,
            second_thoughts: true,
            strike: Some(strike),
            ..Self::narrow(seed)
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
        with(|plan| plan.plugins = 0);
        with(|plan| plan.plugins = plan.plugins.saturating_sub(1));
        with(|plan| plan.streams = 0);
        with(|plan| plan.foreign = [false; 4]);
        with(|plan| plan.foreign[0] = false);
        with(|plan| plan.foreign[1] = false);
        with(|plan| plan.foreign[2] = false);
        with(|plan| plan.foreign[3] = false);
        with(|plan| plan.natives = 1);
        with(|plan| plan.natives = (plan.natives - 1).max(1));
        with(|plan| plan.large = 0);
        with(|plan| plan.revocations = 0);
        with(|plan| plan.second_thoughts = false);
        with(|plan| plan.on_disk = false);
        with(|plan| plan.rings = false);
        with(|plan| plan.rules = false);
        with(|plan| plan.clock_trouble = false);
        with(|plan| plan.wire_trouble = 0);
        with(|plan| plan.journal_trouble = 0);
        with(|plan| plan.nodes = 1);
        smaller
    }
}
