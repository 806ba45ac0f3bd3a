//! What each role may do: the table behind every right, private to the gate.

use askbridge_core::event::Audience;
use askbridge_peers::wish::Rejection;

use crate::auth::{Access, Caller, Role, TokenInfo, TokenRole};

/// What the gate asks a role about. Several wishes and rights may need the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Ask,
    See,
    /// Answer: as a person, or as a program under its own name.
    Answer,
    /// Everything else that a person decides about an ask: dismiss it, undo, extend, draft.
    Decide,
    /// Hide an ask from one's own inbox for a while. Never granted to an agent, which could hide what it asks.
    Snooze,
    /// Take an ask back.
    Withdraw,
    /// Say what became of an ask or a message on the agent's side: handed over, delivered, overtaken, parked, stranded.
    Report,
    /// Say how an agent is set. Besides this right, only the bridge's own end of that agent may do it.
    ReportSettings,
    /// End a session.
    Close,
    /// Change what does not widen an agent's rights: a title, a branch, a model.
    Configure,
    /// Say something to an agent, interrupt it.
    Talk,
    /// Remove a conversation for good.
    Forget,
    StartSession,
    /// Run an agent on this machine: that is code execution.
    RunAgent,
    /// Say what an agent may do without asking: its mode, its terms, its folder. Never granted to an agent, least of
    /// all to the one in question.
    Loosen,
    /// Make a rule of a decision. Only for a paired operator's device, or a terminal.
    Remember,
    /// See the folders that agents may work in.
    BrowseFolders,
    /// Store a small item that the clients of a dialect share.
    Keep,
    /// Add and remove the ways in which a person is reached, and see what was rung.
    KeepChannels,
    /// Post to an address outside.
    CallOut,
    /// Take oneself off, as a connected machine.
    Disconnect,
    Administer,
    /// Read how the server is doing.
    Inspect,
    /// Declare another node gone.
    ForgetNode,
}

const NEEDS_A_TAP: &str = "anything could have opened this terminal, so deciding from it needs a tap on a paired device: \
     `askbridge answer` asks for one, and so does `POST /v1/taps/decide`";

impl Caller {
    /// May this caller do that to a session? The refusal says who could.
    pub(super) fn may(&self, action: Action, access: Option<&Access>) -> Result<(), Rejection> {
        let own = access.is_none_or(|access| access.owner == self.party);
        let addressed = access.is_none_or(|access| match &access.audience {
            Audience::Everyone => true,
            Audience::Only(people) => people.iter().any(|person| person.0 == self.name),
        });
        if let Some(access) = access.filter(|access| access.is_a_tap()) {
            return self.may_about_a_tap(action, addressed, access);
        }
        use Role::{Agent, Bot, Local, Operator, Person, Terminal, Unproven};
        let may = match (action, self.role) {
            (Action::Ask, Agent) => own,
            (Action::Ask, Operator | Local | Terminal | Unproven) => true,
            (Action::Ask, Person | Bot) => false,
            (Action::See, Agent) => own,
            (Action::See, Person | Operator | Bot) => addressed || own,
            (Action::See, Local | Terminal | Unproven) => true,
            (Action::Answer, Person | Operator | Terminal | Bot) => addressed,
            (Action::Answer, Agent | Local | Unproven) => false,
            (Action::Decide | Action::Snooze, Person | Operator | Terminal) => addressed,
            (Action::Decide | Action::Snooze, Agent | Bot | Local | Unproven) => false,
            (Action::Withdraw | Action::Close | Action::Configure, Agent) => own,
            (Action::Withdraw | Action::Close | Action::Configure, Operator | Local | Terminal | Unproven) => true,
            (Action::Withdraw | Action::Close | Action::Configure, Person | Bot) => false,
            (Action::Report | Action::ReportSettings, Agent) => own,
            (Action::Report | Action::ReportSettings, Operator | Local | Terminal | Unproven) => true,
            (Action::Report | Action::ReportSettings, Person | Bot) => false,
            (Action::Talk, Person | Operator | Terminal) => addressed,
            // An agent, script or unproven terminal may talk to a session that it started; to others' sessions only
            // people do.
            (Action::Talk, Bot) => false,
            (Action::Talk, Agent | Local | Unproven) => access.is_some() && own,
            // Not for the token file or an agent's token: their holder could remove the traces of what it did.
            (Action::Forget, Operator) => addressed || own,
            (Action::Forget, Terminal) => true,
            (Action::Forget, Agent | Bot | Local | Unproven | Person) => false,
            (Action::StartSession, Operator | Local | Terminal | Unproven | Agent) => true,
            (Action::StartSession, Person | Bot) => false,
            (Action::RunAgent, Operator | Local | Terminal | Unproven) => true,
            (Action::RunAgent, Person | Agent | Bot) => false,
            (Action::Loosen, Operator | Local | Terminal | Unproven) => true,
            (Action::Loosen, Person | Agent | Bot) => false,
            (Action::Remember, Operator) => addressed && self.holds_a_device(),
            (Action::Remember, Terminal) => addressed,
            (Action::BrowseFolders, Operator | Terminal) => true,
            (Action::Remember | Action::BrowseFolders, Person | Agent | Bot | Local | Unproven) => false,
            (Action::Keep | Action::CallOut, Person | Operator | Local | Terminal | Unproven) => true,
            (Action::Keep | Action::CallOut, Agent | Bot) => false,
            (Action::KeepChannels, Person | Operator | Local | Terminal | Unproven) => true,
            (Action::KeepChannels, Agent | Bot) => false,
            (Action::Disconnect, Agent) => self.machine().is_some(),
            (Action::Disconnect, Person | Operator | Bot | Local | Terminal | Unproven) => false,
            (Action::Administer, Local | Terminal | Unproven) => true,
            (Action::Administer, Operator | Person | Agent | Bot) => false,
            (Action::Inspect, Operator | Local | Terminal | Unproven) => true,
            (Action::Inspect, Person | Agent | Bot) => false,
            // It reaches the agents of other machines, so the token file, which agents can read, may not.
            (Action::ForgetNode, Operator | Terminal) => true,
            (Action::ForgetNode, Local | Unproven | Person | Agent | Bot) => false,
        };
        use Action::{Answer, BrowseFolders, Decide, Remember, Snooze, Talk};
        match (may, self.role, action) {
            (true, ..) => Ok(()),
            (false, Unproven, Answer | Decide | Snooze | Talk | Remember | BrowseFolders) => {
                Err(Rejection::TapNeeded(NEEDS_A_TAP.to_owned()))
            }
            (false, ..) => Err(Rejection::Forbidden(self.why_not(action))),
        }
    }

    /// Only paired devices decide a tap: not a terminal, which may be its subject, nor a caller that was let in without
    /// a token. Only the server withdraws it.
    fn may_about_a_tap(&self, action: Action, addressed: bool, access: &Access) -> Result<(), Rejection> {
        let may = match action {
            Action::Answer | Action::Decide | Action::Snooze => self.holds_a_device() && addressed,
            Action::See => match self.role {
                Role::Person | Role::Operator => addressed,
                Role::Local | Role::Terminal | Role::Unproven => true,
                Role::Agent | Role::Bot => false,
            },
            _ => self.party == access.owner,
        };
        let why = "a tap is given on a paired device, and nowhere else";
        if may { Ok(()) } else { Err(Rejection::Forbidden(why.to_owned())) }
    }

    /// Is this the caller's own device, or a machine that they agreed to?
    pub(super) fn owns_device(&self, device: &TokenInfo) -> bool {
        match device.is_a_machine() {
            true => device.connected_by.as_deref() == Some(&*self.name),
            false => matches!(device.role, TokenRole::Person | TokenRole::Operator) && *device.name == *self.name,
        }
    }

    /// Do this person's channels and rings concern the caller? People keep their own, this machine all.
    pub(super) fn keeps_channels_of(&self, person: &str) -> bool {
        !matches!(self.role, Role::Person | Role::Operator) || *self.name == *person
    }

    fn why_not(&self, action: Action) -> String {
        match action {
            Action::Answer | Action::Decide | Action::Snooze if self.machine().is_some() => {
                "a connected machine asks and never decides; answer on a paired device".to_owned()
            }
            Action::Answer | Action::Decide | Action::Remember | Action::Snooze
                if matches!(self.role, Role::Local | Role::Agent) =>
            {
                "this token may ask but never decide; pair a device with `askbridge pair`".to_owned()
            }
            Action::Decide | Action::Snooze if self.role == Role::Bot => "a bot answers, and nothing else; this is for people".to_owned(),
            Action::Talk if self.role == Role::Bot => "a bot answers, and says nothing else".to_owned(),
            Action::Answer | Action::Decide | Action::Snooze | Action::See | Action::Talk => "this is addressed to somebody else".to_owned(),
            Action::Ask | Action::StartSession => {
                "this token may decide but not ask; use an agent's token or the local one".to_owned()
            }
            Action::Forget => {
                "forgetting cannot be taken back: it needs an operator's device or a terminal of this machine"
                    .to_owned()
            }
            Action::RunAgent => {
                "running an agent is running commands on this machine: it needs an operator's device or the local token"
                    .to_owned()
            }
            Action::Loosen => {
                "what an agent may do without asking is said by an operator's device or on this machine, not by an agent"
                    .to_owned()
            }
            Action::Withdraw | Action::Report => "only the asker may take the ask back, or say what became of it".to_owned(),
            Action::Close | Action::Configure | Action::ReportSettings => {
                "this is for the token that started the session, for operators and for this machine".to_owned()
            }
            Action::Remember => "a decision is remembered by an operator's paired device or a terminal".to_owned(),
            Action::BrowseFolders => "looking for a folder needs an operator's device or a terminal".to_owned(),
            Action::Disconnect => "this is for connected machines, with their own token".to_owned(),
            Action::Keep | Action::KeepChannels => "this is for people's devices".to_owned(),
            Action::CallOut => "an agent asks, and people are told of that; it makes no calls itself".to_owned(),
            Action::ForgetNode => "this needs an operator's device, or a terminal of this machine".to_owned(),
            Action::Inspect => "this needs an operator's token, or a command on this machine that no agent started".to_owned(),
            Action::Administer => "this needs the local token, or a command on this machine that no agent started".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use askbridge_core::ids::{PartyId, PersonId};

    use super::*;
    use crate::auth::AgentOf;

    const EVERY_ROLE: [Role; 7] =
        [Role::Agent, Role::Person, Role::Operator, Role::Bot, Role::Local, Role::Terminal, Role::Unproven];

    fn caller(role: Role, name: &str) -> Caller {
        Caller { party: PartyId::from(name), role, name: name.into(), device: "test".into() }
    }

    fn session_of(owner: &str, audience: Audience) -> Access {
        Access { owner: PartyId::from(owner), audience, agent_of: AgentOf::NoNode }
    }

    #[test]
    fn only_people_decide() {
        let access = session_of("ci", Audience::Everyone);
        let deciders =
            EVERY_ROLE.into_iter().filter(|&role| caller(role, "x").may(Action::Decide, Some(&access)).is_ok());
        assert_eq!(deciders.collect::<Vec<_>>(), [Role::Person, Role::Operator, Role::Terminal]);
    }

    #[test]
    fn only_people_hide_an_ask_and_no_agent_hides_its_own() {
        let access = session_of("x", Audience::Everyone);
        let may = EVERY_ROLE.into_iter().filter(|&role| caller(role, "x").may(Action::Snooze, Some(&access)).is_ok());
        assert_eq!(may.collect::<Vec<_>>(), [Role::Person, Role::Operator, Role::Terminal]);
    }

    #[test]
    fn a_bot_sees_and_answers_what_is_addressed_to_everybody_and_does_nothing_else() {
        let access = session_of("ci", Audience::Everyone);
        let actions = [Action::Ask, Action::See, Action::Answer, Action::Decide, Action::Withdraw, Action::Report]
            .into_iter()
            .chain([Action::Snooze])
            .chain([Action::ReportSettings, Action::Close, Action::Configure, Action::Talk, Action::Forget])
            .chain([Action::StartSession, Action::RunAgent, Action::Loosen, Action::Keep, Action::CallOut])
            .chain([Action::KeepChannels, Action::Administer, Action::Inspect, Action::ForgetNode])
            .chain([Action::Remember, Action::BrowseFolders, Action::Disconnect]);
        let may = actions.filter(|&action| caller(Role::Bot, "nightly").may(action, Some(&access)).is_ok());
        assert_eq!(may.collect::<Vec<_>>(), [Action::See, Action::Answer]);
        let adas = session_of("ci", Audience::Only(vec![PersonId::from("ada")]));
        assert!(caller(Role::Bot, "nightly").may(Action::Answer, Some(&adas)).is_err());
        let tap = session_of(Caller::OURSELVES, Audience::Only(vec![PersonId::from("nightly")]));
        for action in [Action::See, Action::Decide, Action::Answer] {
            assert!(caller(Role::Bot, "nightly").may(action, Some(&tap)).is_err(), "{action:?}");
        }
    }

    #[test]
    fn an_agent_sees_its_own_asks_and_no_others() {
        let access = session_of("ci", Audience::Everyone);
        assert!(caller(Role::Agent, "ci").may(Action::See, Some(&access)).is_ok());
        assert!(caller(Role::Agent, "other").may(Action::See, Some(&access)).is_err());
        assert!(caller(Role::Agent, "other").may(Action::Withdraw, Some(&access)).is_err());
    }

    #[test]
    fn another_persons_ask_is_neither_seen_nor_decided() {
        let access = session_of("ci", Audience::Only(vec![PersonId::from("ada")]));
        for action in [Action::See, Action::Decide, Action::Talk] {
            assert!(caller(Role::Person, "ada").may(action, Some(&access)).is_ok());
            assert!(caller(Role::Person, "bob").may(action, Some(&access)).is_err());
            assert!(caller(Role::Operator, "bob").may(action, Some(&access)).is_err());
        }
    }

    #[test]
    fn nobody_who_decides_remotely_administers() {
        let admins = EVERY_ROLE.into_iter().filter(|&role| caller(role, "x").may(Action::Administer, None).is_ok());
        assert_eq!(admins.collect::<Vec<_>>(), [Role::Local, Role::Terminal, Role::Unproven]);
    }

    #[test]
    fn a_tap_is_decided_by_paired_devices_of_those_people_alone_and_taken_back_by_the_server() {
        let access = session_of(Caller::OURSELVES, Audience::Only(vec![PersonId::from("ada")]));
        let may = |action, name: &'static str| {
            let access = access.clone();
            EVERY_ROLE.into_iter().filter(move |&role| caller(role, name).may(action, Some(&access)).is_ok())
        };
        assert_eq!(may(Action::Decide, "ada").collect::<Vec<_>>(), [Role::Person, Role::Operator]);
        assert_eq!(may(Action::Answer, "ada").collect::<Vec<_>>(), [Role::Person, Role::Operator]);
        assert_eq!(may(Action::Decide, "bob").count(), 0);
        assert_eq!(may(Action::See, "bob").collect::<Vec<_>>(), [Role::Local, Role::Terminal, Role::Unproven]);
        for action in [Action::Withdraw, Action::Ask, Action::Talk, Action::Loosen, Action::Close] {
            assert_eq!(may(action, "ada").count(), 0, "{action:?}");
        }
        assert!(Caller::without_token("ada").may(Action::Decide, Some(&access)).is_err(), "it holds no token");
    }

    #[test]
    fn no_agent_loosens_what_it_may_do_not_even_in_a_session_of_its_own() {
        let access = session_of("x", Audience::Everyone);
        let may = EVERY_ROLE.into_iter().filter(|&role| caller(role, "x").may(Action::Loosen, Some(&access)).is_ok());
        assert_eq!(may.collect::<Vec<_>>(), [Role::Operator, Role::Local, Role::Terminal, Role::Unproven]);
    }

    #[test]
    fn only_operators_and_terminals_remove_what_happened() {
        for access in [None, Some(session_of("x", Audience::Everyone))] {
            let may =
                EVERY_ROLE.into_iter().filter(|&role| caller(role, "x").may(Action::Forget, access.as_ref()).is_ok());
            assert_eq!(may.collect::<Vec<_>>(), [Role::Operator, Role::Terminal]);
        }
        let anothers = session_of("ci", Audience::Only(vec![PersonId::from("ada")]));
        assert!(caller(Role::Operator, "bob").may(Action::Forget, Some(&anothers)).is_err());
    }

    #[test]
    fn operators_and_this_machine_see_how_the_server_is_doing() {
        let may = EVERY_ROLE.into_iter().filter(|&role| caller(role, "x").may(Action::Inspect, None).is_ok());
        assert_eq!(may.collect::<Vec<_>>(), [Role::Operator, Role::Local, Role::Terminal, Role::Unproven]);
    }
}
