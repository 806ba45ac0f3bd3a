//! The machine of one request: lists, histories and devices.

use askbridge_core::ids::{SessionId, Timestamp};

use super::{devices, sessions};
use crate::peer::{Cx, Frame, Garbled, Outbox, Peer, Req, Tag};
use crate::rest;
use crate::story::Story;
use crate::told::Told;
use crate::uuid::read_session;
use crate::wish::{Query, Receipt, Rejection, Watch, Wish};

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
    Sessions(sessions::Listing),
    Session,
    Messages { roles: Option<String> },
    Summary,
    Registered(String),
    Devices { filter: Option<String> },
}

const TAG: Tag = Tag(1);

impl Asked {
    pub(super) fn new(session: Option<SessionId>) -> Self {
        Self { session, wanted: Wanted::Nothing, story: Story::default() }
    }

    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/v1/").trim_end_matches('/').split('/').collect();
        match (req.method, parts.as_slice()) {
            ("POST", ["chat", "sessions"]) => sessions::placeholder(cx),
            ("GET", ["chat", "sessions", id, "messages"]) => {
                self.story_of(id, Wanted::Messages { roles: None }, cx.out)
            }
            ("GET", ["claude-sessions"]) => match sessions::Listing::read(req.query) {
                Ok(listing) => {
                    cx.out.queries.push((TAG, listing.query()));
                    self.wanted = Wanted::Sessions(listing);
                }
                Err(why) => rest::detail(cx.out, 422, &why),
            },
            ("GET", ["claude-sessions", id]) => self.story_of(id, Wanted::Session, cx.out),
            ("GET", ["claude-sessions", id, "messages"]) => {
                let roles = rest::value(req.query, "roles");
                self.story_of(id, Wanted::Messages { roles }, cx.out);
            }
            ("GET", ["claude-sessions", id, "summary"]) => self.story_of(id, Wanted::Summary, cx.out),
            ("POST", ["devices", "register"]) => match devices::read(req.body, cx.now) {
                Ok((name, thing)) => {
                    self.wanted = Wanted::Registered(name.clone());
                    cx.out.wishes.push((TAG, Wish::Keep { name, thing: Some(thing) }));
                }
                Err(why) => rest::detail(cx.out, 422, &why),
            },
            ("GET", ["devices"]) => {
                self.wanted = Wanted::Devices { filter: rest::value(req.query, "device_filter") };
                cx.out.queries.push((TAG, Query::Kept(devices::PREFIX.to_owned())));
            }
            _ => rest::detail(cx.out, 404, "Not Found"),
        }
    }

    /// Listens to the whole session; the response comes when all of it was told.
    fn story_of(&mut self, id: &str, wanted: Wanted, out: &mut Outbox) {
        match self.session {
            Some(session) => {
                self.wanted = wanted;
                out.watches.push(Watch::Chat { session, remembered: false });
            }
            None if read_session(id).is_none() => rest::detail(out, 400, &format!("Invalid session ID: {id}")),
            None => rest::detail(out, 404, "Session not found"),
        }
    }

    fn told_all(&self, session: SessionId, out: &mut Outbox) {
        match &self.wanted {
            Wanted::Session => rest::json(out, 200, &sessions::one(session, &self.story)),
            Wanted::Messages { roles } => {
                rest::json(out, 200, &sessions::messages(session, &self.story, roles.as_deref()));
            }
            Wanted::Summary => rest::json(out, 200, &sessions::summary(session, &self.story)),
            _ => {}
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
            Told::CaughtUp { session, .. } => self.told_all(*session, cx.out),
            _ => {}
        }
    }

    fn reply(&mut self, _: Tag, ruling: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        let finds = match ruling {
            Ok(receipt) => receipt.finds.map(|finds| *finds).unwrap_or_default(),
            Err(rejection) => return self.refused(&rejection, cx.out),
        };
        match &self.wanted {
            Wanted::Sessions(listing) => rest::json(cx.out, 200, &listing.page(&finds)),
            Wanted::Registered(name) => rest::json(cx.out, 200, &devices::registered(name)),
            Wanted::Devices { filter } => rest::json(cx.out, 200, &devices::list(&finds.kept, filter.as_deref())),
            _ => {}
        }
    }

    fn wake(&mut self, _: &mut Cx<'_>) -> Option<Timestamp> {
        None
    }
}

impl Asked {
    fn refused(&self, rejection: &Rejection, out: &mut Outbox) {
        match &self.wanted {
            Wanted::Sessions(_) if rejection.status() == 422 => rest::json(out, 400, &sessions::bad_cursor()),
            _ => rest::detail(out, rejection.status(), &rejection.to_string()),
        }
    }
}
