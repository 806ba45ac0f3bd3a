//! Sessions to try wishes on, in a real bridge on a store in memory.

use askbridge_core::ask::{Approval, Asker, Body, Context, Reach};
use askbridge_core::event::{Audience, Settings};
use askbridge_core::ids::{AskId, MessageId, PartyId, PersonId, Raw, SessionId, StableNodeId, Timestamp};
use askbridge_core::intent::{Intent, NewAsk, Start};
use askbridge_core::terms::{Facts, Rules, Wishes, terms};
use askbridge_journal::Memory;
use askbridge_peers::doors::http;
use askbridge_peers::wish::{Called, OutboundCall, Rejection};
use futures_util::future::BoxFuture;

use crate::auth::{Caller, Tokens};
use crate::chance::Chance;
use crate::clock::{Clock, Manual};
use crate::runtime::{Bridge, Gate, Options, Services, Store};
use crate::server::{App, AppOptions, Origins};

/// The person whose devices are in the table.
pub(super) const ADA: &str = "ada";

pub(super) const WHOSE: [Whose; 5] = [Whose::Own, Whose::Anothers, Whose::Private, Whose::Tap, Whose::Unknown];

/// Whose session a wish is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whose {
    Own,
    Anothers,
    Private,
    Tap,
    Unknown,
}

impl Whose {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Anothers => "another",
            Self::Private => "private",
            Self::Tap => "tap",
            Self::Unknown => "unknown",
        }
    }
}

/// A session with an open ask and a message that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetSession {
    pub(super) session: SessionId,
    pub(super) ask: AskId,
    pub(super) message: MessageId,
}

impl TargetSession {
    fn at(session: SessionId) -> Self {
        Self { session, ask: AskId { session, number: 1 }, message: MessageId { session, number: 1 } }
    }

    pub(super) fn unknown(number: u128) -> Self {
        Self::at(SessionId(number))
    }

    /// Another session than this one.
    pub(super) fn elsewhere(&self) -> SessionId {
        SessionId(self.session.0.wrapping_add(1))
    }
}

pub(super) struct House {
    bridge: Bridge,
    pub(super) app: App,
    chance: Chance,
}

impl House {
    pub(super) async fn open() -> Self {
        let store = Store::from(Memory::new(7).unwrap());
        let (chance, clock) = (Chance::seeded(7), Clock::Manual(Manual::new(Timestamp(1_800_000_000_000))));
        let rules = Rules::default();
        let options =
            Options { store: store.clone(), stable_node: StableNodeId(7), clock, chance: chance.clone(), rules };
        let bridge = Bridge::start(options).await;
        let tokens = Tokens::load(store, chance.clone(), bridge.handle.now()).await.unwrap();
        let app = App::new(AppOptions {
            handle: bridge.handle.clone(),
            tokens,
            origins: Origins::default(),
            requests_per_second: u32::MAX / 2,
            failures_per_minute: 100,
            version: "test",
        });
        Self { bridge, app, chance }
    }

    /// The real gate, in front of a server that could run agents and make calls.
    pub(super) fn gate(&self) -> Gate<'_> {
        Gate::new(&self.app.handle, self)
    }

    pub(super) async fn close(self) {
        drop(self.app);
        self.bridge.stop().await;
    }

    pub(super) async fn target(&self, whose: Whose, caller: &Caller) -> TargetSession {
        let target = TargetSession::at(SessionId(self.chance.u128()));
        let (owner, audience) = match whose {
            Whose::Own => (caller.party.clone(), Audience::Everyone),
            Whose::Anothers => (PartyId::from("tok_another"), Audience::Everyone),
            Whose::Private => (PartyId::from("tok_another"), Audience::Only(vec![PersonId::from("bob")])),
            Whose::Tap => (PartyId::from(Caller::OURSELVES), Audience::Only(vec![PersonId::from(ADA)])),
            Whose::Unknown => return target,
        };
        let start = Start {
            door: http::NAME.to_owned(),
            agent: "ci".to_owned(),
            owner: owner.clone(),
            audience,
            settings: Settings::default(),
            continues: None,
            host: None,
        };
        let say = Intent::Say { text: "Go on".to_owned(), by: None, about: None, client_id: None };
        let intents = vec![Intent::Start(Box::new(start)), Intent::Ask(Box::new(self.ask(owner))), say];
        self.app.handle.submit(target.session, intents).await.unwrap();
        target
    }

    fn ask(&self, party: PartyId) -> NewAsk {
        let none = Wishes::default();
        let facts = Facts {
            at: self.app.handle.now(),
            door: http::NAME,
            agent: "ci",
            folder: None,
            headline: "",
            header: None,
            wishes: [&none, &none, &none, &none],
        };
        let approval = Approval {
            tool: "Bash".to_owned(),
            input: Raw::from(r#"{"command":"make"}"#),
            summary: None,
            reason: None,
            rules: Vec::new(),
            overrule: false,
        };
        NewAsk {
            body: Body::Approval(approval),
            terms: terms(&Rules::default(), &facts),
            reach: Reach::Resumable,
            asker: Asker { door: http::NAME.to_owned(), agent: "ci".to_owned(), party, machine: None },
            call: None,
            made: None,
            context: Context::default(),
            key: None,
            stated: None,
            original: None,
            ruling: None,
        }
    }
}

/// The server's own services, except for what is outside: an agent's program, and another machine.
impl Services for House {
    fn pace(&self, caller: &Caller) -> Result<(), Rejection> {
        self.app.pace(caller)
    }

    fn pace_ask(&self, caller: &Caller) -> Result<(), Rejection> {
        self.app.pace_ask(caller)
    }

    fn prepare<'a>(
        &'a self,
        _: &'a str,
        _: &'a mut Settings,
        _: &'a mut Option<String>,
    ) -> BoxFuture<'a, Result<(), Rejection>> {
        Box::pin(async { Ok(()) })
    }

    fn allow(&self, folder: &str, _: Option<StableNodeId>) -> Result<String, Rejection> {
        Ok(folder.to_owned())
    }

    fn check_mode(&self, door: &str, mode: &str) -> Result<(), Rejection> {
        self.app.check_mode(door, mode)
    }

    fn readers(&self, name: &str) -> Vec<Caller> {
        self.app.readers(name)
    }

    fn kept<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn post<'a>(&'a self, _: &'a OutboundCall) -> BoxFuture<'a, Result<Called, Rejection>> {
        Box::pin(async { Ok(Called { status: 200, body: String::new() }) })
    }
}
