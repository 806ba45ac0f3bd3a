//! Maps a conversation in a terminal to its session.

use askbridge_core::event::Settings;
use askbridge_core::ids::{PartyId, SessionId};
use askbridge_core::session::{End, Session};
use askbridge_peers::doors::hook::{Around, HookEvent, NAME};
use askbridge_peers::wish::{Rejection, Wish};

use crate::auth::Caller;
use crate::derived::derived;
use crate::runtime::{Entrance, Handle};
use crate::server::App;

/// How often a conversation may be ended and resumed. Beyond: nothing is asked for it.
const LIVES_MAX: u32 = 1000;
/// How many lives in a row may have been forgotten before a later one that still exists. Beyond: it begins anew.
const FORGOTTEN_MAX: u32 = 8;

/// The present session of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Current {
    pub(super) id: SessionId,
    pub(super) exists: bool,
}

/// Finds the session of a conversation. After it was ended and resumed, that is another session.
pub(super) async fn current(handle: &Handle, party: &PartyId, heard: &HookEvent) -> Result<Current, Rejection> {
    let mut life = 0;
    while life < LIVES_MAX {
        let id = handle.newest(session_for(party, &heard.conversation, life)).await?.session;
        let (exists, is_over) =
            handle.look(id, |state| (state.session.started.is_some(), is_over(&state.session))).await?;
        if is_over {
            life += 1;
            continue;
        }
        // Earlier lives may have been forgotten.
        let is_there = |life: &u32| handle.access(session_for(party, &heard.conversation, *life)).is_some();
        let later = if exists { None } else { (life + 1..=life + FORGOTTEN_MAX).find(is_there) };
        match later {
            Some(later) => life = later,
            None => return Ok(Current { id, exists }),
        }
    }
    Err(Rejection::Down("this conversation was taken up too many times".to_owned()))
}

fn is_over(session: &Session) -> bool {
    matches!(session.end, Some(End::Closed { .. }))
}

/// Finds the session, or creates it.
pub(super) async fn started(
    app: &App,
    caller: &Caller,
    heard: &HookEvent,
    around: &Around,
) -> Result<SessionId, Rejection> {
    let Current { id, exists } = current(&app.handle, &caller.party, heard).await?;
    let settings = Settings {
        title: around.title.clone(),
        folder: heard.folder.clone(),
        branch: around.branch.clone(),
        mode: heard.mode.clone(),
        ..Settings::default()
    };
    if !exists {
        let agent = Some(heard.agent.name().to_owned());
        let wish = Wish::Start { session: Some(id), door: NAME, agent, settings: Box::new(settings), host: None };
        app.gate().grant(caller, Entrance::agent(NAME, id), wish).await?;
        return Ok(id);
    }
    let known = app.handle.look(id, |state| state.session.settings.clone()).await?;
    let mut wanted = (*known).clone();
    wanted.merge(&settings);
    if wanted != *known {
        let report = Wish::ReportSettings { session: id, settings: Box::new(settings) };
        app.gate().grant(caller, Entrance::agent(NAME, id), report).await?;
    }
    Ok(id)
}

/// The same conversation gives the same id, after a restart too.
fn session_for(party: &PartyId, conversation: &str, life: u32) -> SessionId {
    let parts = [NAME, party.as_str(), conversation];
    let [name, owner, conversation] = parts.map(|part| [&part.len().to_le_bytes()[..], part.as_bytes()].concat());
    SessionId(derived(&[&name, &owner, &conversation, &life.to_le_bytes()]))
}

#[cfg(test)]
mod tests {
    use askbridge_core::event::Audience;
    use askbridge_core::ids::{StableNodeId, Timestamp};
    use askbridge_core::intent::{Intent, Start};
    use askbridge_core::terms::Rules;
    use askbridge_journal::Memory;
    use askbridge_peers::doors::hook::{Agent, HookEventKind};

    use super::*;
    use crate::chance::Chance;
    use crate::clock::{Clock, Manual};
    use crate::runtime::{Bridge, Options, Store};

    #[tokio::test]
    async fn a_conversation_goes_on_although_its_earlier_lives_were_forgotten() {
        let store = Store::from(Memory::new(1).unwrap());
        let clock = Clock::Manual(Manual::new(Timestamp(1)));
        let bridge = Bridge::start(Options {
            store,
            stable_node: StableNodeId(1),
            clock,
            chance: Chance::seeded(1),
            rules: Rules::default(),
        })
        .await;
        let (handle, party) = (&bridge.handle, PartyId::from("local"));
        let heard = HookEvent {
            agent: Agent::Claude,
            conversation: "c".to_owned(),
            folder: None,
            record: None,
            mode: None,
            in_subagent: false,
            is_cut: false,
            what: HookEventKind::Began { source: "startup".to_owned() },
        };
        let life = |life| session_for(&party, "c", life);
        assert_eq!(current(handle, &party, &heard).await.unwrap(), Current { id: life(0), exists: false });
        let start = Start {
            door: NAME.to_owned(),
            agent: "claude".to_owned(),
            owner: party.clone(),
            audience: Audience::Everyone,
            settings: Settings::default(),
            continues: None,
            host: None,
        };
        handle.submit(life(2), vec![Intent::Start(Box::new(start))]).await.unwrap();
        assert_eq!(current(handle, &party, &heard).await.unwrap(), Current { id: life(2), exists: true });
        handle.submit(life(2), vec![Intent::Close { why: "done".to_owned() }]).await.unwrap();
        assert_eq!(current(handle, &party, &heard).await.unwrap(), Current { id: life(3), exists: false });
        bridge.stop().await;
    }
}
