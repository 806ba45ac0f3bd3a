//! The machine of one HTTP request: what a page fetches before it opens its socket.

use std::time::Duration;

use askbridge_core::event::Settings;
use askbridge_core::ids::{Position, Raw, SessionId};
use askbridge_core::limits;
use serde_json::{Map, Value, json};

use super::lists::ListBuilder;
use super::starting::{self, Beginning};
use super::{history, messages, quirks, summary};
use crate::one_request::OneRequest;
use crate::peer::{Cx, Outbox, Req, Tag};
use crate::rest;
use crate::story::Story;
use crate::told::Happened;
use crate::uuid;
use crate::wish::{Finds, Query, Receipt, Rejection, Watch, Wish};

const TAG: Tag = Tag(1);
const SECOND: Tag = Tag(2);
/// Tag of the news that a page begins to load a conversation.
const LOADS: Tag = Tag(3);
/// Tag of the news that it is sent the conversation.
const LOADED: Tag = Tag(4);
/// Messages in one response, unless a page wants fewer or more.
const MESSAGES_MAX: usize = 100;
/// Sessions that are read for the activity of a project.
const AT_WORK_MAX: usize = 200;

/// One request.
pub(super) struct GobbyRequest {
    session: Option<SessionId>,
    /// The caller's name, if known.
    caller: Option<String>,
    wanted: PendingResponse,
    story: Story,
    /// The position of the last event in the story.
    told_to: Option<Position>,
}

/// What the response will contain.
enum PendingResponse {
    Nothing,
    Login,
    Logout,
    /// The folders in which agents work: their names, or their activity as well.
    Folders,
    Projects,
    ProjectsAtWork(Vec<String>),
    /// A conversation to begin with this body, once its folder is known.
    NewChat(Value),
    Begun(Value),
    Settings,
    /// Changes to the settings.
    SettingsToBe(Map<String, Value>),
    /// The settings with those changes, and how many of them are not stored yet.
    SettingsKept(Value, usize),
    Sessions(ListBuilder),
    SessionsAbout(ListBuilder),
    Session,
    Summary,
    /// The response once a wish about a conversation is granted.
    Done(Value),
    Messages {
        after: u64,
        limit: usize,
        /// The page replaces everything that it shows by the response, so its socket is told.
        is_opening: bool,
    },
}

impl GobbyRequest {
    pub(super) fn new(session: Option<SessionId>, caller: Option<String>) -> Self {
        Self { session, caller, wanted: PendingResponse::Nothing, story: Story::default(), told_to: None }
    }

    fn query(&mut self, wanted: PendingResponse, query: Query, out: &mut Outbox) {
        self.wanted = wanted;
        out.queries.push((TAG, query));
    }

    fn asked(&mut self, req: &Req<'_>, out: &mut Outbox) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/").trim_end_matches('/').split('/').collect();
        match (req.method, parts.as_slice()) {
            ("GET", ["auth", "status"]) => {
                let is_known = self.caller.is_some();
                rest::json(out, 200, &json!({"auth_required": !is_known, "authenticated": is_known}));
            }
            ("POST", ["auth", "login"]) => {
                let body: Value = serde_json::from_slice(req.body).unwrap_or_default();
                let token = body["password"].as_str().unwrap_or_default().to_owned();
                self.query(PendingResponse::Login, Query::Login { token }, out);
            }
            ("POST", ["auth", "logout"]) => self.query(PendingResponse::Logout, Query::Logout, out),
            ("GET", ["files", "projects"]) => self.query(PendingResponse::Folders, Query::Folders, out),
            ("GET", ["projects"]) => self.query(PendingResponse::Projects, Query::Folders, out),
            ("POST", ["sessions", "web-chat"]) => {
                let body = serde_json::from_slice(req.body).unwrap_or_default();
                self.query(PendingResponse::NewChat(body), Query::Folders, out);
            }
            ("GET", ["sessions"]) => {
                let (listed, first) = ListBuilder::new(req.query);
                self.query(PendingResponse::Sessions(listed), first, out);
            }
            ("GET", ["sessions", _]) => self.story_of(PendingResponse::Session, out),
            ("POST", ["sessions", _, "generate-summary"]) => self.story_of(PendingResponse::Summary, out),
            ("POST", ["sessions", _, "rename"]) => self.rename(req, out),
            ("POST", ["sessions", id, "expire"]) => {
                let done = json!({"status": "expired", "session_id": id, "terminal_killed": false});
                let why = Some("expired in the web chat".to_owned());
                self.ask_for(done, |session| Wish::Close { session, why }, out);
            }
            ("DELETE", ["sessions", id]) => {
                let done = json!({"status": "deleted", "session_id": id});
                self.ask_for(done, |session| Wish::Forget { session }, out);
            }
            ("POST", ["chat", "attachments"]) => rest::detail(out, 415, quirks::NO_ATTACHMENTS),
            ("DELETE", ["chat", "attachments", _]) => rest::detail(out, 404, "Attachment not found"),
            ("GET", ["chat" | "sessions", _, "messages"]) => {
                let number = |name: &str| rest::value(req.query, name).and_then(|value| value.parse::<u64>().ok());
                let after = number("after_seq").unwrap_or_default();
                let limit = number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(MESSAGES_MAX);
                match self.session {
                    Some(session) => {
                        // A page sends this when it opens a conversation; for missed messages and previews it sends
                        // something else.
                        let is_opening = rest::value(req.query, "after_seq").as_deref() == Some("0");
                        let wanted = PendingResponse::Messages { after, limit, is_opening };
                        match is_opening {
                            // The history is read when its socket knows.
                            true => self.look(LOADS, session, None, wanted, out),
                            false => self.story_of(wanted, out),
                        }
                    }
                    None => rest::json(out, 200, &json!({"messages": [], "max_seq": 0})),
                }
            }
            ("GET", ["config", "ui-settings"]) => self.settings(PendingResponse::Settings, out),
            ("PUT", ["config", "ui-settings"]) => match serde_json::from_slice(req.body) {
                Ok(Value::Object(changes)) => self.settings(PendingResponse::SettingsToBe(changes), out),
                _ => rest::detail(out, 400, "Settings are an object"),
            },
            ("GET", _) => {
                let known = quirks::EMPTY.iter().find(|(path, _)| *path == req.path).map(|(_, body)| *body);
                let body = serde_json::from_str::<Value>(known.unwrap_or("{}")).unwrap_or_default();
                rest::json(out, 200, &body);
            }
            _ => rest::detail(out, 404, "Not Found"),
        }
    }

    /// The settings of a person's pages. One is which project is shown; without it a reloaded page opens a conversation
    /// of another project.
    fn settings(&mut self, wanted: PendingResponse, out: &mut Outbox) {
        match settings_name(self.caller.as_deref()) {
            Some(name) => self.query(wanted, Query::Kept(name), out),
            None => rest::json(out, 200, &json!({})),
        }
    }

    /// Keeps each changed setting by itself: a page sends several changes at once, in requests of their own.
    fn keep_settings(&mut self, mut settings: Map<String, Value>, changes: Map<String, Value>, out: &mut Outbox) {
        settings.extend(changes.clone());
        let settings = Value::Object(settings);
        match settings_name(self.caller.as_deref()) {
            Some(_) if changes.is_empty() => rest::json(out, 200, &settings),
            Some(name) if settings.to_string().len() <= limits::SHELF_BYTES_MAX => {
                self.wanted = PendingResponse::SettingsKept(settings, changes.len());
                let kept = changes.into_iter().map(|(key, thing)| Wish::Keep {
                    name: format!("{name}/{key}"),
                    thing: Some(Raw::from(thing.to_string())),
                });
                out.wishes.extend(kept.map(|wish| (SECOND, wish)));
            }
            _ => rest::detail(out, 413, "These settings are too large"),
        }
    }

    fn rename(&mut self, req: &Req<'_>, out: &mut Outbox) {
        let body: Value = serde_json::from_slice(req.body).unwrap_or_default();
        let title = body["title"].as_str().unwrap_or_default().trim();
        if title.is_empty() {
            return rest::detail(out, 400, "Title must not be empty");
        }
        if title.chars().count() > quirks::TITLE_CHARS_MAX {
            return rest::detail(out, 400, "Title must be 200 characters or fewer");
        }
        let settings = Box::new(Settings { title: Some(title.to_owned()), ..Settings::default() });
        let done = json!({"status": "success", "title": title});
        self.ask_for(done, |session| Wish::Configure { session, settings }, out);
    }

    /// Makes a wish about the conversation in the address.
    fn ask_for(&mut self, done: Value, wish: impl FnOnce(SessionId) -> Wish, out: &mut Outbox) {
        match self.session {
            Some(session) => {
                self.wanted = PendingResponse::Done(done);
                out.wishes.push((SECOND, wish(session)));
            }
            None => rest::detail(out, 404, "Session not found"),
        }
    }

    fn story_of(&mut self, wanted: PendingResponse, out: &mut Outbox) {
        match self.session {
            Some(session) => {
                self.wanted = wanted;
                out.watches.push(Watch::Chat { session, remembered: false });
            }
            None => rest::detail(out, 404, "Session not found"),
        }
    }

    fn respond(&self, after: u64, limit: usize, out: &mut Outbox) {
        rest::json(out, 200, &messages::messages(&self.story, after, limit));
    }

    /// Tells the page's socket that it loads a conversation, or how much of it the response contains.
    fn look(
        &mut self,
        tag: Tag,
        session: SessionId,
        loaded_to: Option<Position>,
        wanted: PendingResponse,
        out: &mut Outbox,
    ) {
        self.wanted = wanted;
        out.wishes.push((tag, Wish::Look { session: Some(session), screen: None, loaded_to }));
    }

    fn granted(&mut self, receipt: Receipt, cx: &mut Cx<'_>) {
        let finds = receipt.finds.map(|finds| *finds).unwrap_or_default();
        match std::mem::replace(&mut self.wanted, PendingResponse::Nothing) {
            PendingResponse::Login => {
                let cookie = receipt.cookie.map(|cookie| set_cookie(&cookie, limits::LOGIN_COOKIE_LIFE));
                rest::json_with_cookies(cx.out, cookie, &json!({"ok": true}));
            }
            PendingResponse::Logout => {
                rest::json_with_cookies(cx.out, [set_cookie("", Duration::ZERO)], &json!({"ok": true}));
            }
            PendingResponse::Folders => rest::json(cx.out, 200, &history::projects(&finds.folders)),
            PendingResponse::Projects => {
                let sessions = Query::Sessions { after: None, limit: AT_WORK_MAX };
                self.query(PendingResponse::ProjectsAtWork(finds.folders), sessions, cx.out);
            }
            PendingResponse::ProjectsAtWork(folders) => {
                rest::json(cx.out, 200, &history::projects_at_work(&folders, &finds.sessions));
            }
            PendingResponse::NewChat(body) => {
                let folder = history::folder_of(&finds.folders, body["project_id"].as_str());
                let beginning = Beginning {
                    title: body["title"].as_str(),
                    folder,
                    model: body["model"].as_str(),
                    mode: body["chat_mode"].as_str(),
                };
                let session = uuid::fresh_session(cx.ids.fresh());
                cx.out.wishes.push((SECOND, starting::start(session, &beginning)));
                self.wanted = PendingResponse::Begun(body);
            }
            PendingResponse::Begun(body) => {
                let Some(session) = receipt.session else { return };
                rest::json(cx.out, 200, &history::begun(session, &body, cx.now));
            }
            PendingResponse::Sessions(mut listed) => match listed.found(finds) {
                query @ Query::Summaries(_) => self.query(PendingResponse::SessionsAbout(listed), query, cx.out),
                query => self.query(PendingResponse::Sessions(listed), query, cx.out),
            },
            PendingResponse::SessionsAbout(listed) => rest::json(cx.out, 200, &listed.json(&finds.summaries)),
            PendingResponse::Settings => {
                rest::json(cx.out, 200, &kept_settings(&finds, self.caller.as_deref()));
            }
            PendingResponse::SettingsToBe(changes) => {
                self.keep_settings(kept_settings(&finds, self.caller.as_deref()), changes, cx.out);
            }
            PendingResponse::SettingsKept(settings, 1) => rest::json(cx.out, 200, &settings),
            PendingResponse::SettingsKept(settings, left) => {
                self.wanted = PendingResponse::SettingsKept(settings, left - 1);
            }
            PendingResponse::Done(done) => rest::json(cx.out, 200, &done),
            PendingResponse::Nothing
            | PendingResponse::Session
            | PendingResponse::Summary
            | PendingResponse::Messages { .. } => {}
        }
    }
}

/// The name under which a person's settings are kept. People's names have any length, and one may begin like another.
fn settings_name(caller: Option<&str>) -> Option<String> {
    caller.map(|caller| format!("{}{}", quirks::SETTINGS, uuid::of_text(caller)))
}

/// Earlier releases kept all settings as one; what was kept since counts before it.
fn kept_settings(finds: &Finds, caller: Option<&str>) -> Map<String, Value> {
    let name = settings_name(caller).unwrap_or_default();
    let read = |thing: &Raw| serde_json::from_str::<Value>(thing.as_str()).ok();
    let whole = finds.kept.iter().find(|(kept, _)| *kept == name).and_then(|(_, thing)| read(thing));
    let mut settings = whole.and_then(|whole| whole.as_object().cloned()).unwrap_or_default();
    for (kept, thing) in &finds.kept {
        let key = kept.strip_prefix(&name).and_then(|rest| rest.strip_prefix('/'));
        if let Some((key, thing)) = key.zip(read(thing)) {
            settings.insert(key.to_owned(), thing);
        }
    }
    settings
}

/// Has the browser keep a cookie for this long, or delete it.
fn set_cookie(cookie: &str, life: Duration) -> String {
    format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}", quirks::COOKIE, life.as_secs())
}

impl OneRequest for GobbyRequest {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        self.asked(req, cx.out);
    }

    fn happened(&mut self, happened: &Happened, _: &mut Cx<'_>) {
        self.told_to = Some(happened.position);
        self.story.hear(happened);
    }

    fn caught_up(&mut self, session: SessionId, cx: &mut Cx<'_>) {
        if self.story.goes_on(cx.out) {
            return;
        }
        match self.wanted {
            PendingResponse::Session => {
                let named = self.session.unwrap_or(session);
                rest::json(cx.out, 200, &history::session(named, &self.story));
            }
            PendingResponse::Summary => rest::json(cx.out, 200, &summary::json(&self.story)),
            PendingResponse::Messages { after, limit, is_opening: true } => {
                let wanted = PendingResponse::Messages { after, limit, is_opening: false };
                self.look(LOADED, session, self.told_to, wanted, cx.out);
            }
            PendingResponse::Messages { after, limit, is_opening: false } => self.respond(after, limit, cx.out),
            _ => {}
        }
    }

    fn replied(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let wanted = std::mem::replace(&mut self.wanted, PendingResponse::Nothing);
        match (tag, wanted) {
            // It is only news for the page's socket, so a refusal changes nothing.
            (LOADS, wanted) => return self.story_of(wanted, cx.out),
            (LOADED, PendingResponse::Messages { after, limit, .. }) => return self.respond(after, limit, cx.out),
            (_, wanted) => self.wanted = wanted,
        }
        match (reply, &self.wanted) {
            (Ok(receipt), _) => self.granted(receipt, cx),
            (Err(Rejection::Unauthorized), PendingResponse::Login) => {
                rest::json(cx.out, 401, &json!({"ok": false, "error": "Invalid username or password"}));
            }
            (Err(why), _) => rest::detail(cx.out, why.status(), &why.to_string()),
        }
    }
}
