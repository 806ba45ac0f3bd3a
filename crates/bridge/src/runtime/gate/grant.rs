//! The one function that grants a wish, and the one that checks what a wish or a right needs.

use std::fmt;

use askbridge_core::ids::SessionId;
use askbridge_core::refusal::Refusal;
use askbridge_peers::doors::http;
use askbridge_peers::listing::hosted_door;
use askbridge_peers::wish::{AskWish, OutboundCall, Receipt, Rejection, Wish};

use super::entrance::Entrance;
use super::needs::{Needs, needs};
use super::roles::Action;
use super::seen::sees;
use super::services::Services;
use crate::auth::Caller;
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
        if !self.handle.nodes.is_alone() {
            Box::pin(self.know(&wish)).await;
        }
        self.check(caller, entrance, &wish)?;
        let wish = match wish {
            Wish::Call(call) => return Box::pin(self.call(*call)).await,
            Wish::Keep { .. } => return Box::pin(self.keep(caller, entrance, wish)).await,
            wish @ (Wish::Start { .. } | Wish::Configure { .. }) => Box::pin(self.prepared(caller, wish)).await?,
            wish => wish,
        };
        self.handle.carry_out(caller, &entrance, wish).await
    }

    /// Grants what an agent's end says of a delivery, without waiting until it is stored: see [`Handle::note`].
    pub(crate) fn note(&self, caller: &Caller, entrance: Entrance, wish: Wish) -> Result<Receipt, Rejection> {
        self.check(caller, entrance, &wish)?;
        self.handle.note_wish(&entrance, wish)
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

    /// Makes sure that what another node has just stored is known here.
    async fn know(&self, wish: &Wish) {
        match needs(wish) {
            Needs::Session(_, session) => self.handle.know(session).await,
            Needs::Ask(_, ask) => self.handle.know(ask.session).await,
            _ => {}
        }
    }

    /// May this caller wish this, by this entrance, at this rate?
    fn check(&self, caller: &Caller, entrance: Entrance, wish: &Wish) -> Result<(), Rejection> {
        if entrance.paces_each_wish() {
            self.services()?.pace(caller)?;
        }
        if matches!(wish, Wish::Ask(_)) && caller.machine().is_some() {
            self.services()?.pace_ask(caller)?;
        }
        self.handle.meets(caller, needs(wish))?;
        match wish {
            Wish::ReportSettings { session, .. } if !entrance.is_the_agent_of(*session) => {
                let why = "how an agent is set is reported by what runs it, and by nothing else";
                Err(Rejection::Forbidden(why.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Checks what only the part that runs agents knows, and completes the wish.
    async fn prepared(&self, caller: &Caller, mut wish: Wish) -> Result<Wish, Rejection> {
        match &mut wish {
            Wish::Start { door, settings, host, .. } => {
                if let Some(door) = hosted_door(door) {
                    self.services()?.prepare(door, settings, host).await?;
                    self.may_start_on(caller, host.as_deref())?;
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

    /// A caller that may run programs on this machine may start an agent here. On another machine only a person may, with a
    /// device: the token file here is read by every agent here.
    fn may_start_on(&self, caller: &Caller, host: Option<&str>) -> Result<(), Rejection> {
        let here = self.handle.nodes.here().to_string();
        let is_elsewhere = host.is_some_and(|host| host != here);
        if is_elsewhere && Caller::is_of_this_machine(&caller.party) {
            let why = "an agent on another machine is started by a person, with a paired device";
            return Err(Rejection::Forbidden(why.to_owned()));
        }
        Ok(())
    }

    /// Stores an item of a language's own, and tells the part that may have a use for it.
    async fn keep(&self, caller: &Caller, entrance: Entrance, wish: Wish) -> Result<Receipt, Rejection> {
        let name = if let Wish::Keep { name, .. } = &wish { name.clone() } else { String::new() };
        let receipt = self.handle.carry_out(caller, &entrance, wish).await?;
        if let Some(services) = self.services {
            services.kept(entrance.via, &name).await;
        }
        Ok(receipt)
    }

    /// Makes a call, if its reader may know what it says. The address is never logged: it may be a secret.
    async fn call(&self, call: OutboundCall) -> Result<Receipt, Rejection> {
        let services = self.services()?;
        // The reader's tokens may have been revoked.
        if services.readers(&call.reader).is_empty() {
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
    /// Checks what a wish or a right needs. What the caller may not see is unknown to them.
    pub(super) fn meets(&self, caller: &Caller, needs: Needs<'_>) -> Result<(), Rejection> {
        match needs {
            Needs::Known => Ok(()),
            Needs::Caller(action) => caller.may(action, None),
            Needs::Session(action, session) => self.may_in(caller, action, session, Refusal::UnknownSession(session)),
            Needs::Ask(action, ask) => self.may_in(caller, action, ask.session, Refusal::UnknownAsk(ask)),
            Needs::Device(device) => {
                caller.may(Action::Decide, None)?;
                let why = || Rejection::Forbidden("this is another person's device".to_owned());
                caller.owns_device(device).then_some(()).ok_or_else(why)
            }
            Needs::ChannelOf(person) => {
                caller.may(Action::KeepChannels, None)?;
                let why = "a channel of another person is added by that person, or on this machine";
                let theirs = caller.keeps_channels_of(person).then_some(());
                theirs.ok_or_else(|| Rejection::Forbidden(why.to_owned()))
            }
        }
    }

    fn may_in(&self, caller: &Caller, action: Action, session: SessionId, unknown: Refusal) -> Result<(), Rejection> {
        match self.access(session) {
            Some(access) if sees(caller, Some(&access)) => caller.may(action, Some(&access)),
            _ => Err(unknown.into()),
        }
    }
}
