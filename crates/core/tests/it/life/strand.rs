//! The way back to the agent is gone: the answer becomes a message.

use askbridge_core::answer::{Answer, Decision, Scope};
use askbridge_core::ask::{Ask, Body};
use askbridge_core::event::Event;
use askbridge_core::ids::{MessageId, SessionId};
use askbridge_core::intent::{Due, Intent};

use crate::asks::{On, approval, q};
use crate::facts::{
    answered, answered_late, asked, delivered, dismissed, expired, message_delivered, overtaken, ruled, said, stranded,
};
use crate::given::{Given, given, second};
use crate::people::{ann, yes};
use crate::wishes::{answer, deliver, deliver_message, dismiss, hand_message, overtake, rule, say, strand, tick};

const LOST: &str = "You asked “Question 1?” and the connection was lost before the answer.";

fn now_stranded(ask: &Ask) -> Given {
    given([asked(ask)]).when(strand(1)).then([stranded(1)]).when(strand(1)).no_news()
}

/// Each way to decide, what it settles, and the message that it becomes.
fn decisions() -> [(Intent, Event, Event); 4] {
    let about = |text: &str, by| said(1, &format!("{LOST} {text}"), by, Some(1), 5);
    let closed = "The person closed the question without";
    [
        (answer(1, yes(), ann()), answered(&q(1), yes(), ann(), 5), about("ann says: Yes", Some(ann()))),
        (
            dismiss(1, Some("ask Bob"), ann()),
            dismissed(&q(1), Some("ask Bob"), ann(), 5),
            about(&format!("{closed} choosing, and wrote: ask Bob"), Some(ann())),
        ),
        (
            dismiss(1, None, ann()),
            dismissed(&q(1), None, ann(), 5),
            about(
                &format!("{closed} answering. Do not assume an answer: go on without it, or ask differently."),
                Some(ann()),
            ),
        ),
        (rule(1, "yes to all", yes()), ruled(&q(1), "yes to all", yes(), 5), {
            about("The rule “yes to all” decided, not a person: Yes", None)
        }),
    ]
}

#[test]
fn what_is_decided_after_stranding_becomes_a_message() {
    for (wish, settled, said) in decisions() {
        now_stranded(&q(1)).at(5).when(wish).then([settled, said]);
    }
}

#[test]
fn what_was_decided_before_stranding_becomes_a_message() {
    for (wish, settled, said) in decisions() {
        let story = given([asked(&q(1))]).at(5).when(wish).then([settled]);
        story.when(strand(1)).then([stranded(1), said]).when(strand(1)).no_news();
    }
}

#[test]
fn delivering_the_message_delivers_the_ask() {
    let story = now_stranded(&q(1)).at(5).when(answer(1, yes(), ann())).then_whatever();
    let story = story.at(7).when(deliver_message(1)).then([message_delivered(1, 7), delivered(1, 7)]);
    let story = story.when(deliver_message(1)).no_news().when(deliver(1)).no_news();
    assert_eq!((story.session.asks.len(), story.session.queue.len()), (0, 0));
}

#[test]
fn what_the_agent_has_heard_cannot_be_stranded() {
    let answered = answered(&q(1), yes(), ann(), 1);
    given([asked(&q(1)), answered, delivered(1, 2)]).when(strand(1)).no_news();
    let dated = q(1).until(10);
    given([asked(&dated), expired(&dated, 10), delivered(1, 11)]).when(strand(1)).no_news();
}

#[test]
fn that_nobody_came_is_not_told_to_an_agent_that_is_gone() {
    let dated = q(1).until(10);
    let expires = || now_stranded(&dated).at(10).when(tick(1, Due::Expire)).then([expired(&dated, 10)]);
    let there = SessionId(2);
    expires().when(Intent::Continue { to: there }).then([Event::Continued { to: there, at: second(10) }]);
    let text = "A late answer to your earlier question “Question 1?”. \
                You were told at the time that nobody had answered. ann now says: Yes";
    let late = [answered_late(1, yes(), ann(), 20), said(1, text, Some(ann()), Some(1), 20)];
    expires().at(20).when(answer(1, yes(), ann())).then(late);
}

#[test]
fn a_changed_input_is_part_of_the_message() {
    let ask = Ask { body: Body::Approval(approval()), ..q(1) };
    let edited = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: Some(r#"{"command":"ls"}"#.into()) });
    let text = "You asked “rm -r build” and the connection was lost before the answer. \
                ann says: allowed, with the input changed to: {\"command\":\"ls\"}";
    let then = [answered(&ask, edited.clone(), ann(), 5), said(1, text, Some(ann()), Some(1), 5)];
    now_stranded(&ask).at(5).when(answer(1, edited, ann())).then(then);
}

#[test]
fn an_agent_that_heard_it_by_another_way_is_not_told_by_the_message() {
    for (wish, ..) in decisions() {
        let told = || now_stranded(&q(1)).at(5).when(wish.clone()).then_whatever();
        let taken_back = || Event::Unsaid { message: MessageId { session: told().session.id, number: 1 } };
        let story = told().at(7).when(overtake(1)).then([taken_back(), overtaken(1, 7)]);
        assert!(story.session.queue.is_empty());
        let story = told().at(7).when(deliver(1)).then([delivered(1, 7), taken_back()]);
        assert!(story.session.queue.is_empty());
    }
}

#[test]
fn what_else_was_written_about_a_stranded_ask_stays() {
    let story = now_stranded(&q(1)).at(5).when(answer(1, yes(), ann())).then_whatever();
    let story = story.when(say("And be quick", Some(ann()))).then_whatever().when(overtake(1)).then_whatever();
    assert_eq!(story.session.queue.len(), 1, "only the answer is taken back");
    // A message that was handed over may have been read.
    let story = now_stranded(&q(1)).at(5).when(answer(1, yes(), ann())).then_whatever();
    story.when(hand_message(1)).then_whatever().at(7).when(overtake(1)).then([overtaken(1, 7)]);
}
