//! Messages to the agent, some while it waits for an answer.

use askbridge_core::event::Event;
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::WhileOpen;

use crate::asks::{On, q};
use crate::facts::{answered, asked, id, message, message_handed, said, withdrawn};
use crate::given::{given, second};
use crate::people::{ann, yes};
use crate::wishes::{say, unsay};

#[test]
fn a_message_waits_in_the_journal_and_can_be_unsaid() {
    let hello = said(1, "hello", Some(ann()), None, 4);
    let story = given([]).at(4).when(say("hello", Some(ann()))).then([hello]);
    let story = story.when(say("more", None)).then([said(2, "more", None, None, 4)]);
    let story = story.when(unsay(1)).then([Event::Unsaid { message: message(1) }]);
    let story = story.when(unsay(1)).refused_as(Refusal::UnknownMessage(message(1)));
    let story = story.and(message_handed(2, 1)).when(unsay(2)).refused_as(Refusal::UnknownMessage(message(2)));
    story.when(say("again", None)).then([said(3, "again", None, None, 4)]);
}

#[test]
fn while_an_ask_is_open_its_terms_say_what_a_message_does() {
    let open = |messages| given([asked(&q(1).messages(messages)), asked(&q(2))]).at(4);
    let hello = || said(1, "hello", Some(ann()), None, 4);
    let wish = || say("hello", Some(ann()));
    open(WhileOpen::Hold).when(wish()).then([hello()]);
    open(WhileOpen::PassOn).when(wish()).then([hello()]);
    open(WhileOpen::Refuse).when(wish()).refused_as(Refusal::MessagesRefused(id(1)));
    let why = "a new message ended the turn";
    let interrupted = Event::Interrupted { by: Some(ann()), at: second(4) };
    let events = [interrupted, withdrawn(1, why, 4), withdrawn(2, why, 4), hello()];
    open(WhileOpen::CancelTurn).when(wish()).then(events);
}

#[test]
fn once_the_ask_is_settled_messages_are_free_again() {
    for messages in [WhileOpen::Refuse, WhileOpen::CancelTurn] {
        let ask = q(1).messages(messages);
        let settled = given([asked(&ask), answered(&ask, yes(), ann(), 1)]);
        settled.at(4).when(say("hello", None)).then([said(1, "hello", None, None, 4)]);
    }
}

#[test]
fn a_message_needs_words_and_not_too_many() {
    given([]).when(say(" \n", None)).refused("bad_request");
    let most = "x".repeat(limits::ANSWER_TEXT_BYTES_MAX);
    given([]).when(say(&format!("{most}x"), None)).refused("bad_request");
    given([]).when(say(&most, None)).then([said(1, &most, None, None, 0)]);
}
