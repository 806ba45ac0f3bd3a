//! The machine of one HTTP request: lists, histories and devices.

use askbridge_core::ids::{SessionId, Timestamp};

use super::devices::{self, Registration};
use super::histories;
use super::notify::{Notification, Sending};
use super::sessions::{self, Next};
use crate::one_request::OneRequest;
use crate::peer::{Cx, Outbox, Req, Tag};
use crate::rest;
use crate::story::Story;
use crate::tally::Counting;
use crate::told::Happened;
use crate::wish::{Finds, Query, Receipt, Rejection, Watch, Wish};

/// One request.
pub(super) struct PrimeRequest {
    /// The session in the address, if the caller may see it.
    session: Option<SessionId>,
    /// The caller's name.
    caller: String,
    wanted: PendingResponse,
    story: Story,
    counting: Counting,
}

/// What the response will contain.
enum PendingResponse {
    Nothing,
    Sessions(Box<sessions::Listing>),
    /// The same, once the messages are counted.
    Counts(Box<sessions::Listing>),
    Session,
    /// The messages that a chat begins with.
    Chat,
    Messages {
        roles: Vec<String>,
    },
    Summary,
    /// A device to keep, unless there are too many.
    Register(Registration, Timestamp),
    Registered,
    Devices {
        filter: Option<String>,
    },
    Notify(Notification),
    Sending(Sending),
}

const TAG: Tag = Tag(1);
const SECOND: Tag = Tag(2);

impl PrimeRequest {
    pub(super) fn new(session: Option<SessionId>, caller: &str) -> Self {
        Self {
            session,
            caller: caller.to_owned(),
            wanted: PendingResponse::Nothing,
            story: Story::default(),
            counting: Counting::default(),
        }
    }

    /// Fetches the devices first.
    fn with_devices(&mut self, wanted: PendingResponse, out: &mut Outbox) {
        self.wanted = wanted;
        out.queries.push((TAG, Query::Kept(devices::PREFIX.to_owned())));
    }

    fn asked(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        let parts: Vec<_> = req.path.trim_start_matches("/api/v1/").trim_end_matches('/').split('/').collect();
        match (req.method, parts.as_slice()) {
            ("POST", ["chat", "sessions"]) => sessions::placeholder(cx),
            ("GET", ["chat", "sessions", id, "messages"]) => self.story_of(id, PendingResponse::Chat, cx.out),
            ("GET", ["claude-sessions"]) => match sessions::Listing::read(req.query) {
                Ok(listing) => {
                    cx.out.queries.push((TAG, listing.query()));
                    self.wanted = PendingResponse::Sessions(Box::new(listing));
                }
                Err(why) => rest::detail(cx.out, 422, &why),
            },
            ("GET", ["claude-sessions", id]) => self.story_of(id, PendingResponse::Session, cx.out),
            ("GET", ["claude-sessions", id, "messages"]) => {
                // One parameter each, or several separated by commas.
                let roles = rest::values(req.query, "roles");
                let roles = roles.iter().flat_map(|roles| roles.split(',')).map(|role| role.trim().to_owned());
                let roles = roles.filter(|role| !role.is_empty()).collect();
                self.story_of(id, PendingResponse::Messages { roles }, cx.out);
            }
            ("GET", ["claude-sessions", id, "summary"]) => self.story_of(id, PendingResponse::Summary, cx.out),
            ("POST", ["devices", "register"]) => match Registration::read(req.body) {
                Ok(registration) => self.with_devices(PendingResponse::Register(registration, cx.now), cx.out),
                Err(why) => rest::detail(cx.out, 422, &why),
            },
            ("GET", ["devices"]) => {
                self.with_devices(PendingResponse::Devices { filter: rest::value(req.query, "device_filter") }, cx.out);
            }
            ("POST", ["notifications", "send"]) => match Notification::read(req.body) {
                Ok(notification) => self.with_devices(PendingResponse::Notify(notification), cx.out),
                Err(why) => rest::detail(cx.out, 422, &why),
            },
            _ => rest::detail(cx.out, 404, "Not Found"),
        }
    }

    /// Follows the whole session; the response comes when all of it was told.
    fn story_of(&mut self, id: &str, wanted: PendingResponse, out: &mut Outbox) {
        match self.session {
            Some(session) => {
                self.wanted = wanted;
                out.watches.push(Watch::Chat { session, remembered: false });
            }
            None if !histories::is_a_name(id) => {
                rest::detail(out, 400, "Invalid session ID: only letters, digits, hyphens, underscores and dots");
            }
            None => rest::detail(out, 404, &format!("Session {id} not found")),
        }
    }

    fn told_all(&mut self, session: SessionId, out: &mut Outbox) {
        let tally = std::mem::take(&mut self.counting).tally();
        let body = match &self.wanted {
            PendingResponse::Session => histories::whole(session, &self.story, &tally),
            PendingResponse::Chat => histories::chat(session, &self.story),
            PendingResponse::Messages { roles } => histories::messages(session, &self.story, roles),
            PendingResponse::Summary => histories::summary(session, &self.story, &tally),
            _ => return,
        };
        rest::json(out, 200, &body);
    }
}

impl OneRequest for PrimeRequest {
    fn requested(&mut self, req: &Req<'_>, cx: &mut Cx<'_>) {
        self.asked(req, cx);
    }

    fn happened(&mut self, happened: &Happened, _: &mut Cx<'_>) {
        self.story.hear(happened);
        self.counting.hear(&happened.event, happened.at);
    }

    fn caught_up(&mut self, session: SessionId, cx: &mut Cx<'_>) {
        if !self.story.goes_on(cx.out) {
            self.told_all(self.session.unwrap_or(session), cx.out);
        }
    }

    fn replied(&mut self, tag: Tag, reply: Result<Receipt, Rejection>, cx: &mut Cx<'_>) {
        if let PendingResponse::Sending(sending) = &mut self.wanted {
            sending.hear(tag, &reply, cx.out);
            return self.report(cx.out);
        }
        let finds = match reply {
            Ok(receipt) => receipt.finds.map(|finds| *finds).unwrap_or_default(),
            Err(why) => return rest::detail(cx.out, why.status(), &why.to_string()),
        };
        match std::mem::replace(&mut self.wanted, PendingResponse::Nothing) {
            PendingResponse::Sessions(listing) => self.list(listing, finds, cx.out),
            PendingResponse::Counts(listing) => rest::json(cx.out, 200, &listing.page(&finds.counts)),
            PendingResponse::Register(registration, now) => self.register(registration, now, &finds, cx.out),
            PendingResponse::Registered => rest::json(cx.out, 200, &devices::registered()),
            PendingResponse::Devices { filter } => {
                rest::json(cx.out, 200, &devices::list(&finds.kept, filter.as_deref()))
            }
            PendingResponse::Notify(notification) => {
                self.wanted = PendingResponse::Sending(Sending::begin(notification, &finds.kept, cx.out));
                self.report(cx.out);
            }
            wanted => self.wanted = wanted,
        }
    }
}

impl PrimeRequest {
    fn list(&mut self, mut listing: Box<sessions::Listing>, finds: Finds, out: &mut Outbox) {
        match listing.hear(finds) {
            Next::More => {
                out.queries.push((TAG, listing.query()));
                self.wanted = PendingResponse::Sessions(listing);
            }
            Next::Count(sessions) => {
                out.queries.push((SECOND, Query::Counts(sessions)));
                self.wanted = PendingResponse::Counts(listing);
            }
            Next::BadCursor => rest::json(out, 400, &sessions::bad_cursor()),
        }
    }

    fn register(&mut self, registration: Registration, now: Timestamp, finds: &Finds, out: &mut Outbox) {
        let known = devices::all(&finds.kept).find(|known| known.installation_id == registration.installation_id);
        if known.is_none() && finds.kept.len() >= devices::DEVICES_MAX {
            let why = format!("There are {} devices already; one has to go first", devices::DEVICES_MAX);
            return rest::detail(out, 409, &why);
        }
        match registration.of(&self.caller, known, now) {
            Ok(device) => {
                out.wishes.push((SECOND, Wish::Keep { name: device.kept_as(), thing: Some(device.thing()) }));
                self.wanted = PendingResponse::Registered;
            }
            Err(why) => rest::detail(out, 400, &why),
        }
    }

    /// Responds once every device has a result.
    fn report(&mut self, out: &mut Outbox) {
        let PendingResponse::Sending(sending) = &self.wanted else { return };
        if let Some(report) = sending.report() {
            rest::json(out, 200, &report);
            self.wanted = PendingResponse::Nothing;
        }
    }
}
