//! Once a day: what rules and bots decided in people's place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::time::Duration;

use askbridge_core::event::Audience;
use askbridge_core::ids::{PersonId, Timestamp};
use askbridge_core::limits;
use askbridge_core::view::By;
use askbridge_journal::index::{AskFilter, AskRow, Order, PageKey, State, StateFilter};
use askbridge_journal::shelf::{Expect, Shelf, ShelfError};
use askbridge_peers::wish::Rejection;
use askbridge_ringing::news::{News, NewsKind};
use tracing::warn;

use super::around::minute;
use super::happened::fresh;
use crate::auth::Caller;
use crate::runtime::{chain, person_key};
use crate::server::App;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Two digests of one person are at least so far apart.
const APART: Duration = Duration::from_secs(12 * 3600);
/// Rules that a digest names.
const NAMED_MAX: usize = 5;

/// Does anyone want it?
pub(super) fn is_daily(app: &App) -> bool {
    let is_set = app.ringing_options().is_some_and(|options| options.digest.is_some());
    is_set && app.ringing().channels.all().iter().any(|channel| channel.tells.contains(&NewsKind::Digest))
}

/// Tells each person who wants it what was decided in the last day, if it is the time for it.
pub(super) async fn tell_daily(app: &App) {
    let now = app.handle.now();
    let hours = app.ringing_options().and_then(|options| options.digest);
    if !hours.is_some_and(|hours| hours.contain(minute(app, now))) {
        return;
    }
    let channels = app.ringing().channels.all();
    let wanting = channels.iter().filter(|channel| channel.tells.contains(&NewsKind::Digest));
    let people: BTreeSet<_> = wanting.map(|channel| channel.person.clone()).collect();
    for person in people {
        match is_told(app, &person, now).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => {
                warn!(error = chain(&error), "Could not read whether the daily digest was told");
                continue;
            }
        }
        match sum_up(app, &person, now).await {
            Ok(Some((title, body))) => app.ringing().tell(News {
                id: fresh(&app.handle),
                kind: NewsKind::Digest,
                at: now,
                audience: Audience::Only(vec![PersonId::from(person.as_str())]),
                session: None,
                usage: None,
                title,
                body,
                path: "/history".to_owned(),
                is_ours: false,
            }),
            Ok(None) => {}
            Err(error) => warn!(%error, "Could not sum up what rules decided"),
        }
    }
}

/// Was it told today? Notes that it is told now, before it is: a digest that is lost is better than two.
async fn is_told(app: &App, person: &str, now: Timestamp) -> Result<bool, ShelfError> {
    let key = format!("digest/{}", person_key(person));
    if app.handle.store.get(&key, now).await?.is_some() {
        return Ok(true);
    }
    app.handle.store.put(&key, b"true", Expect::Any, Some(now.plus(APART)), now).await?;
    Ok(false)
}

/// `None`: nothing was decided.
async fn sum_up(app: &App, person: &str, now: Timestamp) -> Result<Option<(String, String)>, Rejection> {
    let since = Timestamp(now.0 - i64::try_from(DAY.as_millis()).unwrap_or(i64::MAX));
    let caller = Caller::without_token(person);
    let mut by_rule: BTreeMap<String, u64> = BTreeMap::new();
    let mut asks = 0;
    let mut after: Option<PageKey> = None;
    // Bounded: a day with more is told by its newest.
    for _ in 0..limits::DIGEST_PAGES_MAX {
        let filter = AskFilter {
            states: StateFilter::One(State::Ruled),
            order: Order::NewestFirst,
            person: Some((&*caller.name).into()),
            ..AskFilter::default()
        };
        let read = app.handle.look_up(move |index| {
            let rows = index.rows(&filter, after, limits::SNAPSHOT_ASKS_MAX)?;
            let mut next = rows.last().filter(|_| rows.len() == limits::SNAPSHOT_ASKS_MAX).map(AskRow::page_key);
            let mut rules = Vec::new();
            index.read(&rows, |known| {
                if known.row.settled_at.unwrap_or(known.row.asked_at) < since {
                    next = None;
                    return ControlFlow::Break(());
                }
                if let Some(By::Rule { rule, .. }) = known.view().by {
                    rules.push(rule);
                }
                ControlFlow::Continue(())
            })?;
            Ok((rules, next))
        });
        let (rules, next) = read.await?;
        asks += rules.len();
        rules.into_iter().for_each(|rule| *by_rule.entry(rule).or_default() += 1);
        after = next;
        if after.is_none() {
            break;
        }
    }
    if asks == 0 {
        return Ok(None);
    }
    let mut most: Vec<_> = by_rule.into_iter().collect();
    most.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let more = most.len().saturating_sub(NAMED_MAX);
    let mut lines: Vec<_> = most.into_iter().take(NAMED_MAX).map(|(rule, count)| format!("{count} × {rule}")).collect();
    if more > 0 {
        lines.push(format!("and {more} more rules"));
    }
    let noun = if asks == 1 { "ask was" } else { "asks were" };
    Ok(Some((format!("{asks} {noun} decided without you in the last day"), lines.join("\n"))))
}
