//! Remembered approvals: a person allows this very call again, for a while and in one place.
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
use askbridge_core::ask::Body;
use askbridge_core::ids::{AskId, Timestamp};
use askbridge_core::limits;
use askbridge_core::rules::asks::AskRule;
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::json::Rfc3339;
use askbridge_peers::wish::Rejection;
use askbridge_policy::{Reach, read, remember};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tracing::{info, warn};

use super::error::chain;
use super::gate::Right;
use super::handle::Handle;
use crate::auth::Caller;

/// Where the approvals are stored, and how often each was used.
const STORED: &str = "rules/remembered/";
const USED: &str = "rules/used/";
const NAME: &str = "remembered ";
const HEAD: &str = "# Approvals that people told askbridge to remember. This is a copy: changes in it have no effect.\n\
                    # List and revoke them with `askbridge policy remembered`.\n";

/// The approvals that are remembered.
#[derive(Debug, Default)]
pub(crate) struct RememberedApprovals {
    /// The copy. `None` until the server reads rule files.
    file: Mutex<Option<PathBuf>>,
    known: Mutex<HashMap<String, (StoredApproval, Uses)>>,
    /// Uses that are not stored yet.
    unwritten: Mutex<HashSet<String>>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
}

/// One approval, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredApproval {
    /// The rule as a rule file has it.
    pub(crate) rule: String,
    pub(crate) tool: String,
    /// `session`, `project` or `everywhere`.
    pub(crate) reach: String,
    pub(crate) ask: String,
    pub(crate) person: String,
    pub(crate) device: String,
    pub(crate) made_at: i64,
    pub(crate) until: i64,
}

/// How often a remembered approval has decided.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Uses {
    pub(crate) count: u64,
    /// The last time.
    pub(crate) last: Option<i64>,
}

/// Where an approval is to be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RememberIn {
    Session,
    Project,
    Everywhere,
}

impl RememberIn {
    fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::Everywhere => "everywhere",
        }
    }
}

/// Why an approval is not remembered.
#[derive(Debug)]
pub(crate) enum NotKept {
    Rejected(Rejection),
    /// It cannot be, as it is.
    Bad(String),
}

impl From<Rejection> for NotKept {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// Is the approval to be stored?
pub(crate) enum Saving {
    /// Only show what would be stored.
    No,
    Yes,
}

impl Handle {
    /// Makes a rule of an approval, and puts it in force. Only for a person: a paired operator's device, or a terminal.
    pub(crate) async fn remember(
        &self,
        caller: &Caller,
        ask: AskId,
        reach: RememberIn,
        until: Timestamp,
        saving: Saving,
    ) -> Result<(String, StoredApproval), NotKept> {
        self.check(caller, Right::RememberApprovalOf(ask))?;
        let now = self.clock.now();
        if until <= now || until > now.plus(limits::WAIT_MAX) {
            return Err(NotKept::Bad("`until` has to be ahead, and within 366 days".to_owned()));
        }
        let asked = self.asked(ask).await?;
        let settings = self.session(ask.session).await?.settings;
        let folder = settings.folder.clone().or_else(|| asked.context.folder.clone());
        let place = match (reach, folder) {
            (RememberIn::Session, _) => Reach::Session(ask.session.to_string()),
            (RememberIn::Project, Some(folder)) => Reach::Folder(folder),
            (RememberIn::Project, None) => {
                let why =
                    "the session has no folder, so there is no project; remember it for the session or everywhere";
                return Err(NotKept::Bad(why.to_owned()));
            }
            (RememberIn::Everywhere, _) => Reach::Everywhere,
        };
        let made = remember(&asked.body, &place, &Rfc3339(until).to_string());
        let made = made.map_err(|error| NotKept::Bad(error.to_string()))?;
        let Body::Approval(approval) = &asked.body else {
            return Err(NotKept::Bad("only approvals can be remembered".to_owned()));
        };
        let stored = StoredApproval {
            rule: made.toml,
            tool: approval.tool.clone(),
            reach: reach.name().to_owned(),
            ask: ask.to_string(),
            person: caller.name.to_string(),
            device: caller.device.to_string(),
            made_at: now.0,
            until: until.0,
        };
        if matches!(saving, Saving::Yes) {
            self.store_approval(&made.id, &stored, until, now).await?;
            info!(rule = made.id, "An approval is remembered");
        }
        Ok((made.id, stored))
    }

    async fn store_approval(
        &self,
        id: &str,
        stored: &StoredApproval,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), NotKept> {
        let remembered = &self.rules.remembered;
        let _one_at_a_time = remembered.changing.lock().await;
        let is_full = {
            let known = remembered.known.lock();
            known.len() >= limits::REMEMBERED_MAX && !known.contains_key(id)
        };
        if is_full {
            let why = format!("{} approvals are remembered already; revoke some", limits::REMEMBERED_MAX);
            return Err(NotKept::Bad(why));
        }
        let value = serde_json::to_vec(stored).expect("an approval has text keys");
        let put = self.store.put(&format!("{STORED}{id}"), &value, Expect::Any, Some(until), now).await;
        put.map_err(|error| Rejection::Down(chain(&error)))?;
        Ok(self.load_remembered_now().await?)
    }

    /// Removes a remembered approval. `None`: there is none of this id.
    pub(crate) async fn revoke_remembered(&self, id: &str) -> Result<Option<(StoredApproval, Uses)>, Rejection> {
        let _one_at_a_time = self.rules.remembered.changing.lock().await;
        let Some(known) = self.rules.remembered.known.lock().get(id).cloned() else { return Ok(None) };
        let down = |error: ShelfError| Rejection::Down(chain(&error));
        self.store.delete(&format!("{STORED}{id}"), Expect::Any).await.map_err(down)?;
        self.store.delete(&format!("{USED}{id}"), Expect::Any).await.map_err(down)?;
        self.load_remembered_now().await?;
        info!(rule = id, "A remembered approval is revoked");
        Ok(Some(known))
    }

    /// The approvals that are remembered, the newest first.
    pub(crate) fn remembered(&self) -> Vec<(String, StoredApproval, Uses)> {
        let known = self.rules.remembered.known.lock();
        let mut list: Vec<_> = known.iter().map(|(id, (stored, uses))| (id.clone(), stored.clone(), *uses)).collect();
        list.sort_by(|a, b| (b.1.made_at, &b.0).cmp(&(a.1.made_at, &a.0)));
        list.retain(|(_, stored, _)| stored.until > self.clock.now().0);
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
            let Ok(approval) = serde_json::from_slice::<StoredApproval>(&item.value) else {
                warn!(rule = id, "A remembered approval cannot be read; it is not in force");
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
            let until = Some(Timestamp(stored.until));
            if let Err(error) = self.store.put(&format!("{USED}{id}"), &value, Expect::Any, until, now).await {
                warn!(error = chain(&error), "Could not store how often a remembered approval was used");
            }
        }
    }
}

impl RememberedApprovals {
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
fn written(approvals: &[(String, StoredApproval)], file: Option<&Path>) -> (String, Vec<AskRule>) {
    let name = file.map_or_else(|| "remembered.toml".to_owned(), |file| file.display().to_string());
    let (mut text, mut rules) = (HEAD.to_owned(), Vec::new());
    for (id, approval) in approvals {
        let loaded = read(&name, &approval.rule, None).map(|loaded| loaded.rules).unwrap_or_default();
        if loaded.is_empty() {
            warn!(rule = id, "The rule of a remembered approval cannot be read; it is not in force");
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
        warn!(%error, "Could not write remembered.toml; the remembered approvals count all the same");
    }
}
