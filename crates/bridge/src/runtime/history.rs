//! How often people decided the same thing the same way, in a row: what `decided_before` in a rule looks at.
//!
//! Two asks are the same if they are the same call or the same questions with the same options, in the same folder. What
//! is kept is a digest and a number, never a text. A decision that is no plain choice (an edit, words of one's own)
//! begins the count anew.

use std::collections::{HashMap, HashSet};

use askbridge_core::Session;
use askbridge_core::answer::{Answer, Decision, Outcome, Review, RuleSays};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::Event;
use askbridge_core::ids::Timestamp;
use askbridge_core::limits;
use askbridge_core::rules::asks::Call;
use askbridge_core::session::AskStage;
use askbridge_journal::Written;
use askbridge_journal::shelf::{Expect, Shelf};
use askbridge_peers::wish::Rejection;
use askbridge_policy::JsonCall;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::error::{chain, down};
use super::handle::Handle;
use crate::derived::derived;

const STORED: &str = "rules/decided/";
const ALLOW: &str = "allow";
const DENY: &str = "deny";

/// What was decided before, by the digest of what was asked.
#[derive(Debug, Default)]
pub(crate) struct DecisionHistory {
    known: Mutex<HashMap<String, Decided>>,
    /// Counts that are not stored yet.
    unwritten: Mutex<HashSet<String>>,
}

/// What was decided the last times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decided {
    /// How often in a row.
    pub(crate) times: u32,
    /// The choice, in a word.
    choice: String,
    last: i64,
}

/// A decision that can become a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repeated {
    Allow,
    Deny,
    /// The options that were chosen, for each question.
    Answer(Vec<Vec<u16>>),
}

impl Decided {
    /// What was decided, if a rule can say it.
    pub(crate) fn repeated(&self) -> Option<Repeated> {
        match self.choice.as_str() {
            ALLOW => Some(Repeated::Allow),
            DENY => Some(Repeated::Deny),
            // The indices of the chosen options, written as a list.
            chosen => serde_json::from_str(chosen).ok().map(Repeated::Answer),
        }
    }

    /// Is this what was decided?
    pub(crate) fn is(&self, says: &RuleSays) -> bool {
        match says {
            RuleSays::Answer(answer) => choice(answer).is_some_and(|choice| choice == self.choice),
            RuleSays::No { .. } => false,
        }
    }
}

impl DecisionHistory {
    /// What was decided about the same before.
    pub(crate) fn about(&self, body: &Body, folder: Option<&str>) -> Option<Decided> {
        let key = key(body, folder)?;
        self.known.lock().get(&key).cloned()
    }

    /// Counts the decisions of people among these events, which have just been stored.
    pub(crate) fn hear(&self, session: &Session, events: &[Written]) {
        for written in events {
            let Event::Settled(settled) = &*written.event else { continue };
            let Outcome::Answered { answer, .. } = &settled.outcome else { continue };
            let live = session.asks.get(&settled.ask.number);
            if let Some(live) = live.filter(|live| matches!(live.stage, AskStage::Settled { .. })) {
                let folder = session.settings.folder.as_deref().or(live.ask.context.folder.as_deref());
                self.count(&live.ask, folder, answer, settled.at);
            }
        }
    }

    fn count(&self, ask: &Ask, folder: Option<&str>, answer: &Answer, at: Timestamp) {
        let Some(key) = key(&ask.body, folder) else { return };
        let mut known = self.known.lock();
        let before = known.remove(&key);
        self.unwritten.lock().insert(key.clone());
        let Some(choice) = choice(answer) else { return };
        let times = before.filter(|before| before.choice == choice).map_or(0, |before| before.times);
        if known.len() >= limits::DECIDED_BEFORE_MAX
            && let Some(oldest) = known.iter().min_by_key(|(_, decided)| decided.last).map(|(key, _)| key.clone())
        {
            known.remove(&oldest);
        }
        known.insert(key, Decided { times: times.saturating_add(1), choice, last: at.0 });
    }
}

impl Handle {
    /// Reads from the shelf what was decided before.
    pub(crate) async fn load_history(&self) -> Result<(), Rejection> {
        let stored = self.store.list(STORED, self.clock.now()).await.map_err(down)?;
        let read = stored.iter().filter_map(|item| {
            let key = item.key.strip_prefix(STORED)?.to_owned();
            Some((key, serde_json::from_slice(&item.value).ok()?))
        });
        self.rules.history.known.lock().extend(read.take(limits::DECIDED_BEFORE_MAX));
        Ok(())
    }

    /// Stores what was counted since. A kill may lose a second of it.
    pub(crate) async fn write_history(&self) {
        let history = &self.rules.history;
        let unwritten: Vec<_> = history.unwritten.lock().drain().collect();
        let now = self.clock.now();
        for key in unwritten {
            let place = format!("{STORED}{key}");
            let decided = history.known.lock().get(&key).cloned();
            let done = match decided {
                Some(decided) => {
                    let value = serde_json::to_vec(&decided).expect("numbers and words can be written");
                    let until = Some(now.plus(limits::DECIDED_BEFORE_KEPT));
                    self.store.put(&place, &value, Expect::Any, until, now).await.map(drop)
                }
                None => self.store.delete(&place, Expect::Any).await.map(drop),
            };
            if let Err(error) = done {
                warn!(error = chain(&error), "Could not store how often something was decided");
            }
        }
    }
}

/// The digest of what is asked. `None`: no two of these are the same.
fn key(body: &Body, folder: Option<&str>) -> Option<String> {
    let text = match body {
        Body::Approval(approval) if !approval.overrule => format!("call {}", JsonCall::from(approval).digest()?),
        Body::Questions(questions) => {
            let asked = questions.iter().map(|question| {
                let labels: Vec<_> = question.options.iter().map(|option| option.label.as_str()).collect();
                (question.text.as_str(), labels, question.multi)
            });
            serde_json::to_string(&asked.collect::<Vec<_>>()).ok()?
        }
        Body::Approval(_) | Body::Plan(_) | Body::Form(_) => return None,
    };
    let folder = folder.unwrap_or_default();
    Some(format!("{:032x}", derived(&[&text.len().to_le_bytes(), text.as_bytes(), folder.as_bytes()])))
}

/// A plain choice, in a word. `None`: it says more than that.
fn choice(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Approval(Decision::Allow { edited: None, .. }) => Some(ALLOW.to_owned()),
        Answer::Approval(Decision::Deny { .. }) => Some(DENY.to_owned()),
        Answer::Plan(Review::Approve { edited: None }) => Some("approve".to_owned()),
        Answer::Questions(picks) if picks.iter().all(|pick| pick.text.is_none() && pick.note.is_none()) => {
            let chosen: Vec<_> = picks.iter().map(|pick| &pick.chosen).collect();
            Some(format!("{chosen:?}"))
        }
        Answer::Approval(_) | Answer::Plan(_) | Answer::Questions(_) | Answer::Form(_) => None,
    }
}
