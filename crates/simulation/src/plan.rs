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
    /// People with the app of another system: prime, ccc, gobby, seline.
    pub foreign: [bool; 4],
    /// Agents that ask over HTTP, and agents that ask over a connection of their own.
    pub agents: usize,
    pub askers: usize,
    /// Does one ask through another system's plugin?
    pub plugin: bool,
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
    /// Do some asks have an undo time or need several people, and do people take back, extend and change their minds?
    pub second_thoughts: bool,
    /// Approvals with large inputs that one agent makes at once.
    pub large: usize,
    /// Tokens that are revoked in the middle of things.
    pub revocations: usize,
    /// Is what the journal holds written to a real file after each life, and is that file looked over?
    pub on_disk: bool,
    /// The one append that goes wrong, whatever chance says.
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
    /// The disk is full, and stays so for a while.
    Full,
    ReadOnly,
    /// It was stored, and the acknowledgement is lost; or it was not stored, and that is not known.
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
        // Bytes cost time, so few seeds have many of them.
        let large = if dice.below(24) == 0 { 4 + dice.below(76) } else { 0 };
        let revocations = [0, 0, 1, 2][dice.below(4)];
        let on_disk = dice.below(6) == 0;
        let plugin = dice.below(4) == 0;
        let foreign = [0; 4].map(|_: usize| dice.below(4) == 0);
        Self { second_thoughts, large, revocations, on_disk, foreign, plugin, ..Self::narrow(seed) }
    }

    /// Draws a plan with nothing in it but what every afternoon has: languages of the testkit, small asks, tokens that stay.
    pub fn narrow(seed: u64) -> Self {
        let mut dice = Dice::new(seed, 0);
        Self {
            seed,
            nodes: 1 + dice.below(2),
            natives: 1 + dice.below(3),
            choruses: dice.below(3),
            letterboxes: dice.below(3),
            foreign: [false; 4],
            agents: 1 + dice.below(4),
            askers: dice.below(3),
            plugin: false,
            rounds: 2 + dice.below(4),
            lives: dice.below(5),
            journal_trouble: [0, 20, 60, 150][dice.below(4)],
            wire_trouble: [0, 20, 60, 150][dice.below(4)],
            clock_trouble: dice.below(2) == 0,
            second_thoughts: false,
            large: 0,
            revocations: 0,
            on_disk: false,
            strike: None,
        }
    }

    /// Draws a small afternoon in which nothing goes wrong but one append.
    pub fn struck(seed: u64, strike: Strike) -> Self {
        Self {
            nodes: 1,
            natives: 1,
            choruses: 0,
            letterboxes: 1,
            agents: 1,
            askers: 1,
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
        with(|plan| plan.askers = 0);
        with(|plan| plan.plugin = false);
        with(|plan| plan.choruses = 0);
        with(|plan| plan.letterboxes = 0);
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
        with(|plan| plan.clock_trouble = false);
        with(|plan| plan.wire_trouble = 0);
        with(|plan| plan.journal_trouble = 0);
        with(|plan| plan.nodes = 1);
        smaller
    }
}
