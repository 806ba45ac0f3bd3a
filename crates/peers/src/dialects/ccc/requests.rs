//! The machine of one HTTP request: logins, projects, sessions and histories.

use std::collections::VecDeque;
use std::time::Duration;

use askbridge_core::event::Settings;
use askbridge_core::ids::{SessionId, Timestamp};
use askbridge_core::limits;
use serde_json::{Value, json};

use super::absent::{self, Absent};
use super::deleting::{Deleting, Done};
use super::projects::{self, Project, project_of};
use super::sessions::{self, Session};
use super::{bodies, models, quirks, starting};
use crate::json::Rfc3339;
use crate::one_request::OneRequest;
use crate::peer::{Cx, Outbox, Req, Tag};
use crate::rest;
use crate::story::Story;
use crate::tally::Counting;
use crate::told::Happened;
use crate::wish::{Finds, Query, Receipt, Rejection, Watch, Wish};

/// Sessions in one list. Beyond: the oldest are left out.
const SESSIONS_MAX: usize = 500;
const TAG: Tag = Tag(1);
const SECOND: Tag = Tag(2);

/// One request.
pub(super) struct CccRequest {
    /// The session in the address, if the caller may see it.
    session: Option<SessionId>,
    /// The caller's name.
    user: String,
    wanted: PendingResponse,
    /// Queries that are still to be made for the response.
    looks: VecDeque<Query>,
    known: Finds,
    story: Story,
    counting: Counting,
    /// The session that the conversation continues as, once all of it was told.
    newest: Option<SessionId>,
}

/// What the response will contain.
enum PendingResponse {
    Nothing,
    Login {
        token: String,
    },
    Logout,
    Me,
    Projects {
        query: String,
    },
    Project(String),
    NewProject(bodies::Project),
    /// A folder was queried: whether an agent may work there.
    Allowed(bodies::Project),
    ChangeProject(String, bodies::Project),
    AllowedChange(Project),
    /// A project that was kept, and the status of the response.
    KeptProject(u16, Project),
    DropProject(String),
    Dropped,
    Sessions(String),
    Usage(String),
    Limits(String),
    /// The same, once the sessions are counted.
    Counted(Box<PendingResponse>),
    /// A session of this project, to be started.
    NewSession(String, bodies::Session),
    Started(String, bodies::Session),
    Change,
    Session,
    Messages,
    /// The session to be forgotten.
    Gone(Deleting),
}

impl CccRequest {
    pub(super) fn new(session: Option<SessionId>, user: &str) -> Self {
        Self {
            session,
            user: user.to_owned(),
            wanted: PendingResponse::Nothing,
            looks: VecDeque::new(),
            known: Finds::default(),
            story: Story::default(),
            counting: Counting::default(),
            newest: None,
        }
    }

    fn query(&mut self, wanted: PendingResponse, query: Query, out: &mut Outbox) {
        self.wanted = wanted;
        out.queries.push((TAG, query));
    }

    fn wish(&mut self, wanted: PendingResponse, wish: Wish, out: &mut Outbox) {
        self.wanted = wanted;
        out.wishes.push((SECOND, wish));
    }

    /// Fetches folders, people's names for them, and the sessions in them.
    fn with_projects(&mut self, wanted: PendingResponse, out: &mut Outbox) {
        let sessions = Query::Sessions { after: None, limit: SESSIONS_MAX };
        self.looks = [Query::Kept(projects::PREFIX.to_owned()), sessions].into();
        self.query(wanted, Query::Folders, out);
    }

    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/").trim_end_matches('/').split('/').collect();
        let out = &mut *cx.out;
        let done = match (req.method, parts.as_slice()) {
            ("POST", ["auth", "login"]) => self.login(req, out),
            ("POST", ["auth", "register"]) => Err((403, quirks::NO_ACCOUNTS.to_owned())),
            ("POST", ["auth", "logout"]) => {
                self.query(PendingResponse::Logout, Query::Logout, out);
                Ok(())
            }
            ("GET", ["auth", "me"]) => {
                self.query(PendingResponse::Me, Query::Login { token: String::new() }, out);
                Ok(())
            }
            ("GET", ["health"]) => {
                let version = env!("CARGO_PKG_VERSION");
                shown(out, &json!({"status": "ok", "version": version, "timestamp": Rfc3339(cx.now)}))
            }
            ("GET", ["models"] | ["models", "recommended"]) => shown(out, &models::list()),
            ("GET" | "POST" | "PUT" | "DELETE", ["projects", ..]) => self.about_projects(req, &parts, out),
            ("GET" | "PUT" | "DELETE", ["sessions", ..]) => self.about_a_session(req, &parts, out),
            _ => not_here(req.method, &parts, out),
        };
        if let Err((status, why)) = done {
            rest::detail(cx.out, status, &why);
        }
    }

    fn about_projects(&mut self, req: &Req<'_>, parts: &[&str], out: &mut Outbox) -> Done {
        let id = || parts.get(1).copied().unwrap_or_default().to_owned();
        let wanted = match (req.method, &parts[1..]) {
            ("GET", []) => PendingResponse::Projects { query: req.query.to_owned() },
            ("POST", []) => PendingResponse::NewProject(bodies::Project::read(req.body).map_err(unreadable)?),
            ("GET", [_]) => PendingResponse::Project(id()),
            ("PUT", [_]) => PendingResponse::ChangeProject(id(), bodies::Project::read(req.body).map_err(unreadable)?),
            ("DELETE", [_]) => PendingResponse::DropProject(id()),
            ("GET", [_, "sessions"]) => PendingResponse::Sessions(id()),
            ("POST", [_, "sessions"]) => {
                PendingResponse::NewSession(id(), bodies::Session::read(req.body).map_err(unreadable)?)
            }
            ("GET", [_, "usage"]) => PendingResponse::Usage(id()),
            ("GET", [_, "cost-limit-check"]) => PendingResponse::Limits(id()),
            ("PUT", [_, "cost-limits"]) => {
                bodies::limits(req.body).map_err(unreadable)?;
                PendingResponse::Project(id())
            }
            ("DELETE", [_, "cost-limits"]) => PendingResponse::Project(id()),
            _ => return not_here(req.method, parts, out),
        };
        self.with_projects(wanted, out);
        Ok(())
    }

    fn about_a_session(&mut self, req: &Req<'_>, parts: &[&str], out: &mut Outbox) -> Done {
        let session = self.session.ok_or((404, "Session not found".to_owned()));
        match (req.method, parts) {
            ("GET", [_, _]) => self.story_of(session?, PendingResponse::Session, out),
            ("GET", [_, _, "messages"]) => self.story_of(session?, PendingResponse::Messages, out),
            ("PUT", [_, _]) => {
                let bodies::Session { name, model, .. } = bodies::Session::read(req.body).map_err(unreadable)?;
                let settings = Settings { title: name, model, ..Settings::default() };
                match settings == Settings::default() {
                    true => self.story_of(session?, PendingResponse::Session, out),
                    false => {
                        let change = Wish::Configure { session: session?, settings: Box::new(settings) };
                        self.wish(PendingResponse::Change, change, out);
                    }
                }
            }
            ("DELETE", [_, _]) => self.story_of(session?, PendingResponse::Gone(Deleting::Looking), out),
            _ => return not_here(req.method, parts, out),
        }
        Ok(())
    }

    /// A form, or the same as JSON; the password is a token of ours.
    fn login(&mut self, req: &Req<'_>, out: &mut Outbox) -> Done {
        let text = String::from_utf8_lossy(req.body);
        let from_json = || Some(bodies::read(req.body).ok()?["password"].as_str()?.to_owned());
        let token = rest::value(&text, "password").or_else(from_json).filter(|token| !token.is_empty());
        let token = token.ok_or((422, "`username` and `password` are needed".to_owned()))?;
        self.query(PendingResponse::Login { token: token.clone() }, Query::Login { token }, out);
        Ok(())
    }

    /// Follows the whole session; the response comes when all of it was told.
    fn story_of(&mut self, session: SessionId, wanted: PendingResponse, out: &mut Outbox) {
        self.wanted = wanted;
        out.watches.push(Watch::Chat { session, remembered: false });
    }

    fn granted(&mut self, receipt: Receipt, cx: &mut Cx<'_>) -> Done {
        self.learn(receipt.finds.map(|finds| *finds).unwrap_or_default());
        if let Some(query) = self.looks.pop_front() {
            cx.out.queries.push((TAG, query));
            return Ok(());
        }
        let out = &mut *cx.out;
        match std::mem::replace(&mut self.wanted, PendingResponse::Nothing) {
            PendingResponse::Login { token } => {
                let cookie = receipt.cookie.map(|cookie| quirks::cookies(&cookie, limits::LOGIN_COOKIE_LIFE));
                let body = json!({"access_token": token, "token_type": "bearer"});
                rest::json_with_cookies(out, cookie.into_iter().flatten(), &body);
            }
            PendingResponse::Logout => {
                rest::json_with_cookies(out, quirks::cookies("", Duration::ZERO), &json!({"message": "Logged out"}));
            }
            PendingResponse::Me => {
                let name = receipt.caller.map(|caller| caller.name).unwrap_or_default();
                rest::json(out, 200, &projects::me(&name));
            }
            PendingResponse::Projects { query } => {
                let list = projects::list(&self.known, &self.user, &query, cx.now).map_err(unreadable)?;
                rest::json(out, 200, &list);
            }
            PendingResponse::Project(id) => rest::json(out, 200, &self.project(&id)?.json(&self.known, cx.now)),
            PendingResponse::NewProject(body) => {
                if projects::is_full(&self.known, &self.user) {
                    return Err((409, "There are too many projects already; delete one first".to_owned()));
                }
                let folder = body.folder(self.known.folders.first().map(String::as_str)).map_err(unreadable)?;
                self.known.folders.clear();
                self.query(PendingResponse::Allowed(body), Query::Folder(folder), out);
            }
            PendingResponse::Allowed(body) => {
                let folder = self.known.folders.pop().unwrap_or_default();
                let project = Project::new(&self.user, &folder, body);
                let keep = project.keep();
                self.wish(PendingResponse::KeptProject(201, project), keep, out);
            }
            PendingResponse::ChangeProject(id, body) => {
                let project = self.project(&id)?.changed(body);
                let folder = project.folder.clone();
                self.query(PendingResponse::AllowedChange(project), Query::Folder(folder), out);
            }
            PendingResponse::AllowedChange(project) => {
                let keep = project.keep();
                self.wish(PendingResponse::KeptProject(200, project), keep, out);
            }
            PendingResponse::KeptProject(status, project) => {
                rest::json(out, status, &project.json(&self.known, cx.now))
            }
            PendingResponse::DropProject(id) => {
                let project = self.project(&id)?;
                if let Some(why) = projects::why_it_stays(&project, &self.known) {
                    return Err((409, why.to_owned()));
                }
                self.wish(PendingResponse::Dropped, project.forget(), out);
            }
            PendingResponse::Dropped => rest::json(out, 200, &json!({"message": "Project deleted"})),
            PendingResponse::NewSession(project, body) => {
                let folder = self.project(&project)?.folder;
                let start = starting::start(&folder, &body, cx.ids.fresh());
                self.wish(PendingResponse::Started(project, body), start, cx.out);
            }
            PendingResponse::Started(project, body) => {
                let session = Session::fresh(receipt.session.unwrap_or(SessionId(0)), &project, &self.user, cx.now);
                rest::json(cx.out, 201, &session.called(body.name.as_deref(), body.model.as_deref()));
            }
            PendingResponse::Change => match receipt.session {
                Some(session) => self.story_of(session, PendingResponse::Session, out),
                None => return Err((404, "Session not found".to_owned())),
            },
            PendingResponse::Counted(wanted) => self.counted(&wanted, cx),
            wanted @ (PendingResponse::Sessions(_) | PendingResponse::Usage(_) | PendingResponse::Limits(_)) => {
                self.count(wanted, cx)?
            }
            PendingResponse::Nothing
            | PendingResponse::Session
            | PendingResponse::Messages
            | PendingResponse::Gone(_) => {}
        }
        Ok(())
    }

    /// Responds that a session was deleted, or why it cannot be.
    fn deleted(&mut self, done: Option<Done>, out: &mut Outbox) {
        match done {
            Some(Ok(())) => rest::json(out, 200, &json!({"message": "Session deleted"})),
            Some(Err((status, why))) => rest::detail(out, status, &why),
            None => {}
        }
    }

    fn learn(&mut self, finds: Finds) {
        self.known.folders.extend(finds.folders);
        self.known.kept.extend(finds.kept);
        self.known.sessions.extend(finds.sessions);
        self.known.counts.extend(finds.counts);
    }

    fn project(&self, id: &str) -> Result<Project, (u16, String)> {
        let found =
            projects::all(&self.known, &self.user).into_iter().find(|project| project_of(&project.folder) == id);
        found.ok_or((404, "Project not found".to_owned()))
    }

    /// Fetches the statistics of a project's sessions. Its page requests the costs before each message, so old sessions
    /// are left out there.
    fn count(&mut self, wanted: PendingResponse, cx: &mut Cx<'_>) -> Done {
        let (PendingResponse::Sessions(id) | PendingResponse::Usage(id) | PendingResponse::Limits(id)) = &wanted else {
            return Ok(());
        };
        self.project(id)?;
        let since =
            if matches!(wanted, PendingResponse::Limits(_)) { projects::a_month_before(cx.now) } else { Timestamp(0) };
        let own = sessions::of_project(id, &self.known.sessions);
        let own = own.iter().filter(|line| line.last_at >= since).map(|line| line.id).collect();
        self.query(PendingResponse::Counted(Box::new(wanted)), Query::Counts(own), cx.out);
        Ok(())
    }

    fn counted(&self, wanted: &PendingResponse, cx: &mut Cx<'_>) {
        let body = match wanted {
            PendingResponse::Sessions(id) => sessions::list(id, &self.known.sessions, &self.known.counts, &self.user),
            PendingResponse::Usage(id) => projects::usage(id, &self.known, cx.now),
            PendingResponse::Limits(id) => projects::limits(id, &self.known, cx.now),
            _ => return,
        };
        rest::json(cx.out, 200, &body);
    }
}

fn shown(out: &mut Outbox, body: &Value) -> Done {
    rest::json(out, 200, body);
    Ok(())
}

fn unreadable(why: String) -> (u16, String) {
    (422, why)
}

fn not_here(method: &str, parts: &[&str], out: &mut Outbox) -> Done {
    match absent::answer(method, parts) {
        Some(Absent::Empty(nothing)) => shown(out, &nothing),
        Some(Absent::Refused(status, why)) => Err((status, why.to_owned())),
        None => Err((404, "Not Found".to_owned())),
    }
}

impl OneRequest for CccRequest {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        self.asked(req, cx);
    }

    fn happened(&mut self, happened: &Happened, cx: &mut Cx<'_>) {
        self.story.hear(happened);
        self.counting.hear(&happened.event, happened.at);
        if let (PendingResponse::Gone(deleting), Some(named)) = (&mut self.wanted, self.session) {
            deleting.hear(&happened.event, named, cx.out);
        }
    }

    fn caught_up(&mut self, session: SessionId, cx: &mut Cx<'_>) {
        if self.story.goes_on(cx.out) {
            return;
        }
        let named = self.session.unwrap_or(session);
        self.newest = Some(session);
        let tally = std::mem::take(&mut self.counting).tally();
        match &mut self.wanted {
            PendingResponse::Gone(deleting) => deleting.caught_up(named, self.story.is_running, cx.out),
            PendingResponse::Session => rest::json(cx.out, 200, &Session::told(named, &self.story, &tally, &self.user)),
            PendingResponse::Messages => rest::json(cx.out, 200, &sessions::messages(named, &self.story)),
            _ => {}
        }
    }

    fn replied(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        if let (PendingResponse::Gone(deleting), Some(newest)) = (&mut self.wanted, self.newest) {
            let done = deleting.replied(tag, reply, newest, cx);
            return self.deleted(done, cx.out);
        }
        let done = match (reply, &self.wanted) {
            (Ok(receipt), _) => self.granted(receipt, cx),
            (Err(Rejection::Unauthorized), PendingResponse::Login { .. }) => {
                Err((401, "Incorrect username or password".to_owned()))
            }
            (Err(why), _) => Err((why.status(), why.to_string())),
        };
        if let Err((status, why)) = done {
            rest::detail(cx.out, status, &why);
        }
    }

    fn waited(&mut self, cx: &mut Cx<'_>) {
        if let PendingResponse::Gone(deleting) = self.wanted {
            self.deleted(deleting.waited(), cx.out);
        }
    }
}
