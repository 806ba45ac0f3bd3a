//! A wish becomes an intent: who wishes, whether they may, on what terms.

use std::sync::Arc;

use askbridge_core::answer::Answer;
use askbridge_core::ask::Asker;
use askbridge_core::event::{Audience, Event, Parcel, Settings, Started};
use askbridge_core::ids::{AskId, Epoch, Key, PartyId, SessionId};
use askbridge_core::intent::{Intent, NewAsk, Start};
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{Facts, Terms, Wishes, rule, terms};
use askbridge_core::{limits, unfit};
use askbridge_peers::doors::{claude, hook, http};
use askbridge_peers::listing::LISTING;
use askbridge_peers::tools::check_edit;
use askbridge_peers::wish::{AskRef, AskWish, Receipt, Rejection, Wish};
use sha2::{Digest, Sha256};

use super::bots::check_bots_answer;
use super::error::chain;
use super::handle::Handle;
use super::submit::Done;
use crate::auth::{Action, Caller, Role};

impl Handle {
    /// Grants a wish, durably, or says why not. `via` names the language it was made in.
    ///
    /// What happens in every round is written out; the rest is boxed, or each round would carry room for all of it.
    pub async fn grant(&self, caller: &Caller, via: &str, wish: Wish) -> Result<Receipt, Rejection> {
        match wish {
            Wish::Ask(wish) => self.grant_ask(caller, wish).await,
            Wish::Answer { ask, reply } => {
                let ask = match ask {
                    AskRef::Id(ask) => ask,
                    ask => Box::pin(self.resolve(ask)).await?,
                };
                let is_a_bot = caller.role == Role::Bot;
                self.guard_ask(caller, if is_a_bot { Action::Rule } else { Action::Decide }, ask)?;
                let asked = self.asked(ask).await?;
                let answer = unfit(&asked, reply, &check_edit).map_err(Refusal::Mismatch)?;
                if is_a_bot {
                    check_bots_answer(&answer)?;
                    if asked.terms.quorum > 1 {
                        let why =
                            format!("{} people have to agree to this, and a bot is none of them", asked.terms.quorum);
                        return Err(Rejection::Forbidden(why));
                    }
                    let rule = format!("bot {}", caller.name);
                    return self.submit_about(ask, Intent::Rule { ask, rule, answer }).await;
                }
                self.decided(caller, ask, vec![Intent::Answer { ask, answer, by: caller.who(via) }]).await
            }
            wish => Box::pin(self.grant_other(caller, via, wish)).await,
        }
    }

    async fn grant_other(&self, caller: &Caller, via: &str, wish: Wish) -> Result<Receipt, Rejection> {
        match wish {
            wish @ (Wish::Ask(_) | Wish::Answer { .. }) => unreachable!("{wish:?} is granted before"),
            Wish::Start { session, door, agent, settings } => {
                caller.may(Action::StartSession, None)?;
                if door == claude::NAME {
                    caller.may(Action::RunAgent, None)?;
                }
                let session = session.unwrap_or_else(|| SessionId(self.chance.u128()));
                let start = Start {
                    door: door.to_owned(),
                    agent,
                    owner: caller.party.clone(),
                    audience: Audience::Everyone,
                    settings: *settings,
                    continues: None,
                };
                self.submit_in(session, Intent::Start(Box::new(start))).await
            }
            // Only whoever runs agents can tell whether this one could be run.
            Wish::Open(_) | Wish::Change { .. } => Err(Rejection::Down("this askbridge runs no agents".to_owned())),
            Wish::Close { session, why } => {
                let why = why.unwrap_or_else(|| format!("closed by {}", caller.name));
                self.guarded(caller, Action::Withdraw, session)?;
                self.submit_in(session, Intent::Close { why }).await
            }
            Wish::Forget { session } => {
                let forgotten = self.forget(caller, via, session).await?;
                Ok(Receipt { session: Some(session), news: forgotten.sessions > 0, ..Receipt::default() })
            }
            Wish::Say { session, text, about } => {
                self.guarded(caller, Action::Talk, session)?;
                let session = self.newest(session).await?.session;
                self.submit_in(session, Intent::Say { text, by: Some(caller.who(via)), about }).await
            }
            Wish::Unsay { message } => {
                self.guarded(caller, Action::Talk, message.session)?;
                self.submit_in(message.session, Intent::Unsay { message }).await
            }
            Wish::Interrupt { session } => {
                self.guarded(caller, Action::Talk, session)?;
                self.submit_in(session, Intent::Interrupt { by: Some(caller.who(via)) }).await
            }
            Wish::Configure { session, settings } => {
                self.guarded(caller, Action::Withdraw, session)?;
                if loosens(&settings) && !REPORTERS.contains(&via) {
                    self.guarded(caller, Action::Loosen, session)?;
                }
                self.submit_in(session, Intent::Configure(settings)).await
            }
            Wish::Note { session, level, text } => {
                self.guarded(caller, Action::Ask, session)?;
                let session = self.newest(session).await?.session;
                if self.session(session).await?.end.is_some() {
                    return Err(Refusal::SessionClosed(session).into());
                }
                let noted = self.record(session, None, Epoch(0), Event::Notice { level, text }).await;
                noted.map_err(|error| Rejection::Down(chain(&error)))?;
                Ok(Receipt { session: Some(session), news: true, ..Receipt::default() })
            }
            Wish::Withdraw { ask, why } => {
                self.about(caller, Action::Withdraw, ask, |ask| Intent::Withdraw { ask, why }).await
            }
            Wish::Overtake { ask, mouth, ran } => {
                self.about(caller, Action::Withdraw, ask, |ask| Intent::Overtake { ask, mouth, ran }).await
            }
            Wish::Park { ask } => self.about(caller, Action::Withdraw, ask, |ask| Intent::Park { ask }).await,
            Wish::Strand { ask } => self.about(caller, Action::Withdraw, ask, |ask| Intent::Strand { ask }).await,
            Wish::Dismiss { ask, words } => {
                if words.as_ref().is_some_and(|words| words.len() > limits::ANSWER_TEXT_BYTES_MAX) {
                    return Err(Rejection::TooLarge("these words are too long".to_owned()));
                }
                let ask = self.decidable(caller, ask).await?;
                self.decided(caller, ask, vec![Intent::Dismiss { ask, words, by: caller.who(via) }]).await
            }
            Wish::Undo { ask } => {
                let ask = self.decidable(caller, ask).await?;
                self.decided(caller, ask, vec![Intent::Undo { ask, by: caller.who(via) }]).await
            }
            Wish::Extend { ask, wait } => {
                let ask = self.decidable(caller, ask).await?;
                self.decided(caller, ask, vec![Intent::Extend { ask, wait, by: caller.who(via) }]).await
            }
            Wish::Draft { ask, draft } => {
                let ask = self.decidable(caller, ask).await?;
                self.keep_draft(caller, ask, draft).await?;
                Ok(Receipt { ask: Some(ask), session: Some(ask.session), news: true, ..Receipt::default() })
            }
            Wish::Keep { name, thing } => {
                self.keep(caller, via, &name, thing.as_ref()).await?;
                Ok(Receipt { news: true, ..Receipt::default() })
            }
            Wish::Look { session, screen } => {
                if let Some(session) = session {
                    self.guarded(caller, Action::See, session)?;
                }
                self.tell_look(&caller.party, via, session, screen);
                Ok(Receipt { session, ..Receipt::default() })
            }
            // Only whoever has a way out can call.
            Wish::Call(_) => Err(Rejection::Down("this askbridge calls nobody".to_owned())),
            Wish::Hand { parcel } => {
                self.guarded(caller, Action::Withdraw, session_of(parcel))?;
                self.submit_in(session_of(parcel), Intent::Hand { parcel }).await
            }
            Wish::Deliver { parcel, proof } => {
                self.guarded(caller, Action::Withdraw, session_of(parcel))?;
                self.submit_in(session_of(parcel), Intent::Deliver { parcel, proof }).await
            }
            Wish::Took { parcel, proof } => {
                let session = session_of(parcel);
                self.guarded(caller, Action::Withdraw, session)?;
                self.note(session, [Intent::Deliver { parcel, proof }]);
                Ok(Receipt { session: Some(session), news: true, ..Receipt::default() })
            }
            Wish::Return { ask, result } => {
                self.guarded(caller, Action::Withdraw, ask.session)?;
                self.submit_about(ask, Intent::Return { ask, result }).await
            }
        }
    }

    /// Asks whether a caller may do something to a session that exists. One that they may not even see does not.
    pub(crate) fn guarded(&self, caller: &Caller, action: Action, session: SessionId) -> Result<(), Rejection> {
        let access = self.access(session).ok_or(Refusal::UnknownSession(session))?;
        caller.may(Action::See, Some(&access)).map_err(|_| Refusal::UnknownSession(session))?;
        caller.may(action, Some(&access))
    }

    async fn about(
        &self,
        caller: &Caller,
        action: Action,
        ask: AskRef,
        intent: impl FnOnce(AskId) -> Intent,
    ) -> Result<Receipt, Rejection> {
        let ask = self.resolve(ask).await?;
        self.guard_ask(caller, action, ask)?;
        self.submit_about(ask, intent(ask)).await
    }

    async fn decidable(&self, caller: &Caller, ask: AskRef) -> Result<AskId, Rejection> {
        let ask = self.resolve(ask).await?;
        self.guard_ask(caller, Action::Decide, ask)?;
        Ok(ask)
    }

    /// Whoever may not know of a session learns the same as for one that does not exist.
    pub(crate) fn guard_ask(&self, caller: &Caller, action: Action, ask: AskId) -> Result<(), Rejection> {
        let access = self.access(ask.session).ok_or(Refusal::UnknownAsk(ask))?;
        if caller.may(Action::See, Some(&access)).is_err() {
            return Err(Rejection::Refused(Refusal::UnknownAsk(ask)));
        }
        caller.may(action, Some(&access))
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

    pub(crate) async fn grant_ask(&self, caller: &Caller, wish: Box<AskWish>) -> Result<Receipt, Rejection> {
        let (session, started) = match wish.session {
            Some(session) => {
                self.guarded(caller, Action::Ask, session)?;
                let newest = self.newest(session).await?;
                (newest.session, Some((newest.settings, newest.started)))
            }
            None => {
                caller.may(Action::Ask, None)?;
                let key = wish.key.clone().unwrap_or_else(|| Key::from(format!("{:x}", self.chance.u128())));
                (derived(&caller.party, &key), None)
            }
        };
        let bytes = wish.weight() as u64;
        let _coming = self.check_open_bytes(&caller.party, session, wish.key.as_ref(), bytes).await?;
        let Prepared { intents, ruled, key } = self.prepare(caller, *wish, started);
        let done = self.submit(session, intents).await?;
        let asked = done.events.iter().find_map(|written| match &*written.event {
            Event::Asked(ask) => Some(ask.id),
            _ => None,
        });
        let news = asked.is_some();
        if news {
            self.count_asked(&caller.party, &done.events);
        }
        let ask = match (asked, key) {
            (Some(ask), _) => ask,
            (None, Some(key)) => {
                let number = self.look(session, |state| state.session.asked_with(&key)).await?;
                AskId { session, number: number.unwrap_or(1) }
            }
            (None, None) => return Err(Rejection::Down("the ask was not recorded".to_owned())),
        };
        if let (true, Some((rule, answer))) = (news, ruled) {
            Box::pin(self.submit(session, vec![Intent::Rule { ask, rule, answer }])).await?;
        }
        Ok(Receipt { session: Some(session), ask: Some(ask), news, position: done.position, ..Receipt::default() })
    }

    /// What an ask of a session would be promised now, whatever it says.
    pub(crate) async fn terms_of(&self, session: SessionId) -> Result<Terms, Rejection> {
        let newest = self.newest(session).await?;
        let started = newest.started.ok_or(Refusal::UnknownSession(session))?;
        let none = Wishes::default();
        let facts = Facts {
            at: self.clock.now(),
            door: &started.door,
            agent: &started.agent,
            folder: newest.settings.folder.as_deref(),
            headline: "",
            header: None,
            wishes: [&none, &newest.settings.wishes, &none, &door_wishes(&started.door)],
        };
        Ok(terms(&self.rules, &facts))
    }

    /// Decides on what terms somebody asks. `known` is what the session says of itself, if there is one already.
    fn prepare(
        &self,
        caller: &Caller,
        wish: AskWish,
        known: Option<(Arc<Settings>, Option<Arc<Started>>)>,
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
                };
                (settings.into(), None, Some(start))
            }
        };
        let agent = wish.agent.clone().or_else(|| started.map(|started| started.agent.clone()));
        let agent = agent.unwrap_or_else(|| caller.name.to_string());
        let door_wishes = door_wishes(wish.door);
        let agent_wishes = Wishes::default();
        let facts = Facts {
            at: self.clock.now(),
            door: wish.door,
            agent: &agent,
            folder: settings.folder.as_deref().or(wish.context.folder.as_deref()),
            headline: wish.body.headline(),
            header: header(&wish.body),
            wishes: [&wish.wishes, &settings.wishes, &agent_wishes, &door_wishes],
        };
        let ruled = rule(&self.rules, &facts).and_then(|rule| Some((rule.name.clone(), rule.answer.clone()?)));
        let terms = terms(&self.rules, &facts);
        let key = wish.key.clone();
        // Other doors make their keys themselves, and state no terms that a program chose.
        let stated = (wish.door == http::NAME && key.is_some()).then(|| http::stated(&wish.wishes));
        let ask = NewAsk {
            terms,
            asker: Asker { door: wish.door.to_owned(), agent, party: caller.party.clone() },
            body: wish.body,
            reach: wish.reach,
            call: wish.call,
            made: wish.made,
            context: wish.context,
            key: wish.key,
            stated,
            original: wish.original,
        };
        let start = start.map(|start| Intent::Start(Box::new(start)));
        Prepared { intents: start.into_iter().chain([Intent::Ask(Box::new(ask))]).collect(), ruled, key }
    }
}

/// Doors that report which mode an agent is in already. What they say is written down; it changes nothing about the agent.
const REPORTERS: [&str; 2] = [claude::NAME, hook::NAME];

/// Could these settings let an agent do more without asking?
fn loosens(settings: &Settings) -> bool {
    settings.mode.is_some() || settings.more.is_some() || settings.wishes != Wishes::default()
}

/// An ask that is ready to be submitted.
struct Prepared {
    intents: Vec<Intent>,
    /// The rule that decides it at once, and how.
    ruled: Option<(String, Answer)>,
    key: Option<Key>,
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

/// An ask without a session gets one of its own, derived so that every node derives the same from the same key.
fn derived(party: &PartyId, key: &Key) -> SessionId {
    let mut hasher = Sha256::new();
    hasher.update(party.as_str().len().to_le_bytes());
    hasher.update(party.as_str());
    hasher.update(key.as_str());
    let digest: [u8; 32] = hasher.finalize().into();
    SessionId(u128::from_le_bytes(digest[..16].try_into().expect("a digest is longer than an id")))
}

fn header(body: &askbridge_core::ask::Body) -> Option<&str> {
    match body {
        askbridge_core::ask::Body::Questions(questions) => questions.first()?.header.as_deref(),
        _ => None,
    }
}

fn session_of(parcel: Parcel) -> SessionId {
    match parcel {
        Parcel::Verdict(ask) => ask.session,
        Parcel::Message(message) => message.session,
    }
}
