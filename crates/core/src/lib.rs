//! The rules of askbridge: what may happen to an ask, and what an agent is told.
//!
//! Pure and synchronous. No serde, no I/O, no clock, no randomness: the caller passes the time in.
//!
//! **Nouns.** An agent makes an [`ask::Ask`] in a [`session::Session`]; a person gives an [`answer::Answer`]; the agent
//! is told a [`verdict::Verdict`]. **Verbs.** [`decide()`] turns an [`intent::Intent`] into events ([`event::Event`])
//! or a [`refusal::Refusal`]; [`session::evolve`] folds events into the session; [`fit()`] simplifies an ask for a
//! screen that can show less, and [`unfit()`] turns a reply back into an answer; [`wild`] parses asks as agents really
//! send them; [`terms::terms`] and [`rules::rule_call`] are policy.
//!
//! The life of an ask, from the question to what the agent is told:
//!
//! ```
//! use std::time::Duration;
//!
//! use askbridge_core::answer::{Answer, Pick, Who};
//! use askbridge_core::ask::{Asker, Body, Choice, Context, Question, Reach};
//! use askbridge_core::event::{Audience, Event, Settings};
//! use askbridge_core::ids::{SessionId, Timestamp};
//! use askbridge_core::intent::{Intent, NewAsk, Start};
//! use askbridge_core::refusal::Refusal;
//! use askbridge_core::terms::{Facts, Rules, Wishes, terms};
//! use askbridge_core::verdict::Ruling;
//! use askbridge_core::{Session, decide, evolve};
//!
//! let mut session = Session::new(SessionId(1));
//! let mut wish = |intent, second: i64| -> Result<Vec<Event>, Refusal> {
//!     let events = decide(&session, intent, Timestamp(second * 1000))?;
//!     events.iter().for_each(|event| evolve(&mut session, event)); // once they are in the journal
//!     Ok(events)
//! };
//! let (door, agent, owner) = ("http".to_owned(), "ci".to_owned(), "token-1".into());
//! let (audience, settings) = (Audience::Everyone, Settings::default());
//! let (continues, host) = (None, None);
//! wish(Intent::Start(Box::new(Start { door, agent, owner, audience, settings, continues, host })), 0)?;
//!
//! // The agent asks.
//! let option = |label: &str| Choice { label: label.into(), description: None, preview: None };
//! let options = vec![option("Yes"), option("No")];
//! let question = Question { text: "Deploy now?".into(), header: None, options, multi: false, secret: false };
//! let none = Wishes::default();
//! let (at, headline) = (Timestamp(1000), "Deploy now?");
//! let facts = Facts { at, door: "http", agent: "ci", folder: None, headline, header: None, wishes: [&none; 4] };
//! let ask = NewAsk {
//!     body: Body::Questions(vec![question]),
//!     terms: terms(&Rules::default(), &facts), // no terms were requested: it waits for ever
//!     reach: Reach::Pull,
//!     asker: Asker { door: "http".into(), agent: "ci".into(), party: "token-1".into(), machine: None },
//!     call: None,
//!     made: None,
//!     context: Context::default(),
//!     key: Some("deploy-17".into()),
//!     stated: None,
//!     original: None,
//!     ruling: None,
//! };
//! let events = wish(Intent::Ask(Box::new(ask)), 1)?;
//! let ask = events[0].ask().expect("the event is about the ask");
//!
//! // A person answers, hours later. That settles it.
//! let by = Who { person: "ann".into(), device: "phone".into(), via: "native".into() };
//! let yes = Answer::Questions(vec![Pick::option(0)]);
//! let events = wish(Intent::Answer { ask, answer: yes.clone(), by, undo: Duration::ZERO }, 7200)?;
//! let [Event::Settled(settled)] = &events[..] else { panic!("{events:?}") };
//! assert_eq!(settled.verdict.ruling, Ruling::Answer(yes));
//! # Ok::<(), Refusal>(())
//! ```

pub mod answer;
pub mod ask;
pub mod decide;
pub mod event;
pub mod fit;
pub mod forget;
pub mod ids;
pub mod intent;
pub mod limits;
mod live;
pub mod refusal;
pub mod rules;
pub mod session;
pub mod terms;
pub mod unfit;
pub mod verdict;
pub mod view;
pub mod visible;
pub mod wild;

pub use decide::decide;
pub use fit::fit;
pub use session::{Session, evolve};
pub use unfit::unfit;
