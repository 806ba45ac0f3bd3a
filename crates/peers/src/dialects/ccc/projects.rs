//! Projects: folders in which agents work, with every field that its page reads.

use std::time::Duration;

use askbridge_core::ids::{Raw, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bodies;
use super::sessions::{of_project, user_id};
use crate::json::Rfc3339;
use crate::rest;
use crate::tally::Tally;
use crate::uuid;
use crate::wish::{Finds, Wish};

/// Prefix of the names under which people's projects are kept.
pub(super) const PREFIX: &str = "project/";
/// Kept projects of one person. Beyond: one has to be removed first.
const KEPT_MAX: usize = 200;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A project's id: its folder, in a form that can stand in an address.
pub(super) fn project_of(folder: &str) -> String {
    uuid::of_text(folder)
}

pub(super) fn me(name: &str) -> Value {
    json!({
        "id": user_id(name),
        "username": name,
        "email": name,
        "display_name": name,
        "is_active": true,
        "is_verified": true,
        "is_superuser": false,
    })
}

/// A person's own name for a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Project {
    owner: String,
    pub(super) folder: String,
    name: Option<String>,
    description: Option<String>,
}

impl Project {
    fn of(owner: &str, folder: &str) -> Self {
        Self { owner: owner.to_owned(), folder: folder.to_owned(), name: None, description: None }
    }

    /// A folder that becomes a project. A path is not used as its name.
    pub(super) fn new(owner: &str, folder: &str, body: bodies::Project) -> Self {
        Self::of(owner, folder).changed(body)
    }

    /// Fields that are left out stay as they are.
    pub(super) fn changed(mut self, body: bodies::Project) -> Self {
        let is_no_path = |text: &String| !text.starts_with('/');
        self.name = body.name.filter(is_no_path).or(self.name);
        self.description = body.description.filter(is_no_path).or(self.description);
        self
    }

    fn kept_as(&self) -> String {
        format!("{PREFIX}{}", uuid::of_text(&format!("{} {}", self.owner, self.folder)))
    }

    pub(super) fn keep(&self) -> Wish {
        let thing = serde_json::to_string(self).expect("a project has text keys");
        Wish::Keep { name: self.kept_as(), thing: Some(Raw::from(thing)) }
    }

    pub(super) fn forget(&self) -> Wish {
        Wish::Keep { name: self.kept_as(), thing: None }
    }

    pub(super) fn id(&self) -> String {
        project_of(&self.folder)
    }

    fn name(&self) -> &str {
        let last = || self.folder.trim_end_matches('/').rsplit('/').next().filter(|name| !name.is_empty());
        self.name.as_deref().or_else(last).unwrap_or(&self.folder)
    }

    /// Its code editor, open by default, splits `workspace_path`: without it the page crashes.
    pub(super) fn json(&self, known: &Finds, now: Timestamp) -> Value {
        let sessions = of_project(&self.id(), &known.sessions);
        let created_at = sessions.iter().map(|line| line.started_at).min().unwrap_or(now);
        let updated_at = sessions.iter().map(|line| line.last_at).max().unwrap_or(now);
        json!({
            "id": self.id(),
            "name": self.name(),
            "description": self.description.as_deref().unwrap_or(&self.folder),
            "user_id": user_id(&self.owner),
            "status": "active",
            "workspace_path": self.folder,
            "session_count": sessions.len(),
            "api_key": null,
            "cost_limit_daily": null,
            "cost_limit_weekly": null,
            "cost_limit_monthly": null,
            "created_at": Rfc3339(created_at),
            "updated_at": Rfc3339(updated_at),
        })
    }
}

/// All of a person's projects: the default folder first, then folders with sessions, then those that they added.
pub(super) fn all(known: &Finds, owner: &str) -> Vec<Project> {
    let kept = kept(known, owner);
    let named = |folder: &String| kept.iter().find(|it| it.folder == *folder).cloned();
    let mut all: Vec<_> =
        known.folders.iter().map(|folder| named(folder).unwrap_or_else(|| Project::of(owner, folder))).collect();
    all.extend(kept.iter().filter(|it| !known.folders.contains(&it.folder)).cloned());
    all
}

fn kept(known: &Finds, owner: &str) -> Vec<Project> {
    let kept = known.kept.iter().filter_map(|(_, thing)| serde_json::from_str::<Project>(thing.as_str()).ok());
    kept.filter(|project| project.owner == owner).collect()
}

pub(super) fn is_full(known: &Finds, owner: &str) -> bool {
    kept(known, owner).len() >= KEPT_MAX
}

/// Why a project cannot be removed from the list: what makes it one is still there.
pub(super) fn why_it_stays(project: &Project, known: &Finds) -> Option<&'static str> {
    match (of_project(&project.id(), &known.sessions).is_empty(), known.folders.contains(&project.folder)) {
        (false, _) => Some("There are conversations in this folder: delete those first"),
        (true, true) => Some("This is the folder in which agents work that name none (dialects.folder)"),
        (true, false) => None,
    }
}

/// A page of them.
pub(super) fn list(known: &Finds, owner: &str, query: &str, now: Timestamp) -> Result<Value, String> {
    let number = |name: &str, otherwise: usize| match rest::value(query, name) {
        None => Ok(otherwise),
        Some(number) => number.parse::<usize>().map_err(|_| format!("`{name}` has to be a number")),
    };
    let (limit, offset) = (number("limit", usize::MAX)?, number("offset", 0)?);
    let search = rest::value(query, "search").unwrap_or_default().to_lowercase();
    let is_meant = |project: &Project| {
        project.name().to_lowercase().contains(&search) || project.folder.to_lowercase().contains(&search)
    };
    let found: Vec<_> = all(known, owner).into_iter().filter(is_meant).collect();
    let total = found.len();
    let page: Vec<_> = found.iter().skip(offset).take(limit).map(|project| project.json(known, now)).collect();
    Ok(json!({"total": total, "limit": limit.min(total), "offset": offset, "projects": page}))
}

/// Costs before this time do not count.
pub(super) fn a_month_before(now: Timestamp) -> Timestamp {
    Timestamp(now.0.saturating_sub((DAY * 30).as_millis() as i64))
}

/// The cost of the last one, seven and thirty days.
struct Spent([f64; 3]);

impl Spent {
    fn of(known: &Finds, now: Timestamp) -> Self {
        let since = |days: u32| {
            let since = Timestamp(now.0.saturating_sub((DAY * days).as_millis() as i64));
            known.counts.iter().fold(0.0, |sum, (_, tally)| sum + tally.cost_since(since))
        };
        Self([1, 7, 30].map(since))
    }
}

/// Nothing is limited here. `null` says so; without it the page of prices fails.
pub(super) fn limits(project: &str, known: &Finds, now: Timestamp) -> Value {
    let Spent([daily, weekly, monthly]) = Spent::of(known, now);
    json!({
        "project_id": project,
        "can_use": true,
        "exceeded_limits": [],
        "cost_daily": daily,
        "cost_weekly": weekly,
        "cost_monthly": monthly,
        "limit_daily": null,
        "limit_weekly": null,
        "limit_monthly": null,
    })
}

pub(super) fn usage(project: &str, known: &Finds, now: Timestamp) -> Value {
    let Spent([daily, weekly, monthly]) = Spent::of(known, now);
    let sum = |of: fn(&Tally) -> u64| known.counts.iter().map(|(_, tally)| of(tally)).sum::<u64>();
    json!({
        "project_id": project,
        "total_tokens": sum(|tally| tally.input_tokens + tally.output_tokens),
        "total_cost": known.counts.iter().fold(0.0, |sum, (_, tally)| sum + tally.cost()),
        "input_tokens": sum(|tally| tally.input_tokens),
        "output_tokens": sum(|tally| tally.output_tokens),
        "session_count": known.counts.len(),
        "message_count": sum(|tally| tally.messages as u64),
        "cost_daily": daily,
        "cost_weekly": weekly,
        "cost_monthly": monthly,
    })
}
