//! The machine of one request: logins, projects, sessions and histories.

use askbridge_core::event::Settings;
use askbridge_core::ids::{Raw, SessionId, Timestamp};
use serde_json::{Value, json};

use super::projects::{self, project_of};
use super::{quirks, wishes};
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Req, Tag};
use crate::rest;
use crate::story::Story;
use crate::told::Told;
use crate::uuid;
use crate::wish::{Finds, HOSTED_DOOR, Query, Receipt, Rejection, Watch, Wish};

/// Sessions in one list. Beyond: the oldest are left out.
const SESSIONS_MAX: usize = 500;
const TAG: Tag = Tag(1);
const SECOND: Tag = Tag(2);

/// One request.
pub(super) struct Asked {
    /// The session that the address names, if the caller may see it.
    session: Option<SessionId>,
    wanted: Wanted,
    story: Story,
}

/// What the response will be made of.
enum Wanted {
    Nothing,
    Login {
        token: String,
    },
    Me,
    Projects,
    Project(String),
    Sessions(String),
    /// A session of this project, to be started with what the body says.
    NewSession {
        project: String,
        body: Value,
    },
    /// The folder that it was started in, and what it is called.
    Started {
        project: String,
        name: String,
    },
    Session,
    Messages,
    /// The session is to be forgotten.
    Gone,
}

impl Asked {
    pub(super) fn new(session: Option<SessionId>) -> Self {
        Self { session, wanted: Wanted::Nothing, story: Story::default() }
    }

    fn query(&mut self, wanted: Wanted, query: Query, out: &mut Outbox) {
        self.wanted = wanted;
        out.queries.push((TAG, query));
    }

    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/").trim_end_matches('/').split('/').collect();
        let out = &mut *cx.out;
        match (req.method, parts.as_slice()) {
            ("POST", ["auth", "login"]) => self.login(req, out),
            ("POST", ["auth", "register"]) => {
                rest::detail(out, 403, "Accounts are made with `askbridge pair`; log in with the token that it prints");
            }
            ("POST", ["auth", "logout"]) => rest::json(out, 200, &json!({"message": "Logged out"})),
            ("GET", ["auth", "me"]) => self.query(Wanted::Me, Query::Login { token: String::new() }, out),
            ("GET", ["projects"]) => self.query(Wanted::Projects, Query::Folders, out),
            ("GET", ["projects", id]) => self.query(Wanted::Project((*id).to_owned()), Query::Folders, out),
            ("GET", ["projects", id, "sessions"]) => {
                let query = Query::Sessions { after: None, limit: SESSIONS_MAX };
                self.query(Wanted::Sessions((*id).to_owned()), query, out);
            }
            ("POST", ["projects", id, "sessions"]) => {
                let body = serde_json::from_slice(req.body).unwrap_or_default();
                self.query(Wanted::NewSession { project: (*id).to_owned(), body }, Query::Folders, out);
            }
            ("GET", ["projects", _, "cost-limit-check"]) => rest::json(out, 200, &projects::no_limits()),
            ("GET", ["sessions", _]) => self.story_of(Wanted::Session, out),
            ("DELETE", ["sessions", _]) => match self.session {
                Some(session) => {
                    self.wanted = Wanted::Gone;
                    out.wishes.push((TAG, Wish::Forget { session }));
                }
                None => rest::detail(out, 404, "Session not found"),
            },
            ("GET", ["sessions", _, "messages"]) => self.story_of(Wanted::Messages, out),
            ("GET", ["models", "recommended"]) => rest::json(out, 200, &json!({"models": []})),
            _ => rest::detail(out, 404, "Not Found"),
        }
    }

    /// A form, or JSON of the same; the password is a token of ours.
    fn login(&mut self, req: &Req<'_>, out: &mut Outbox) {
        let text = String::from_utf8_lossy(req.body);
        let from_json = || Some(serde_json::from_str::<Value>(&text).ok()?["password"].as_str()?.to_owned());
        match rest::value(&text, "password").or_else(from_json).filter(|token| !token.is_empty()) {
            Some(token) => self.query(Wanted::Login { token: token.clone() }, Query::Login { token }, out),
            None => rest::detail(out, 422, "`username` and `password` are needed"),
        }
    }

    /// Listens to the whole session; the response comes when all of it was told.
    fn story_of(&mut self, wanted: Wanted, out: &mut Outbox) {
        match self.session {
            Some(session) => {
                self.wanted = wanted;
                out.watches.push(Watch::Chat { session, remembered: false });
            }
            None => rest::detail(out, 404, "Session not found"),
        }
    }

    fn start(&mut self, project: String, body: &Value, finds: &Finds, cx: &mut Cx<'_>) {
        let Some(folder) = finds.folders.iter().find(|folder| project_of(folder) == project) else {
            return rest::detail(cx.out, 404, "Project not found");
        };
        let name = body["name"].as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned);
        let mut more = json!({"allowed_tools": quirks::ALLOWED_TOOLS, "setting_sources": ["project"]});
        // Where nobody will be there to answer, the agent is not offered to ask; it is never answered for.
        if body["is_interactive"] == false {
            more["interactive"] = Value::Bool(false);
        }
        let settings = Settings {
            title: name.clone(),
            folder: Some(folder.clone()),
            model: body["model"].as_str().map(str::to_owned),
            mode: Some("acceptEdits".to_owned()),
            wishes: wishes(),
            more: Some(Raw::from(more.to_string())),
            ..Settings::default()
        };
        self.wanted = Wanted::Started { project, name: name.unwrap_or_default() };
        let session = Some(uuid::fresh_session(cx.ids.fresh()));
        let agent = HOSTED_DOOR.to_owned();
        let start = Wish::Start { session, door: HOSTED_DOOR, agent, settings: Box::new(settings) };
        cx.out.wishes.push((SECOND, start));
    }

    fn granted(&mut self, receipt: Receipt, cx: &mut Cx<'_>) {
        let finds = receipt.finds.as_deref().cloned().unwrap_or_default();
        match std::mem::replace(&mut self.wanted, Wanted::Nothing) {
            Wanted::Login { token } => {
                rest::json(cx.out, 200, &json!({"access_token": token, "token_type": "bearer"}));
            }
            Wanted::Me => {
                let name = receipt.caller.map(|caller| caller.name).unwrap_or_default();
                rest::json(cx.out, 200, &projects::me(&name));
            }
            Wanted::Projects => rest::json(cx.out, 200, &projects::all(&finds.folders)),
            Wanted::Project(id) => match finds.folders.iter().find(|folder| project_of(folder) == id) {
                Some(folder) => rest::json(cx.out, 200, &projects::one(folder)),
                None => rest::detail(cx.out, 404, "Project not found"),
            },
            Wanted::Sessions(project) => rest::json(cx.out, 200, &projects::sessions(&project, &finds.sessions)),
            Wanted::NewSession { project, body } => self.start(project, &body, &finds, cx),
            Wanted::Started { project, name } => {
                let session = receipt.session.map(uuid::of_session).unwrap_or_default();
                rest::json(cx.out, 201, &projects::session(&session, &project, &name, cx.now, cx.now, false));
            }
            Wanted::Gone => rest::json(cx.out, 200, &json!({"message": "Session deleted"})),
            Wanted::Nothing | Wanted::Session | Wanted::Messages => {}
        }
    }
}

impl Peer for Asked {
    fn hear(&mut self, frame: Frame<'_>, cx: &mut Cx<'_>) -> Result<(), Garbled> {
        if let Frame::Request(req) = frame {
            self.asked(&req, cx);
        }
        Ok(())
    }

    fn tell(&mut self, told: &Told<'_>, cx: &mut Cx<'_>) {
        match told {
            Told::Event(happened) => self.story.hear(happened),
            Told::CaughtUp { .. } if self.story.goes_on(cx.out) => {}
            Told::CaughtUp { session, .. } => {
                let named = self.session.unwrap_or(*session);
                match self.wanted {
                    Wanted::Session => rest::json(cx.out, 200, &projects::shown(named, &self.story)),
                    Wanted::Messages => rest::json(cx.out, 200, &projects::messages(named, &self.story)),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn reply(&mut self, _: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        match (ruling, &self.wanted) {
            (Ok(receipt), _) => self.granted(receipt, cx),
            (Err(Rejection::Unauthorized), Wanted::Login { .. }) => {
                rest::detail(cx.out, 401, "Incorrect username or password");
            }
            (Err(why), _) => rest::detail(cx.out, why.status(), &why.to_string()),
        }
    }

    fn wake(&mut self, _: &mut Cx<'_>) -> Option<Timestamp> {
        None
    }
}
