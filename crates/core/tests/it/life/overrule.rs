//! The agent's own classifier denied a call; a person overrules that, once.

use askbridge_core::answer::{Answer, Decision, RuleSays, Scope};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::Event;
use askbridge_core::intent::{AskRuling, Due, Intent};
use askbridge_core::limits::OVERRULE_MAX;
use askbridge_core::refusal::Refusal;

use crate::asks::{On, denied, q};
use crate::facts::{
    answered, answered_late, asked, delivered, dismissed, expired, id, message, message_delivered, proven, said,
    stranded, used,
};
use crate::given::{Given, given, second};
use crate::people::{allow, ann};
use crate::wishes::{answer, ask, ask_ruled, deliver_message, dismiss, hand_message, rule, strand, tick, use_overrule};

fn a_denial() -> Ask {
    Ask { body: Body::Approval(denied()), ..q(1) }
}

fn leave(words: Option<&str>) -> Answer {
    Answer::Approval(Decision::Deny { words: words.map(Into::into), stop: false })
}

fn let_through() -> Given {
    given([asked(&a_denial())]).at(5).when(answer(1, allow(), ann())).then([answered(&a_denial(), allow(), ann(), 5)])
}

/// The message that it may call again.
fn taken_back() -> Event {
    Event::Unsaid { message: message(1) }
}

fn gone(why: &str, at: i64) -> Refusal {
    Refusal::Gone { ask: id(1), why: why.to_owned(), at: second(at) }
}

#[test]
fn a_person_lets_a_denied_call_through_once() {
    let told = let_through().and(delivered(1, 6)).at(7).when(use_overrule(1, "b")).then([used(1, "b", 7)]);
    // An agent that calls again has been told, or need not be.
    let untold = [used(1, "b", 7), proven(1, "b", 7)];
    let untold = let_through().at(7).when(use_overrule(1, "b")).then(untold);
    for story in [told, untold] {
        // The same call may ask again, because the first reply may be lost; another may not.
        let story = story.at(8).when(use_overrule(1, "b")).no_news();
        story.when(use_overrule(1, "c")).refused_as(gone("another call ran by it", 8));
    }
}

#[test]
fn nothing_else_lets_it_through() {
    let none = "no person overruled it";
    let open = || given([asked(&a_denial())]).at(9);
    open().when(use_overrule(1, "b")).refused_as(gone(none, 9));
    let stories = [
        open().and(answered(&a_denial(), leave(None), ann(), 5)),
        open().and(dismissed(&a_denial(), None, ann(), 5)),
        open().and(expired(&a_denial(), 5)),
    ];
    for story in stories {
        story.when(use_overrule(1, "b")).refused_as(gone(none, 9));
    }
    // An answer that can still be undone is none yet.
    let undoable = a_denial().undo(20);
    let proposed = given([asked(&undoable)]).at(9).when(answer(1, allow(), ann())).then_whatever();
    proposed.when(use_overrule(1, "b")).refused_as(gone(none, 9));
    // An ordinary approval is for the call that waits.
    let plain = Ask { body: Body::Approval(crate::asks::approval()), ..q(1) };
    let story = given([asked(&plain), answered(&plain, allow(), ann(), 5)]).at(9);
    story.when(use_overrule(1, "b")).refused_as(gone(none, 9));
    let closed = let_through().and(Event::Closed { why: "done".into(), at: second(6) });
    closed.when(use_overrule(1, "b")).refused("session_closed");
    let_through().when(use_overrule(2, "b")).refused("unknown_ask");
}

#[test]
fn an_overrule_lasts_for_a_day() {
    let day = i64::try_from(OVERRULE_MAX.as_secs()).unwrap();
    let told = || let_through().and(delivered(1, 6));
    told().at(5 + day - 1).when(use_overrule(1, "b")).then([used(1, "b", 5 + day - 1)]);
    told().at(5 + day).when(use_overrule(1, "b")).refused_as(gone("the call came too late", 5 + day));
}

#[test]
fn no_rule_overrules_a_denial() {
    given([asked(&a_denial())]).when(rule(1, "r", allow())).refused("answer_does_not_fit");
    given([]).when(ask_ruled(&a_denial(), "r", allow())).then([asked(&a_denial())]);
    let denies = |ask: &Ask| match self::ask(ask) {
        Intent::Ask(mut new) => {
            let says = RuleSays::Answer(leave(Some("not here")));
            new.ruling = Some(AskRuling { rule: "r".into(), place: None, says });
            Intent::Ask(new)
        }
        other => other,
    };
    let story = given([]).when(denies(&a_denial())).then_whatever();
    assert!(story.session.queue.is_empty(), "that a rule leaves the denial is no news to the agent");
    story.when(use_overrule(1, "b")).refused("gone");
}

#[test]
fn a_denied_call_runs_as_it_is_or_not_at_all() {
    let edited = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: Some("{}".into()) });
    let always = Answer::Approval(Decision::Allow { scope: Scope::Always(0), edited: None });
    for changed in [edited, always] {
        given([asked(&a_denial())]).when(answer(1, changed, ann())).refused("answer_does_not_fit");
    }
    let with_rules = Ask {
        body: Body::Approval(askbridge_core::ask::Approval { overrule: true, ..crate::asks::approval() }),
        ..q(1)
    };
    given([]).when(ask(&with_rules)).refused("bad_request");
}

#[test]
fn words_reach_the_agent_as_a_message_and_silence_is_no_news() {
    let text = "Your call “rm -r build” was denied. ann says: the denial stands: use make clean";
    let words = leave(Some("use make clean"));
    let told = [answered(&a_denial(), words.clone(), ann(), 5), said(1, text, Some(ann()), Some(1), 5)];
    given([asked(&a_denial())]).at(5).when(answer(1, words, ann())).then(told);
    for (wish, settled) in [
        (answer(1, leave(None), ann()), answered(&a_denial(), leave(None), ann(), 5)),
        (dismiss(1, None, ann()), dismissed(&a_denial(), None, ann(), 5)),
    ] {
        given([asked(&a_denial())]).at(5).when(wish.clone()).then([settled.clone()]);
        let gone = given([asked(&a_denial()), stranded(1)]).at(5).when(wish).then([settled]);
        assert!(!gone.session.asks[&1].is_unfinished());
    }
}

#[test]
fn an_agent_that_went_on_reads_that_it_may_call_again() {
    let text = "Your call “rm -r build” was denied. ann says: the denial is overruled; make exactly the same call again, \
                and it runs. This holds once";
    let story = given([asked(&a_denial())]).when(strand(1)).then([stranded(1)]).at(5);
    let told = [answered(&a_denial(), allow(), ann(), 5), said(1, text, Some(ann()), Some(1), 5)];
    let story = story.when(answer(1, allow(), ann())).then(told).at(7);
    let read = story.clone().when(deliver_message(1)).then([message_delivered(1, 7), delivered(1, 7)]);
    read.at(8).when(use_overrule(1, "b")).then([used(1, "b", 8)]);
    // It calls again by itself, before it has read that: then there is nothing left to say.
    let unread = [used(1, "b", 8), proven(1, "b", 8), taken_back()];
    let story = story.at(8).when(use_overrule(1, "b")).then(unread);
    assert!(story.session.queue.is_empty());
}

#[test]
fn a_late_yes_overrules_as_well() {
    let dated = a_denial().until(10);
    let story = given([asked(&dated)]).at(10).when(tick(1, Due::Expire)).then([expired(&dated, 10)]);
    let text = "Your call “rm -r build” was denied. ann now says: the denial is overruled; make exactly the same call \
                again, and it runs. This holds once";
    let late = [answered_late(1, allow(), ann(), 20), said(1, text, Some(ann()), Some(1), 20)];
    let story = story.and(delivered(1, 11)).at(20).when(answer(1, allow(), ann())).then(late).at(21);
    let unread = [used(1, "b", 21), taken_back()];
    story.clone().when(use_overrule(1, "b")).then(unread);
    let read = story.when(hand_message(1)).then_whatever();
    read.when(use_overrule(1, "b")).then([used(1, "b", 21)]);
}

#[test]
fn that_nobody_attends_leaves_the_denial_in_words() {
    let dated = a_denial().until(60);
    let Event::Settled(settled) = expired(&dated, 60) else { panic!() };
    assert_eq!(
        settled.verdict.words,
        "The denial stands: nobody overruled it within 60 seconds. Go on without this tool call."
    );
    assert!(!settled.verdict.stops_the_turn());
}
