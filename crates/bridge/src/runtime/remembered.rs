//! Remembered decisions: a person has this very call allowed again, for a while and in one place; or has decided the same
//! several times in a row, and is offered a rule that says it.
//!
//! Each is an item on the shelf, which expires by itself, and holds its rule as the text of a rule file. The rules are in
//! force after those of the operator's file. `remembered.toml` in the data folder is a copy for people to read: an
//! agent could write it, so the server never reads it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use askbridge_core::answer::RulePlace;
use askbridge_core::ask::{Approval, Ask, Body, Question};
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::rules::asks::{AskRule, Call, Risk};
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::{Rejection, RuleDecides, RuleReach, RuleWish};
use askbridge_policy::{JsonCall, Reach, RememberedChoice, read, remember};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tracing::{info, warn};

use super::error::chain;
use super::handle::Handle;
use super::history::Repeated;
use crate::auth::Caller;

/// Where the approvals are stored, and how often each was used.
pub(super) const STORED: &str = "rules/remembered/";
pub(super) const USED: &str = "rules/used/";
const NAME: &str = "remembered ";
const HEAD: &str = "# Decisions that people told askbridge to remember. This is a copy: changes in it have no effect.\n\
                    # List and revoke them with `askbridge policy remembered`.\n";

/// The decisions that are remembered.
#[derive(Debug, Default)]
pub(crate) struct RememberedRules {
    /// The copy. `None` until the server reads rule files.
    file: Mutex<Option<PathBuf>>,
    known: Mutex<HashMap<String, (StoredRule, Uses)>>,
    /// Uses that are not stored yet.
    unwritten: Mutex<HashSet<String>>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
}

/// One rule that was made of a decision, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredRule {
    /// The rule as a rule file has it.
    pub(crate) rule: String,
    /// What it does. The oldest, without it, allow.
    #[serde(rename = "do", default = "allows")]
    pub(crate) does: String,
    /// The tool of an approval.
    pub(crate) tool: String,
    /// One line of what it is about: a command, a file, a question. The oldest have none.
    #[serde(default)]
    pub(crate) about: String,
    /// `session`, `project` or `everywhere`.
    pub(crate) reach: String,
    pub(crate) ask: String,
    pub(crate) person: String,
    pub(crate) device: String,
    pub(crate) made_at: i64,
    /// `None`: for good.
    pub(crate) until: Option<i64>,
}

fn allows() -> String {
    "allow".to_owned()
}

/// How often a remembered decision has decided.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Uses {
    pub(crate) count: u64,
    /// The last time.
    pub(crate) last: Option<i64>,
}

/// A rule that is offered, because people decided the same several times in a row.
#[derive(Debug)]
pub(crate) struct RuleOffer {
    pub(crate) times: u32,
    /// The labels that were chosen, in a line. `None` for approvals.
    pub(crate) chosen: Option<String>,
    pub(crate) id: String,
    pub(crate) rule: StoredRule,
}

fn bad(why: impl Into<String>) -> Rejection {
    Rejection::Refused(Refusal::BadRequest(why.into()))
}

impl Handle {
    /// The rule that would be made of a decision, with its id. The caller's rights are checked by the gate, or by whoever
    /// shows it.
    pub(crate) async fn rule_of(
        &self,
        caller: &Caller,
        ask: AskId,
        wish: &RuleWish,
    ) -> Result<(String, StoredRule), Rejection> {
        let now = self.clock.now();
        if wish.until.is_some_and(|until| until <= now || until > now.plus(limits::WAIT_MAX)) {
            return Err(bad("`until` has to be ahead, and within 366 days"));
        }
        let asked = self.asked(ask).await?;
        let folder = self.folder_of(&asked).await?;
        let place = match (wish.reach, folder.clone()) {
            (RuleReach::Session, _) => Reach::Session(ask.session.to_string()),
            (RuleReach::Project, Some(folder)) => Reach::Folder(folder),
            (RuleReach::Project, None) => {
                let why =
                    "the session has no folder, so there is no project; remember it for the session or everywhere";
                return Err(bad(why));
            }
            (RuleReach::Everywhere, _) => Reach::Everywhere,
        };
        let choice = match wish.decides {
            RuleDecides::Allow => RememberedChoice::Allow,
            RuleDecides::AsBefore => {
                self.decided_again(&asked, folder.as_deref()).map(|(_, choice)| choice).ok_or_else(|| {
                    bad(format!(
                        "people did not decide this the same way {} times in a row",
                        limits::RULE_OFFERED_AFTER
                    ))
                })?
            }
        };
        if let Body::Approval(Approval { overrule: true, .. }) = &asked.body {
            return Err(bad("only a person overrules a denial, each time"));
        }
        let until = wish.until.map(|until| Rfc3339(until).to_string());
        let made = remember(&asked.body, &choice, &place, until.as_deref()).map_err(|error| bad(error.to_string()))?;
        if wish.shown.as_ref().is_some_and(|shown| *shown != made.id) {
            return Err(bad("the rule would be another by now; look at it again"));
        }
        let does = made.rule.action.name().to_owned();
        let stored = StoredRule {
            rule: made.toml,
            does,
            tool: tool(&asked.body),
            about: about(&asked.body),
            reach: wish.reach.name().to_owned(),
            ask: ask.to_string(),
            person: caller.name.to_string(),
            device: caller.device.to_string(),
            made_at: now.0,
            until: wish.until.map(|until| until.0),
        };
        Ok((made.id, stored))
    }

    /// Makes a rule of a decision, and puts it in force.
    pub(super) async fn remember(&self, caller: &Caller, ask: AskId, wish: &RuleWish) -> Result<(), Rejection> {
        let (id, stored) = self.rule_of(caller, ask, wish).await?;
        self.store_rule(&id, &stored, wish.until, self.clock.now()).await?;
        info!(rule = id, "A decision is remembered as a rule");
        Ok(())
    }

    /// Offers a rule about an ask that people decided the same way several times in a row. Never for what looks grave,
    /// and never for what needs several people.
    pub(crate) async fn offered_rule(&self, caller: &Caller, ask: AskId) -> Result<Option<RuleOffer>, Rejection> {
        let asked = self.asked(ask).await?;
        let folder = self.folder_of(&asked).await?;
        let Some((times, choice)) = self.decided_again(&asked, folder.as_deref()) else { return Ok(None) };
        let is_grave = |body: &Body| match body {
            Body::Approval(approval) => JsonCall::from(approval).risks(folder.as_deref()).iter().any(Risk::is_grave),
            _ => false,
        };
        let says_yes = choice != RememberedChoice::Deny;
        if says_yes && (asked.terms.quorum > 1 || is_grave(&asked.body)) {
            return Ok(None);
        }
        let wish = RuleWish {
            decides: RuleDecides::AsBefore,
            reach: if folder.is_some() { RuleReach::Project } else { RuleReach::Session },
            until: Some(self.clock.now().plus(limits::REMEMBERED_FOR)),
            shown: None,
        };
        let chosen = match (&choice, &asked.body) {
            (RememberedChoice::Answer(chosen), Body::Questions(questions)) => Some(labels(questions, chosen)),
            _ => None,
        };
        match self.rule_of(caller, ask, &wish).await {
            Ok((id, _)) if self.rules.remembered.known.lock().contains_key(&id) => Ok(None),
            Ok((id, rule)) => Ok(Some(RuleOffer { times, chosen, id, rule })),
            // What no rule can be bound to is not offered.
            Err(Rejection::Refused(Refusal::BadRequest(_))) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// The folder that an ask is about.
    async fn folder_of(&self, asked: &Ask) -> Result<Option<String>, Rejection> {
        let settings = self.session(asked.id.session).await?.settings;
        Ok(settings.folder.clone().or_else(|| asked.context.folder.clone()))
    }

    /// What people decided about the same, if they did so often enough in a row.
    fn decided_again(&self, asked: &Ask, folder: Option<&str>) -> Option<(u32, RememberedChoice)> {
        let before = self.rules.history.about(&asked.body, folder)?;
        let choice = match before.repeated()? {
            Repeated::Allow => RememberedChoice::Allow,
            Repeated::Deny => RememberedChoice::Deny,
            Repeated::Answer(chosen) => RememberedChoice::Answer(chosen),
        };
        (before.times >= limits::RULE_OFFERED_AFTER).then_some((before.times, choice))
    }

    /// Where people can read the rules that were made of decisions. `None` while the server reads no rules.
    pub(crate) fn remembered_file(&self) -> Option<String> {
        self.rules.remembered.file.lock().as_ref().map(|file| file.display().to_string())
    }

    async fn store_rule(
        &self,
        id: &str,
        stored: &StoredRule,
        until: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), Rejection> {
        let remembered = &self.rules.remembered;
        let _one_at_a_time = remembered.changing.lock().await;
        let is_full = {
            let known = remembered.known.lock();
            known.len() >= limits::REMEMBERED_MAX && !known.contains_key(id)
        };
        if is_full {
            return Err(bad(format!("{} decisions are remembered already; revoke some", limits::REMEMBERED_MAX)));
        }
        let value = serde_json::to_vec(stored).expect("a rule has text keys");
        let put = self.store.put(&format!("{STORED}{id}"), &value, Expect::Any, until, now).await;
        put.map_err(|error| Rejection::Down(chain(&error)))?;
        self.load_remembered_now().await
    }

    /// Removes a remembered decision. `false`: there is none of this id.
    pub(super) async fn revoke_remembered(&self, id: &str) -> Result<bool, Rejection> {
        let _one_at_a_time = self.rules.remembered.changing.lock().await;
        if !self.rules.remembered.known.lock().contains_key(id) {
            return Ok(false);
        }
        let down = |error: ShelfError| Rejection::Down(chain(&error));
        self.store.delete(&format!("{STORED}{id}"), Expect::Any).await.map_err(down)?;
        self.store.delete(&format!("{USED}{id}"), Expect::Any).await.map_err(down)?;
        self.load_remembered_now().await?;
        info!(rule = id, "A remembered decision is revoked");
        Ok(true)
    }

    /// The approvals that are remembered, the newest first.
    pub(crate) fn remembered(&self) -> Vec<(String, StoredRule, Uses)> {
        let known = self.rules.remembered.known.lock();
        let mut list: Vec<_> = known.iter().map(|(id, (stored, uses))| (id.clone(), stored.clone(), *uses)).collect();
        list.sort_by(|a, b| (b.1.made_at, &b.0).cmp(&(a.1.made_at, &a.0)));
        let now = self.clock.now().0;
        list.retain(|(_, stored, _)| stored.until.is_none_or(|until| until > now));
        list
    }

    /// Reads the approvals from the shelf and puts their rules in force.
    pub(crate) async fn load_remembered(&self) -> Result<(), Rejection> {
        let _one_at_a_time = self.rules.remembered.changing.lock().await;
        self.load_remembered_now().await
    }

    async fn load_remembered_now(&self) -> Result<(), Rejection> {
        let (now, down) = (self.clock.now(), |error: ShelfError| Rejection::Down(chain(&error)));
        let stored = self.store.list(STORED, now).await.map_err(down)?;
        let used = self.store.list(USED, now).await.map_err(down)?;
        let used: HashMap<_, Uses> = used
            .iter()
            .filter_map(|item| Some((item.key.strip_prefix(USED)?, serde_json::from_slice(&item.value).ok()?)))
            .collect();
        let remembered = &self.rules.remembered;
        let mut known = HashMap::new();
        let mut in_order = Vec::new();
        for item in &stored {
            let Some(id) = item.key.strip_prefix(STORED) else { continue };
            let Ok(approval) = serde_json::from_slice::<StoredRule>(&item.value) else {
                warn!(rule = id, "A remembered decision cannot be read; it is not in force");
                continue;
            };
            // What was counted here since is newer than what is stored.
            let before = remembered.known.lock().get(id).map(|(_, uses)| *uses).unwrap_or_default();
            let uses = used.get(id).copied().unwrap_or_default();
            let uses = if before.count > uses.count { before } else { uses };
            in_order.push((id.to_owned(), approval.clone()));
            known.insert(id.to_owned(), (approval, uses));
        }
        in_order.sort_by_key(|(id, approval)| (approval.made_at, id.clone()));
        let file = remembered.file.lock().clone();
        let (text, rules) = written(&in_order, file.as_deref());
        *remembered.known.lock() = known;
        self.rules.set_remembered(rules);
        if let Some(file) = file {
            copy(file, text).await;
        }
        Ok(())
    }

    /// Stores how often approvals were used.
    pub(crate) async fn write_uses(&self) {
        let remembered = &self.rules.remembered;
        let unwritten: Vec<_> = remembered.unwritten.lock().drain().collect();
        let now = self.clock.now();
        for id in unwritten {
            let Some((stored, uses)) = remembered.known.lock().get(&id).cloned() else { continue };
            let value = serde_json::to_vec(&uses).expect("numbers can be written");
            let until = stored.until.map(Timestamp);
            if let Err(error) = self.store.put(&format!("{USED}{id}"), &value, Expect::Any, until, now).await {
                warn!(error = chain(&error), "Could not store how often a remembered decision was used");
            }
        }
    }
}

/// The tool of an approval; questions have none.
fn tool(body: &Body) -> String {
    match body {
        Body::Approval(approval) => approval.tool.clone(),
        _ => String::new(),
    }
}

/// One line of what is asked: a command, a file, an address, a question.
fn about(body: &Body) -> String {
    const FIELDS: [&str; 5] = ["command", "file_path", "notebook_path", "path", "url"];
    let named = match body {
        Body::Approval(approval) => {
            let call = JsonCall::from(approval);
            FIELDS.iter().find_map(|field| call.field(field).map(|text| text.into_owned()))
        }
        _ => None,
    };
    let text = named.unwrap_or_else(|| body.headline().to_owned());
    let line = text.lines().next().unwrap_or_default();
    line[..line.floor_char_boundary(limits::REMEMBERED_ABOUT_BYTES_MAX)].to_owned()
}

fn labels(questions: &[Question], chosen: &[Vec<u16>]) -> String {
    let label = |question: &Question, at: u16| question.options.get(usize::from(at)).map(|it| it.label.clone());
    let all =
        questions.iter().zip(chosen).flat_map(|(question, chosen)| chosen.iter().filter_map(|at| label(question, *at)));
    all.collect::<Vec<_>>().join(", ")
}

impl RememberedRules {
    pub(crate) fn keep_copy_in(&self, file: PathBuf) {
        *self.file.lock() = Some(file);
    }

    /// Counts that a rule decided, if it is one of these.
    pub(crate) fn note_use(&self, rule: &str, now: Timestamp) {
        let Some(id) = rule.strip_prefix(NAME) else { return };
        if let Some((_, uses)) = self.known.lock().get_mut(id) {
            uses.count += 1;
            uses.last = Some(now.0);
            self.unwritten.lock().insert(id.to_owned());
        }
    }
}

/// The text of the copy, and the rules, each with its line in it.
fn written(approvals: &[(String, StoredRule)], file: Option<&Path>) -> (String, Vec<AskRule>) {
    let name = file.map_or_else(|| "remembered.toml".to_owned(), |file| file.display().to_string());
    let (mut text, mut rules) = (HEAD.to_owned(), Vec::new());
    for (id, approval) in approvals {
        let loaded = read(&name, &approval.rule, None).map(|loaded| loaded.rules).unwrap_or_default();
        if loaded.is_empty() {
            warn!(rule = id, "The rule of a remembered decision cannot be read; it is not in force");
            continue;
        }
        text.push('\n');
        let line = 1 + text.bytes().filter(|byte| *byte == b'\n').count();
        let place = Some(RulePlace { file: name.clone(), line: u32::try_from(line).unwrap_or(u32::MAX) });
        rules.extend(loaded.into_iter().map(|rule| AskRule { place: place.clone(), ..rule }));
        text.push_str(&approval.rule);
    }
    (text, rules)
}

async fn copy(file: PathBuf, text: String) {
    let write = move || -> io::Result<()> {
        let new = file.with_extension("toml.new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut opened = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        opened.write_all(text.as_bytes())?;
        fs::rename(&new, &file)
    };
    if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
        warn!(%error, "Could not write remembered.toml; the remembered decisions count all the same");
    }
}
