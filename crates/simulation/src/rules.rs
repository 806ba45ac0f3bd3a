//! Rules that change while asks are made: versions of a rule file, drawn by chance, and when each was in force.

use std::sync::Arc;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_core::rules::asks::RuleSet;
use askbridge_core::terms::Wishes;
use tokio::time::sleep;

use crate::dice::Dice;
use crate::house::Doors;
use crate::world::World;

/// What a rule says, as the judge reads it: without the code that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Says {
    Label(&'static str),
    /// The option in this place, from 0.
    Option(u16),
    Allow,
    Deny(String),
    /// Nothing: it only sets terms, or sends the ask to a person.
    Nothing,
}

/// A version of the rules, in force for some time.
#[derive(Debug, Clone)]
pub(crate) struct InForce {
    pub(crate) number: usize,
    rules: Vec<(String, Says)>,
    from: Timestamp,
    /// `None`: still.
    until: Option<Timestamp>,
}

/// A version waits for an answer this long and a second more for its number. No agent asks for as much.
const WAIT: Duration = Duration::from_secs(100_000);

impl InForce {
    /// Was it in force at some time within the millisecond?
    fn was_at(&self, at: Timestamp) -> bool {
        self.from <= at && self.until.is_none_or(|until| at <= until)
    }
}

/// Draws a version: the text of a rule file, and what its rules say.
fn draw(seed: u64, number: usize) -> (String, Vec<(String, Says)>) {
    let mut dice = Dice::new(seed, 10_000 + number as u64);
    let (mut text, mut rules) = (String::new(), Vec::new());
    let wait = WAIT.as_secs() + number as u64;
    for at in 0..2 + dice.below(3) {
        let name = format!("v{number}-{at}");
        let words = format!("not in version {number}");
        let (lines, says) = match dice.below(9) {
            0 => {
                // The last is never on offer, so a rule with it answers nothing.
                let label = ["North", "East", "South", "Up"][dice.below(4)];
                (format!("do = \"answer\"\nanswer = [\"{label}\"]\nquestion = \"Which way?\""), Says::Label(label))
            }
            1 => ("do = \"answer\"\nanswer = \"first\"\nquestion = \"*\"".to_owned(), Says::Option(0)),
            2 => ("do = \"answer\"\nanswer = 2\nquestion = [\"Which*\", \"And*\"]".to_owned(), Says::Option(1)),
            3 => ("do = \"allow\"\ntool = \"Bash(make *)\"".to_owned(), Says::Allow),
            4 => (format!("do = \"deny\"\nwords = \"{words}\"\ntool = \"Bash(make *-1)\""), Says::Deny(words)),
            5 => (format!("do = \"deny\"\nwords = \"{words}\"\nquestion = \"And then?\""), Says::Deny(words)),
            6 => (format!("do = \"ask\"\ntimeout = \"{wait}s\"\nquestion = \"Which way?\""), Says::Nothing),
            7 => ("do = \"park\"\ntool = \"Bash\"".to_owned(), Says::Nothing),
            // Two people may never agree, and an agent must not wait for ever.
            _ => ("quorum = 2\ntimeout = \"15s\"\nquestion = \"Which*\"".to_owned(), Says::Nothing),
        };
        text += &format!("[[rules]]\nname = \"{name}\"\n{lines}\n");
        rules.push((name, says));
    }
    (text, rules)
}

fn read(text: &str) -> RuleSet {
    let read = askbridge_policy::read("rules.toml", text, None);
    let file = read.unwrap_or_else(|problems| panic!("{}\n{text}", problems[0])).into_file();
    RuleSet::new(vec![file], Wishes::default())
}

impl World {
    /// Puts the next version in force at every node, or at the start of a life the one that was written last.
    pub(crate) fn put_rules(&self, doors: &Doors, is_new: bool) {
        let number = {
            let versions = &self.ledger.lock().rules;
            versions.last().map_or(0, |last| last.number) + usize::from(is_new || versions.is_empty())
        };
        let (text, rules) = draw(self.seed, number);
        self.log.line("world", None, format!("version {number} of the rules is in force"));
        if !(self.keeps_rules && is_new) {
            let set = read(&text);
            doors.use_rules(&set);
        }
        self.rules_end();
        let from = self.log.now();
        self.ledger.lock().rules.push(InForce { number, rules, from, until: None });
    }

    /// The bridge is gone, and its rules with it.
    pub(crate) fn rules_end(&self) {
        let now = self.log.now();
        if let Some(last) = self.ledger.lock().rules.last_mut() {
            last.until.get_or_insert(now);
        }
    }

    /// What a rule said that was in force at this time. `None`: no such rule was.
    pub(crate) fn rule_in_force(&self, name: &str, at: Timestamp) -> Option<Says> {
        let ledger = self.ledger.lock();
        let rules = ledger.rules.iter().filter(|version| version.was_at(at)).flat_map(|version| &version.rules);
        rules.into_iter().find(|(known, _)| known == name).map(|(_, says)| says.clone())
    }

    /// The version whose rule gave this wait, if one did, and whether it was in force at this time.
    pub(crate) fn version_that_waits(&self, wait: Duration, at: Timestamp) -> Option<(usize, bool)> {
        let number = usize::try_from(wait.checked_sub(WAIT)?.as_secs()).ok()?;
        let ledger = self.ledger.lock();
        Some((number, ledger.rules.iter().any(|version| version.number == number && version.was_at(at))))
    }
}

/// Changes the rules at random moments.
pub(crate) async fn change(world: Arc<World>, doors: Doors, mut dice: Dice) {
    loop {
        sleep(dice.millis(50, 3_000)).await;
        world.put_rules(&doors, true);
    }
}
