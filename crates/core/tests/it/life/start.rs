//! A session is started, configured and continued elsewhere.

use askbridge_core::event::{Audience, Event, Settings};
use askbridge_core::ids::SessionId;
use askbridge_core::intent::{Intent, Start};
use askbridge_core::refusal::Refusal;
use askbridge_core::session::Interruption;
use askbridge_core::terms::{WhileOpen, Wishes};

use crate::asks::q;
use crate::facts::{answered, asked, closed, delivered, said, started};
use crate::given::{HERE, given, nothing, second};
use crate::people::{ann, yes};
use crate::wishes::{answer, ask, say};

const THERE: SessionId = SessionId(2);

fn start(agent: &str) -> Intent {
    Intent::Start(Box::new(Start {
        door: "http".into(),
        agent: agent.into(),
        owner: "p".into(),
        audience: Audience::Everyone,
        settings: Settings::default(),
        continues: None,
        host: None,
    }))
}

fn go_on(to: SessionId) -> Intent {
    Intent::Continue { to }
}

fn gone_on(to: SessionId, at: i64) -> Event {
    Event::Continued { to, at: second(at) }
}

#[test]
fn starting_again_in_the_same_way_is_no_news() {
    let story = nothing().when(start("ci")).then([started()]).at(9).when(start("ci")).no_news();
    // The same key from another folder or under another name leads to the same session.
    let story = story.when(start("other")).no_news();
    let Intent::Start(mut stranger) = start("ci") else { unreachable!("a start is a start") };
    stranger.owner = "somebody else".into();
    story.when(Intent::Start(stranger)).refused_as(Refusal::AlreadyStarted(HERE));
}

#[test]
fn nothing_happens_in_a_session_that_was_never_started() {
    for wish in [ask(&q(1)), answer(1, yes(), ann()), say("hi", None), Intent::Close { why: String::new() }] {
        nothing().when(wish).refused_as(Refusal::UnknownSession(HERE));
    }
}

#[test]
fn what_is_set_stays_until_it_is_set_anew() {
    let title = |title: &str| Settings { title: Some(title.into()), ..Settings::default() };
    let wishes = Wishes { messages: Some(WhileOpen::Refuse), ..Wishes::default() };
    let refuse = Settings { wishes: wishes.clone(), ..Settings::default() };
    let set = |settings: &Settings| Intent::Configure(Box::new(settings.clone()));
    let was_set = |settings: &Settings| Event::Configured(Box::new(settings.clone()));
    let story = given([]).when(set(&title("a"))).then([was_set(&title("a"))]);
    let story = story.when(set(&title("a"))).no_news().when(set(&Settings::default())).no_news();
    let story = story.when(set(&refuse)).then([was_set(&refuse)]).when(set(&title("b"))).then([was_set(&title("b"))]);
    assert_eq!(*story.session.settings, Settings { wishes, ..title("b") });
}

#[test]
fn interrupting_is_recorded_with_its_person() {
    let interrupted = Event::Interrupted { by: Some(ann()), at: second(3) };
    let story = given([said(1, "hi", None, None, 1)]).at(3);
    let story = story.when(Intent::Interrupt { by: Some(ann()) }).then([interrupted]);
    // A turn that began with a later message is not affected.
    assert_eq!(story.session.interrupted, Some(Interruption { at: second(3), after: 1 }));
}

#[test]
fn a_session_goes_on_elsewhere_once_nothing_is_unfinished() {
    let open = || given([asked(&q(1))]);
    let settled = || open().and(answered(&q(1), yes(), ann(), 1));
    for unfinished in [open(), settled()] {
        unfinished.when(go_on(THERE)).refused("ask_open");
    }
    let story = settled().and(delivered(1, 2)).at(3).when(go_on(THERE)).then([gone_on(THERE, 3)]);
    let story = story.at(4).when(go_on(THERE)).no_news();
    let story = story.when(go_on(SessionId(3))).refused_as(Refusal::MovedOn { from: HERE, to: THERE });
    story.when(ask(&q(2))).refused_as(Refusal::MovedOn { from: HERE, to: THERE });
    given([closed(1)]).when(go_on(THERE)).refused("session_closed");
    // The queue of a continued session is no longer read.
    given([said(1, "hi", None, None, 1)]).when(go_on(THERE)).refused("bad_request");
}
