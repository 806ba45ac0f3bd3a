//! The one function that grants a wish.

use std::fmt;

use askbridge_core::ids::{AskId, SessionId};
use askbridge_core::refusal::Refusal;
use askbridge_peers::doors::http;
use askbridge_peers::listing::hosted_door;
use askbridge_peers::wish::{AskWish, OutboundCall, Receipt, Rejection, Wish};

use super::entrance::Entrance;
use super::needs::{Needs, needs};
use super::services::Services;
use crate::auth::{Action, Caller};
use crate::runtime::{CreatedAsk, Handle, Listen};

/// The runtime and the server's services, borrowed for as long as a wish is granted.
#[derive(Clone, Copy)]
pub(crate) struct Gate<'a> {
    handle: &'a Handle,
    /// `None` for agents that we run: they start no others, make no calls, and have no rate limit.
    services: Option<&'a dyn Services>,
}

impl fmt::Debug for Gate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").finish_non_exhaustive()
    }
}

impl<'a> Gate<'a> {
    pub(crate) fn new(handle: &'a Handle, services: &'a dyn Services) -> Self {
        Self { handle, services: Some(services) }
    }

    /// The gate for an agent that we run.
    pub(crate) fn for_a_host(handle: &'a Handle) -> Self {
        Self { handle, services: None }
    }

    /// Grants a wish, durably, or says why not.
    ///
    /// The frequent wishes are inlined; the rest are boxed, so that their futures do not enlarge this one.
    pub(crate) async fn grant(&self, caller: &Caller, entrance: Entrance, wish: Wish) -> Result<Receipt, Rejection> {
        self.check(caller, entrance, &wish)?;
        let wish = match wish {
            Wish::Call(call) => return Box::pin(self.call(*call)).await,
            wish @ (Wish::Start { .. } | Wish::Configure { .. }) => Box::pin(self.prepared(wish)).await?,
            wish => wish,
        };
        self.handle.carry_out(caller, &entrance, wish).await
    }

    /// Grants an ask to a caller that is shown it, and may wait for its end: see [`Handle::ask_shown`].
    pub(crate) async fn ask_shown(
        &self,
        caller: &Caller,
        entrance: Entrance,
        wish: Box<AskWish>,
        listen: Listen,
    ) -> Result<(Receipt, Option<CreatedAsk>), Rejection> {
        let wish = Wish::Ask(wish);
        self.check(caller, entrance, &wish)?;
        let Wish::Ask(wish) = wish else { unreachable!("it was made above") };
        self.handle.ask_shown(caller, &entrance, wish, listen).await
    }

    /// May this caller wish this, by this entrance, at this rate?
    fn check(&self, caller: &Caller, entrance: Entrance, wish: &Wish) -> Result<(), Rejection> {
        if entrance.paces_each_wish() {
            self.services()?.pace(caller)?;
        }
        if matches!(wish, Wish::Ask(_)) && caller.machine().is_some() {
            self.services()?.pace_ask(caller)?;
        }
        match needs(wish) {
            Needs::Known => Ok(()),
            Needs::Caller(action) => caller.may(action, None),
            Needs::Session(action, session) => {
                self.handle.guarded(caller, action, session)?;
                if action == Action::ReportSettings && !entrance.is_the_agent_of(session) {
                    let why = "how an agent is set is reported by what runs it, and by nothing else";
                    return Err(Rejection::Forbidden(why.to_owned()));
                }
                Ok(())
            }
            Needs::Ask(action, ask) => self.handle.guard_ask(caller, action, ask),
        }
    }

    /// Checks what only the part that runs agents knows, and completes the wish.
    async fn prepared(&self, mut wish: Wish) -> Result<Wish, Rejection> {
        match &mut wish {
            Wish::Start { door, settings, host, .. } => {
                if let Some(door) = hosted_door(door) {
                    self.services()?.prepare(door, settings, host).await?;
                }
            }
            Wish::Configure { session, settings } => {
                if let Some(mode) = &settings.mode {
                    let started = self.handle.newest(*session).await?.started;
                    let door = started.as_ref().map_or(http::NAME, |started| &started.door);
                    self.services()?.check_mode(door, mode)?;
                }
                if let Some(folder) = &mut settings.folder {
                    let started = self.handle.newest(*session).await?.started;
                    let host = started.and_then(|started| self.handle.nodes.host_of(&started));
                    *folder = self.services()?.allow(folder, host)?;
                }
            }
            _ => {}
        }
        Ok(wish)
    }

    /// Makes a call, if its reader may know what it says. The address is never logged: it may be a secret.
    async fn call(&self, call: OutboundCall) -> Result<Receipt, Rejection> {
        let services = self.services()?;
        // The reader's tokens may have been revoked, or the session may be addressed to others.
        let may_read = services
            .readers(&call.reader)
            .iter()
            .any(|person| call.about.is_none_or(|session| self.handle.guarded(person, Action::See, session).is_ok()));
        if !may_read {
            return Err(Rejection::Forbidden("no person who may read this has that device any more".to_owned()));
        }
        let called = services.post(&call).await?;
        Ok(Receipt { called: Some(Box::new(called)), ..Receipt::default() })
    }

    fn services(&self) -> Result<&'a dyn Services, Rejection> {
        self.services.ok_or_else(|| Rejection::Down("an agent that runs here has no use for this".to_owned()))
    }
}

impl Handle {
    /// Checks whether a caller may do something to a session. One that they may not see is an unknown session.
    pub(crate) fn guarded(&self, caller: &Caller, action: Action, session: SessionId) -> Result<(), Rejection> {
        let access = self.access(session).ok_or(Refusal::UnknownSession(session))?;
        caller.may(Action::See, Some(&access)).map_err(|_| Refusal::UnknownSession(session))?;
        caller.may(action, Some(&access))
    }

    /// The same about an ask. One in a session that the caller may not see is an unknown ask.
    pub(crate) fn guard_ask(&self, caller: &Caller, action: Action, ask: AskId) -> Result<(), Rejection> {
        let access = self.access(ask.session).ok_or(Refusal::UnknownAsk(ask))?;
        if caller.may(Action::See, Some(&access)).is_err() {
            return Err(Rejection::Refused(Refusal::UnknownAsk(ask)));
        }
        caller.may(action, Some(&access))
    }
}
