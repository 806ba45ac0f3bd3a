//! Answers the queries of a peer, as far as its caller may see.

use askbridge_core::event::{Event, Settings};
use askbridge_core::ids::SessionId;
use askbridge_core::limits;
use askbridge_journal::Stored;
use askbridge_journal::index::{SessionRow, SessionState};
use askbridge_journal::journal::Journal;
use askbridge_peers::tally::{Counting, Tally};
use askbridge_peers::turn::Turn;
use askbridge_peers::wish::{Finds, Query, Receipt, Rejection, SessionLine, SessionSummary};

use super::app::App;
use crate::auth::Caller;
use crate::runtime::{Right, Services, down, seen_sessions};

/// Entries that are read to count the messages of one page of sessions. Beyond: the rest is not counted.
const COUNTED_ENTRIES_MAX: usize = 50_000;
/// How much of the first message stands for the title of a session without one.
const HEADING_CHARS: usize = 80;
/// Sessions whose folders are read to list where agents work.
const FOLDERS_FROM: usize = 200;

/// Answers a query of an identified caller. `via` names the dialect or door.
pub(super) async fn look(app: &App, caller: &Caller, via: &'static str, query: Query) -> Result<Receipt, Rejection> {
    match query {
        Query::Ask(ask) => app.handle.shown_ask(caller, ask).await,
        Query::Session(session) => app.handle.shown_session(caller, session).await,
        Query::Sessions { after, limit } => {
            let (sessions, next) = sessions(app, caller, after, limit).await?;
            Ok(found(Finds { sessions, next, ..Finds::default() }))
        }
        Query::Folders => {
            let usual = app.speaking().and_then(|speaking| speaking.folder.clone());
            let (sessions, _) = sessions(app, caller, None, FOLDERS_FROM).await?;
            let mut folders: Vec<String> = usual.into_iter().collect();
            for folder in sessions.into_iter().filter_map(|line| line.folder) {
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
            Ok(found(Finds { folders, ..Finds::default() }))
        }
        Query::Folder(folder) => {
            app.handle.check(caller, Right::TryFolder)?;
            let folder = app.allow(&folder, None)?;
            Ok(found(Finds { folders: vec![folder], ..Finds::default() }))
        }
        Query::Kept(beginning) => {
            let kept = app.handle.kept(via, &beginning).await?;
            Ok(found(Finds { kept, ..Finds::default() }))
        }
        Query::Counts(sessions) => {
            let mut counts = Vec::with_capacity(sessions.len());
            let mut left = COUNTED_ENTRIES_MAX;
            // Sessions that are gone since they were listed are left out, and so are those with nothing left to read.
            for session in sessions.into_iter().filter(|it| app.handle.may(caller, Right::ReadSession(*it))) {
                if left > 0 {
                    counts.push((session, tally(app, session, &mut left).await?));
                }
            }
            Ok(found(Finds { counts, ..Finds::default() }))
        }
        Query::Summaries(sessions) => {
            let mut summaries = Vec::with_capacity(sessions.len());
            let mut left = COUNTED_ENTRIES_MAX;
            for session in sessions.into_iter().filter(|it| app.handle.may(caller, Right::ReadSession(*it))) {
                summaries.push((session, summary(app, session, &mut left).await?));
            }
            Ok(found(Finds { summaries, ..Finds::default() }))
        }
        Query::Terms(session) => {
            app.handle.check(caller, Right::ReadSession(session))?;
            let terms = app.handle.terms_of(session).await?;
            Ok(Receipt { session: Some(session), terms: Some(Box::new(terms)), ..Receipt::default() })
        }
        Query::Login { .. } | Query::Logout | Query::Redeem { .. } | Query::Consult(_) => Err(Rejection::Unauthorized),
    }
}

/// Reads what a session is about, with at most `left` entries.
async fn summary(app: &App, session: SessionId, left: &mut usize) -> Result<SessionSummary, Rejection> {
    let (mut summary, mut turn, mut speaker) = (SessionSummary::default(), Turn::default(), Speaker::Person);
    let take_in = |stored: &Stored| {
        for written in &stored.entry.events {
            take_in(&mut summary, &mut speaker, &written.event);
            turn.hear(&written.event);
        }
        // A server that takes an agent over after a restart records it; a list that is sorted by time must not move.
        if !stored.entry.events.iter().all(|written| written.event.is_about_hosting()) {
            summary.last_at = summary.last_at.max(Some(stored.entry.at));
        }
    };
    read(app, session, left, take_in).await?;
    summary.is_running = turn.is_running();
    Ok(summary)
}

/// Counts what is in a session, with at most `left` entries.
async fn tally(app: &App, session: SessionId, left: &mut usize) -> Result<Tally, Rejection> {
    let mut counting = Counting::default();
    let hear = |stored: &Stored| {
        stored.entry.events.iter().for_each(|written| counting.hear(&written.event, stored.entry.at));
    };
    read(app, session, left, hear).await?;
    Ok(counting.tally())
}

/// Reads a session from its beginning, up to `left` entries.
async fn read(app: &App, session: SessionId, left: &mut usize, mut take: impl FnMut(&Stored)) -> Result<(), Rejection> {
    let mut after = None;
    while *left > 0 {
        let max = limits::READ_BATCH_MAX.min(*left);
        let read = app.handle.store.read(session, None, after, max).await;
        let read = read.map_err(down)?;
        let Some(last) = read.last() else { break };
        after = Some(last.position);
        *left -= read.len();
        let read = app.handle.shown(session, read).await?;
        read.iter().for_each(|stored| take(stored));
    }
    Ok(())
}

/// Who spoke last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Person,
    Agent,
}

fn take_in(summary: &mut SessionSummary, speaker: &mut Speaker, event: &Event) {
    match event {
        Event::Said(said) => {
            summary.messages += 1;
            summary.merged_messages += 1;
            *speaker = Speaker::Person;
            summary.heading.get_or_insert_with(|| said.text.chars().take(HEADING_CHARS).collect());
        }
        Event::Text { .. } | Event::ToolCalled { .. } | Event::Asked(_) => {
            summary.messages += usize::from(!matches!(event, Event::Asked(_)));
            let is_new = std::mem::replace(speaker, Speaker::Agent) == Speaker::Person;
            summary.merged_messages += usize::from(is_new);
        }
        Event::Started(started) => set(summary, &started.settings),
        Event::Configured(settings) => set(summary, settings),
        _ => {}
    }
}

fn set(summary: &mut SessionSummary, settings: &Settings) {
    for (known, newer) in [(&mut summary.model, &settings.model), (&mut summary.mode, &settings.mode)] {
        if newer.is_some() {
            known.clone_from(newer);
        }
    }
    summary.other_tools = settings.wishes.other_tools.or(summary.other_tools);
}

fn found(finds: Finds) -> Receipt {
    Receipt { finds: Some(Box::new(finds)), ..Receipt::default() }
}

async fn sessions(
    app: &App,
    caller: &Caller,
    after: Option<String>,
    limit: usize,
) -> Result<(Vec<SessionLine>, Option<String>), Rejection> {
    let after = after.map(|after| after.parse()).transpose();
    let after = after.map_err(|_| {
        Rejection::Refused(askbridge_core::refusal::Refusal::BadRequest("this is not where a page ended".to_owned()))
    })?;
    let filter = seen_sessions(caller);
    let mut found = app.handle.look_up(move |index| index.sessions(&filter, after, limit + 1)).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| last.page_key().to_string());
    Ok((found.into_iter().map(line).collect(), next))
}

fn line(row: SessionRow) -> SessionLine {
    SessionLine {
        id: row.id,
        agent: row.agent,
        door: row.door,
        title: row.title,
        folder: row.folder,
        open_asks: row.open_asks,
        is_over: row.state != SessionState::Running,
        started_at: row.started_at,
        last_at: row.last_at,
    }
}
