//! A rule, and the rules of all files together.

use super::answers::Answers;
use super::conditions::Conditions;
use super::index::Index;
use crate::answer::RulePlace;
use crate::terms::{self, Wishes};

/// Conditions, an action and terms. All conditions that are set must hold.
#[derive(Debug, Clone, Default)]
pub struct AskRule {
    pub name: String,
    pub place: Option<RulePlace>,
    pub when: Conditions,
    pub action: Action,
    pub wishes: Wishes,
    /// Does it look at every call of a tool, and not only at those that would ask a person?
    pub every_call: bool,
    pub when_down: WhenDown,
}

/// What becomes of a call in a terminal, for a rule that looks at every call, while the server does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenDown {
    /// The terminal goes on as if there were no rule.
    #[default]
    Pass,
    Deny,
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Action {
    /// Sets terms and decides nothing.
    #[default]
    Terms,
    /// A person decides, even if another rule would allow or answer.
    Ask,
    /// The same, and the agent's process is not kept for it.
    Park,
    /// Answers questions.
    Answer(Answers),
    /// Allows a call once, or approves a plan.
    Allow,
    /// Denies, sends a plan back, declines a form, or refuses to pass a question on. The agent reads the words.
    Deny { words: String },
}

impl AskRule {
    /// Can it let through what would need a person, or more of them, without it?
    pub fn loosens(&self) -> bool {
        let says_yes = match self.action {
            Action::Answer(_) | Action::Allow => true,
            Action::Terms | Action::Ask | Action::Park | Action::Deny { .. } => false,
        };
        says_yes || self.wishes.quorum.is_some()
    }

    /// Does a person have to agree before it counts? Rules of the settings have no place: the operator starts the server
    /// with them.
    pub fn needs_a_tap(&self) -> bool {
        self.place.is_some() && self.loosens()
    }
}

impl Action {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Ask => "ask",
            Self::Park => "park",
            Self::Answer(_) => "answer",
            Self::Allow => "allow",
            Self::Deny { .. } => "deny",
        }
    }
}

/// Which rules of a file give their terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermsOf {
    /// The first that matches, alone: the `[[rules]]` of the settings.
    TheFirst,
    /// Each that matches, for the terms that none before it sets.
    Every,
}

/// The rules of one file, in order.
#[derive(Debug, Clone)]
pub struct RuleFile {
    pub terms: TermsOf,
    pub rules: Vec<AskRule>,
}

/// The rules of all files, ready to use.
#[derive(Debug, Clone)]
pub struct RuleSet {
    pub(super) files: Vec<RuleFile>,
    /// For each rule, in order: its file and its place in it.
    pub(super) order: Vec<(usize, usize)>,
    pub(super) index: Index,
    /// The rules that look at every call. `None`: there are none.
    pub(super) every_call: Option<Index>,
    looks_at_the_time: bool,
    looks_at_presence: bool,
    looks_at_history: bool,
    /// The operator's defaults, for terms that nothing else states.
    pub(super) otherwise: Wishes,
    /// Folders whose project files may also say yes.
    trusted: Vec<String>,
}

impl RuleSet {
    pub fn new(files: Vec<RuleFile>, otherwise: Wishes) -> Self {
        let order: Vec<_> =
            files.iter().enumerate().flat_map(|(f, file)| (0..file.rules.len()).map(move |r| (f, r))).collect();
        let all = || (0u32..).zip(files.iter().flat_map(|file| &file.rules));
        let index = Index::of(all());
        let every_call = all().any(|(_, rule)| rule.every_call);
        let every_call = every_call.then(|| Index::of(all().filter(|(_, rule)| rule.every_call)));
        let any = |uses: fn(&AskRule) -> bool| files.iter().flat_map(|file| &file.rules).any(uses);
        let looks_at_the_time = any(|rule| !rule.when.hours.is_empty() || !rule.when.weekdays.is_empty());
        let looks_at_presence = any(|rule| rule.when.present.is_some());
        let looks_at_history = any(|rule| rule.when.decided_before.is_some());
        Self {
            files,
            order,
            index,
            every_call,
            looks_at_the_time,
            looks_at_presence,
            looks_at_history,
            otherwise,
            trusted: Vec::new(),
        }
    }

    /// The same rules, with another file after the others.
    pub fn and(&self, file: RuleFile) -> Self {
        let files = self.files.iter().cloned().chain([file]).collect();
        Self::new(files, self.otherwise.clone()).trusting(self.trusted.clone())
    }

    /// The same rules, and these folders are trusted.
    pub fn trusting(self, trusted: Vec<String>) -> Self {
        Self { trusted, ..self }
    }

    /// May the project file of this very folder say yes? Not those of folders below it: an agent could add one.
    pub fn trusts(&self, folder: &str) -> bool {
        self.trusted.iter().any(|trusted| trusted.trim_end_matches('/') == folder.trim_end_matches('/'))
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub fn rules(&self) -> impl Iterator<Item = &AskRule> {
        self.files.iter().flat_map(|file| &file.rules)
    }

    /// Does a rule look at the time of day or the weekday?
    pub fn looks_at_the_time(&self) -> bool {
        self.looks_at_the_time
    }

    /// Does a rule look at every call?
    pub fn looks_at_every_call(&self) -> bool {
        self.every_call.is_some()
    }

    /// Does a rule ask whether a person is present?
    pub fn looks_at_presence(&self) -> bool {
        self.looks_at_presence
    }

    /// Does a rule ask how often the same was decided before?
    pub fn looks_at_history(&self) -> bool {
        self.looks_at_history
    }

    pub(super) fn rule(&self, at: u32) -> &AskRule {
        let (file, rule) = self.order[at as usize];
        &self.files[file].rules[rule]
    }

    pub(super) fn file(&self, at: u32) -> usize {
        self.order[at as usize].0
    }
}

impl Default for RuleSet {
    fn default() -> Self {
        Self::new(Vec::new(), Wishes::default())
    }
}

/// The rules of the settings: the first file.
impl From<terms::Rules> for RuleFile {
    fn from(rules: terms::Rules) -> Self {
        Self { terms: TermsOf::TheFirst, rules: rules.list.into_iter().map(Into::into).collect() }
    }
}

impl From<terms::Rules> for RuleSet {
    fn from(rules: terms::Rules) -> Self {
        let otherwise = rules.otherwise.clone();
        Self::new(vec![rules.into()], otherwise)
    }
}

impl From<terms::Rule> for AskRule {
    fn from(rule: terms::Rule) -> Self {
        let terms::Rule { name, door, agent, folder, header, asks_about, wishes } = rule;
        let exactly = |text: Option<String>| text.map(super::TextPattern::Exact).into_iter().collect();
        let when = Conditions {
            door: exactly(door),
            agent: exactly(agent),
            folder: folder.into_iter().collect(),
            first_header: header,
            asks_about: asks_about.into_iter().collect(),
            ..Conditions::default()
        };
        Self { name, when, wishes, ..Self::default() }
    }
}
