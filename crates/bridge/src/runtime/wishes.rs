//! Turns a wish that passed the gate into an intent: who wishes, and on what terms.

use std::sync::Arc;

use askbridge_core::ask::{Ask, Asker, Body};
use askbridge_core::event::{Audience, Event, Settings, Started, ToolRuling};
use askbridge_core::ids::{AskId, Key, PartyId, SessionId};
use askbridge_core::intent::{AskRuling, Intent, NewAsk, Start};
use askbridge_core::refusal::Refusal;
use askbridge_core::rules::asks::{AskFacts, Call, ProjectRules, rule_ask, unruled_terms};
use askbridge_core::terms::{Terms, Wishes};
use askbridge_core::view::AskView;
use askbridge_core::{Session, limits, unfit};
use askbridge_journal::{Forgotten, Written};
use askbridge_peers::doors::http;
use askbridge_peers::listing::LISTING;
use askbridge_peers::tools::check_edit;
use askbridge_peers::wish::{AskRef, AskWish, Receipt, Rejection, Removed, Wish};
use askbridge_policy::{JsonCall, digest_questions};
use tracing::warn;

use super::bots::check_bots_answer;
use super::ends::End;
use super::error::down;
use super::gate::Entrance;
use super::handle::Handle;
use super::looks::Look;
use super::projects::{ProjectFile, ProjectLook};
use super::rollover::goes_on;
use super::ruled::{denies, ruled};
use super::submit::{Again, Done};
use super::unattended::unattended_in;
use crate::auth::{Caller, Role};
use crate::derived::derived;

impl Handle {
    /// Carries out a granted wish, durably, or says why not.
    ///
    /// An answer is inlined; the rest is boxed, so that its futures do not enlarge this one, which every layer copies.
    pub(super) async fn carry_out(
        &self,
        caller: &Caller,
        entrance: &Entrance,
        wish: Wish,
    ) -> Result<Receipt, Rejection> {
        match wish {
            Wish::Ask(wish) => {
                Box::pin(self.ask_shown(caller, entrance, wish, Listen::No)).await.map(|(receipt, _)| receipt)
            }
            Wish::Answer { ask, reply, undo } => {
                let ask = match ask {
                    AskRef::Id(ask) => ask,
                    ask => Box::pin(self.resolve(ask)).await?,
                };
                let is_a_bot = caller.role == Role::Bot;
                let asked = self.asked(ask).await?;
                let answer = unfit(&asked, reply, &check_edit).map_err(Refusal::Mismatch)?;
                if is_a_bot {
                    check_bots_answer(&answer)?;
                    if asked.terms.quorum > 1 {
                        let why = format!(
                            "{} people have to agree to this, and a bot does not count as one",
                            asked.terms.quorum
                        );
                        return Err(Rejection::Forbidden(why));
                    }
                    let rule = format!("bot {}", caller.name);
                    return self.submit_about(ask, Intent::Rule { ask, rule, answer }).await;
                }
                self.decided(caller, ask, vec![Intent::Answer { ask, answer, by: caller.who(entrance.via), undo }])
                    .await
            }
            wish => Box::pin(self.carry_out_other(caller, entrance, wish)).await,
        }
    }

    async fn carry_out_other(&self, caller: &Caller, entrance: &Entrance, wish: Wish) -> Result<Receipt, Rejection> {
        let via = entrance.via;
        match wish {
            wish @ (Wish::Ask(_) | Wish::Answer { .. }) => unreachable!("{wish:?} is granted before"),
            Wish::Start { session, door, agent, settings, host } => {
                let session = session.unwrap_or_else(|| SessionId(self.chance.u128()));
                let start = Start {
                    door: door.to_owned(),
                    agent: agent.unwrap_or_else(|| caller.name.to_string()),
                    owner: caller.party.clone(),
                    audience: Audience::Everyone,
                    settings: *settings,
                    continues: None,
                    // The gate has chosen it.
                    host: host.and_then(|host| host.parse().ok()),
                };
                self.submit_in(session, Intent::Start(Box::new(start))).await
            }
            Wish::Close { session, why } => {
                let why = why.unwrap_or_else(|| format!("closed by {}", caller.name));
                self.submit_in(session, Intent::Close { why }).await
            }
            Wish::Forget { session } => {
                let forgotten = self.forget(caller, via, session).await?;
                let Forgotten { sessions, entries, bytes } = forgotten;
                let removed = Some(Box::new(Removed { sessions, entries, bytes }));
                Ok(Receipt { session: Some(session), news: sessions > 0, removed, ..Receipt::default() })
            }
            Wish::Say { session, text, about, client_id } => {
                let session = self.newest(session).await?.session;
                self.submit_in(session, Intent::Say { text, by: Some(caller.who(via)), about, client_id }).await
            }
            Wish::Unsay { message } => self.submit_in(message.session, Intent::Unsay { message }).await,
            Wish::Interrupt { session } => {
                let interrupt = Intent::Interrupt { by: Some(caller.who(via)) };
                self.submit_in(session, entrance.fenced(interrupt)).await
            }
            Wish::Configure { session, settings } | Wish::ReportSettings { session, settings } => {
                self.submit_in(session, entrance.fenced(Intent::Configure(settings))).await
            }
            Wish::Note { session, level, text } => {
                let session = self.newest(session).await?.session;
                if self.session(session).await?.end.is_some() {
                    return Err(Refusal::SessionClosed(session).into());
                }
                let epoch = entrance.epoch().unwrap_or_default();
                let noted = self.record(session, None, epoch, Event::Notice { level, text }).await;
                noted.map_err(down)?;
                Ok(Receipt { session: Some(session), news: true, ..Receipt::default() })
            }
            Wish::Withdraw { ask, why } => self.about(entrance, ask, |ask| Intent::Withdraw { ask, why }).await,
            Wish::Abandon { ask, why } => self.about(entrance, ask, |ask| Intent::Abandon { ask, why }).await,
            Wish::Overtake { ask, mouth, ran } => {
                self.about(entrance, ask, |ask| Intent::Overtake { ask, mouth, ran }).await
            }
            Wish::Park { ask } => self.about(entrance, ask, |ask| Intent::Park { ask }).await,
            Wish::Strand { ask } => self.about(entrance, ask, |ask| Intent::Strand { ask }).await,
            Wish::Dismiss { ask, words } => {
                if words.as_ref().is_some_and(|words| words.len() > limits::ANSWER_TEXT_BYTES_MAX) {
                    return Err(Rejection::TooLarge("these words are too long".to_owned()));
                }
                let ask = self.resolve(ask).await?;
                self.decided(caller, ask, vec![Intent::Dismiss { ask, words, by: caller.who(via) }]).await
            }
            Wish::Undo { ask } => {
                let ask = self.resolve(ask).await?;
                self.decided(caller, ask, vec![Intent::Undo { ask, by: caller.who(via) }]).await
            }
            Wish::Extend { ask, wait } => {
                let ask = self.resolve(ask).await?;
                self.decided(caller, ask, vec![Intent::Extend { ask, wait, by: caller.who(via) }]).await
            }
            Wish::Draft { ask, draft } => {
                let ask = self.resolve(ask).await?;
                Box::pin(self.keep_draft(caller, ask, draft)).await?;
                Ok(Receipt { ask: Some(ask), session: Some(ask.session), news: true, ..Receipt::default() })
            }
            Wish::Snooze { ask, time } => {
                let ask = self.resolve(ask).await?;
                let until = Box::pin(self.snooze(caller, ask, time)).await?;
                Ok(Receipt { ask: Some(ask), session: Some(ask.session), news: true, until, ..Receipt::default() })
            }
            Wish::Remember { ask, rule } => {
                let ask = self.resolve(ask).await?;
                Box::pin(self.remember(caller, ask, &rule)).await?;
                Ok(Receipt { ask: Some(ask), session: Some(ask.session), news: true, ..Receipt::default() })
            }
            Wish::Revoke { rule } => {
                let news = Box::pin(self.revoke_remembered(&rule)).await?;
                Ok(Receipt { news, ..Receipt::default() })
            }
            Wish::Keep { name, thing } => {
                self.keep(via, &name, thing.as_ref()).await?;
                Ok(Receipt { news: true, ..Receipt::default() })
            }
            Wish::Look { session, screen, loaded_to } => {
                self.tell_look(&caller.party, via, Look { session, screen, loaded_to });
                Ok(Receipt { session, ..Receipt::default() })
            }
            Wish::Call(_) => unreachable!("the gate makes calls itself"),
            Wish::Hand { parcel } => self.submit_in(parcel.session(), entrance.fenced(Intent::Hand { parcel })).await,
            Wish::Deliver { parcel, proof } => {
                self.submit_in(parcel.session(), entrance.fenced(Intent::Deliver { parcel, proof })).await
            }
            wish @ Wish::Took { .. } => self.note_wish(entrance, wish),
            Wish::Return { ask, result } => {
                self.submit_about(ask, entrance.fenced(Intent::Return { ask, result })).await
            }
        }
    }

    async fn about(
        &self,
        entrance: &Entrance,
        ask: AskRef,
        intent: impl FnOnce(AskId) -> Intent,
    ) -> Result<Receipt, Rejection> {
        let ask = self.resolve(ask).await?;
        self.submit_about(ask, entrance.fenced(intent(ask))).await
    }

    async fn decided(&self, caller: &Caller, ask: AskId, intents: Vec<Intent>) -> Result<Receipt, Rejection> {
        let receipt = receipt(self.submit(ask.session, intents).await?, Some(ask));
        self.drop_draft(caller, ask).await;
        Ok(receipt)
    }

    async fn submit_in(&self, session: SessionId, intent: Intent) -> Result<Receipt, Rejection> {
        Ok(receipt(self.submit(session, vec![intent]).await?, None))
    }

    async fn submit_about(&self, ask: AskId, intent: Intent) -> Result<Receipt, Rejection> {
        Ok(receipt(self.submit(ask.session, vec![intent]).await?, Some(ask)))
    }

    /// Carries out the wish of an asker that is shown the ask, and may wait for its end. The session is locked once.
    ///
    /// Without an [`CreatedAsk`], it was asked before or is settled already: read the ask.
    pub(super) async fn ask_shown(
        &self,
        caller: &Caller,
        entrance: &Entrance,
        wish: Box<AskWish>,
        listen: Listen,
    ) -> Result<(Receipt, Option<CreatedAsk>), Rejection> {
        let named = wish.session;
        let mut session = match named {
            Some(session) => session,
            None => {
                let key = wish.key.clone().unwrap_or_else(|| Key::from(format!("{:x}", self.chance.u128())));
                session_for(&caller.party, &key)
            }
        };
        let (key, bytes) = (wish.key.clone(), wish.weight() as u64);
        let _coming = self.check_open_bytes(&caller.party, session, key.as_ref(), bytes).await?;
        // Evaluated before the session is locked, and known again if this ask is made again.
        let permission = Box::pin(self.permission_by_workflows(session, &wish)).await;
        let (mut wish, mut rule, mut end, mut is_newest) = (Some(wish), None, None, false);
        let mut project_look = ProjectLook::NotYet;
        let done = loop {
            let make = |state: &Session, again| {
                if named.is_some() && !is_newest && goes_on(state) {
                    return None;
                }
                let known = named.map(|_| (Arc::clone(&state.settings), state.started.clone()));
                let folder = known.as_ref().and_then(|(settings, _)| settings.folder.as_deref());
                let folder = folder.or_else(|| wish.as_ref()?.context.folder.as_deref());
                // Files are read without the session's lock.
                let project = self.rules.projects.after(&mut project_look, folder, self.clock.now())?;
                let wish = match again {
                    Again::Never => *wish.take()?,
                    Again::Perhaps => (**wish.as_ref()?).clone(),
                };
                let prepared = self.prepare(caller, wish, known, project.as_deref(), permission.as_ref());
                rule = prepared.rule;
                Some(prepared.intents.into_iter().map(|intent| entrance.fenced(intent)).collect())
            };
            let decided = |events: &[Written]| {
                end = asked_in(events).filter(|_| listen == Listen::ForTheEnd).map(|ask| self.end_of(ask.id));
            };
            match self.submit_made(session, make, decided).await? {
                Some(done) => break done,
                None if project_look.is_wanted() => {
                    Box::pin(self.rules.projects.look(&mut project_look, self.clock.now())).await;
                }
                None => {
                    session = Box::pin(self.newest(session)).await?.session;
                    is_newest = true;
                }
            }
        };
        let asked = asked_in(&done.events).cloned();
        let news = asked.is_some();
        let is_settled = done.events.iter().any(|written| matches!(&*written.event, Event::Settled(_)));
        if let Some(rule) = rule.as_ref().filter(|_| news && is_settled) {
            self.rules.remembered.note_use(rule, self.clock.now());
        }
        if news && !is_settled {
            self.count_asked(&caller.party, &done.events);
            if let Some(rule) = rule {
                warn!(session.id = %session, rule, "The answer of a rule does not fit what was asked; a person decides");
            }
        }
        let ask = match (&asked, key) {
            (Some(ask), _) => ask.id,
            (None, Some(key)) => {
                let number = Box::pin(self.look(session, |state| state.session.asked_with(&key))).await?;
                AskId { session, number: number.unwrap_or(1) }
            }
            (None, None) => return Err(Rejection::Down("the ask was not recorded".to_owned())),
        };
        // If a rule settled it in the same entry, it is read like any other that has ended.
        let shown = asked.filter(|_| !is_settled).map(|ask| CreatedAsk { view: Box::new(AskView::fresh(ask)), end });
        let receipt =
            Receipt { session: Some(session), ask: Some(ask), news, position: done.position, ..Receipt::default() };
        Ok((receipt, shown))
    }

    /// The terms that an ask of a session would have now, if it stated none.
    pub(crate) async fn terms_of(&self, session: SessionId) -> Result<Terms, Rejection> {
        let newest = self.newest(session).await?;
        let started = newest.started.ok_or(Refusal::UnknownSession(session))?;
        let none = Wishes::default();
        let id = session.to_string();
        let facts = AskFacts {
            at: self.clock.now(),
            door: &started.door,
            agent: &started.agent,
            session: Some(&id),
            title: newest.settings.title.as_deref(),
            folder: newest.settings.folder.as_deref(),
            branch: newest.settings.branch.as_deref(),
            body: None,
            call: None,
            digest_questions: Some(digest_questions),
            local: None,
            present: None,
            decided_before: 0,
            wishes: [&none, &newest.settings.wishes, &none, &door_wishes(&started.door)],
        };
        Ok(rule_ask(&self.rules.now(), &facts).terms)
    }

    /// Computes the terms of an ask. `known` is what the session says of itself, if it exists.
    fn prepare(
        &self,
        caller: &Caller,
        wish: AskWish,
        known: Option<(Arc<Settings>, Option<Arc<Started>>)>,
        project: Option<&ProjectFile>,
        permission: Option<&AskRuling>,
    ) -> Prepared {
        let (settings, started, start) = match known {
            Some((settings, started)) => (settings, started, None),
            None => {
                let settings = Settings {
                    title: wish.context.title.clone(),
                    folder: wish.context.folder.clone(),
                    branch: wish.context.branch.clone(),
                    ..Settings::default()
                };
                let start = Start {
                    door: wish.door.to_owned(),
                    agent: wish.agent.clone().unwrap_or_else(|| caller.name.to_string()),
                    owner: caller.party.clone(),
                    audience: Audience::Everyone,
                    settings: settings.clone(),
                    continues: None,
                    host: None,
                };
                (settings.into(), None, Some(start))
            }
        };
        let agent = wish.agent.clone().or_else(|| started.map(|started| started.agent.clone()));
        let agent = agent.unwrap_or_else(|| caller.name.to_string());
        let door_wishes = door_wishes(wish.door);
        let agent_wishes = Wishes::default();
        let wishes = [&wish.wishes, &settings.wishes, &agent_wishes, &door_wishes];
        let rules = self.rules.now();
        let project = project.map(|project| project.rules(&rules));
        let unattended = unattended_in(&settings).or_else(|| self.rules.unattended.of(&caller.party));
        let now = self.clock.now();
        // Without rules, the facts that they would look at are not gathered: most of them cost an allocation.
        let is_sent =
            wish.made.as_ref().and_then(|made| made.ruled.as_ref()).is_some_and(|by| by.ruling == ToolRuling::Ask);
        let (terms, ruling) = if rules.is_empty() && project.is_none() && unattended.is_none() && permission.is_none() {
            (unruled_terms(&rules, wishes, now), None)
        } else {
            let session = wish.session.map(|session| session.to_string());
            let call = match &wish.body {
                Body::Approval(approval) => Some(JsonCall::from(approval)),
                _ => None,
            };
            let looks = rules.looks_at_history() || project.is_some_and(|it| it.set().looks_at_history());
            let folder = settings.folder.as_deref().or(wish.context.folder.as_deref());
            let before = if looks { self.rules.history.about(&wish.body, folder) } else { None };
            let facts = AskFacts {
                at: now,
                door: wish.door,
                agent: &agent,
                session: session.as_deref(),
                title: settings.title.as_deref().or(wish.context.title.as_deref()),
                folder,
                branch: settings.branch.as_deref().or(wish.context.branch.as_deref()),
                body: Some(&wish.body),
                call: call.as_ref().map(|call| call as &dyn Call),
                digest_questions: Some(digest_questions),
                local: self.rules.local(&rules, project.map(ProjectRules::set), now),
                present: self.rules.present(),
                decided_before: before.as_ref().map_or(0, |before| before.times),
                wishes,
            };
            let permission = permission.filter(|by| denies(&by.says) || !is_sent);
            ruled(&rules, project, unattended, &facts, before.as_ref(), permission)
        };
        // Other doors make their keys themselves, and state no terms that a program chose.
        let stated = (wish.door == http::NAME && wish.key.is_some()).then(|| http::stated(&wish.wishes));
        let ask = NewAsk {
            terms,
            asker: Asker {
                door: wish.door.to_owned(),
                agent,
                party: caller.party.clone(),
                machine: caller.machine().map(str::to_owned),
            },
            body: wish.body,
            reach: wish.reach,
            call: wish.call,
            made: wish.made,
            context: wish.context,
            key: wish.key,
            stated,
            original: wish.original,
            ruling,
        };
        let rule = ask.ruling.as_ref().map(|ruling| ruling.rule.clone());
        let start = start.map(|start| Intent::Start(Box::new(start)));
        Prepared { intents: start.into_iter().chain([Intent::Ask(Box::new(ask))]).collect(), rule }
    }
}

/// An ask that is ready to be submitted.
struct Prepared {
    intents: Vec<Intent>,
    /// The rule that answers it in the same entry, if its answer fits.
    rule: Option<String>,
}

/// Does the asker wait for the end of its ask?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listen {
    No,
    ForTheEnd,
}

/// An ask that was just made.
#[derive(Debug)]
pub(crate) struct CreatedAsk {
    /// Boxed, because it is large and passes through several futures.
    pub(crate) view: Box<AskView>,
    /// Subscribed before the ask could be seen, if [`Listen::ForTheEnd`].
    pub(crate) end: Option<End>,
}

fn asked_in(events: &[Written]) -> Option<&Arc<Ask>> {
    events.iter().find_map(|written| match &*written.event {
        Event::Asked(ask) => Some(ask),
        _ => None,
    })
}

fn receipt(done: Done, ask: Option<AskId>) -> Receipt {
    let message = done.events.iter().find_map(|written| match &*written.event {
        Event::Said(said) => Some(said.message),
        _ => None,
    });
    Receipt {
        session: Some(done.session),
        ask,
        message,
        news: !done.events.is_empty(),
        late: done.events.iter().any(|written| matches!(*written.event, Event::LateAnswered { .. })),
        position: done.position,
        ..Receipt::default()
    }
}

fn door_wishes(door: &str) -> Wishes {
    LISTING.iter().find(|row| row.name == door).map(|row| (row.wishes)()).unwrap_or_default()
}

/// An ask without a session gets one of its own, derived from the key so that every node derives the same.
fn session_for(party: &PartyId, key: &Key) -> SessionId {
    let party = party.as_str();
    SessionId(derived(&[&party.len().to_le_bytes(), party.as_bytes(), key.as_str().as_bytes()]))
}

#[cfg(test)]
mod tests;
