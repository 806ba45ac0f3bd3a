//! An agent asks.

use askbridge_core::answer::Pick;
use askbridge_core::ask::{Approval, Ask, Body, Form};
use askbridge_core::event::{CallMade, CallRuled, ToolRuling};
use askbridge_core::limits;
use askbridge_core::refusal::Refusal;
use askbridge_core::terms::{OnExpiry, Terms};

use crate::asks::{On, approval, field, multi, q, question, secs};
use crate::facts::{answered, asked, delivered, id, withdrawn};
use crate::given::given;
use crate::people::{ann, yes};
use crate::wishes::{ask, ask_from};

fn about(body: Body) -> Ask {
    Ask { body, ..q(1) }
}

#[test]
fn asks_are_numbered_in_the_order_they_are_made() {
    let story = given([]).when(ask(&q(1))).then([asked(&q(1))]);
    story.at(5).when(ask(&q(2))).then([asked(&q(2).asked_at(5))]);
}

#[test]
fn the_same_key_is_the_same_ask_for_ever() {
    let first = q(1).key("k");
    let other = Ask { body: q(2).body, ..first.clone() };
    let used = || Refusal::BadRequest("this idempotency key was used for a different ask".into());
    let open = [asked(&first)].to_vec();
    let over = [asked(&first), answered(&first, yes(), ann(), 1), delivered(1, 2)].to_vec();
    let gone = [asked(&first), withdrawn(1, "no more", 1)].to_vec();
    for events in [open, over, gone] {
        let story = given(events).when(ask(&first)).no_news().when(ask(&other)).refused_as(used());
        story.when(ask(&q(2).key("l"))).then([asked(&q(2).key("l"))]);
    }
}

#[test]
fn a_call_is_stored_with_the_ask_that_it_made_and_once() {
    let from = Ask { call: Some("call_1".into()), ..q(1).key("call_1") };
    let made = CallMade { name: "AskUserQuestion".into(), input: "{}".into(), within: None, ruled: None };
    let (stored, _) = made.clone().events("call_1".into(), Some(id(1)));
    let story = given([]).when(ask_from(&from, made.clone())).then([asked(&from), stored]);
    story.when(ask_from(&from, made)).no_news();
}

#[test]
fn the_rule_that_sent_a_call_to_a_person_is_stored_with_the_ask() {
    let from = Ask { call: Some("call_1".into()), ..q(1).key("call_1") };
    let ruled = Some(CallRuled { rule: "always_ask = Bash".into(), place: None, ruling: ToolRuling::Ask });
    let made = CallMade { name: "Bash".into(), input: "{}".into(), within: None, ruled };
    let (stored, ruled) = made.clone().events("call_1".into(), Some(id(1)));
    let story = given([]).when(ask_from(&from, made.clone())).then([asked(&from), stored, ruled.expect("a rule")]);
    story.when(ask_from(&from, made)).no_news();
}

#[test]
fn one_ask_at_a_time_where_the_terms_say_so() {
    let alone = Refusal::AskOpen(id(1));
    given([asked(&q(1).alone())]).when(ask(&q(2))).refused_as(alone.clone());
    given([asked(&q(1))]).when(ask(&q(2).alone())).refused_as(alone);
    let settled = answered(&q(1).alone(), yes(), ann(), 1);
    given([asked(&q(1).alone()), settled]).when(ask(&q(2).alone())).then([asked(&q(2).alone())]);
}

#[test]
fn what_no_person_could_decide_about_is_refused() {
    let assuming = |body, picks| {
        let mut ask = about(body);
        ask.terms.on_expiry = OnExpiry::Assume(picks);
        ask
    };
    let one = || Body::Questions(vec![question("One?", &["A", "B"])]);
    let too_many_options = vec!["x"; limits::OPTIONS_MAX + 1];
    let fields = vec![field("f", askbridge_core::ask::FieldKind::Text, false); limits::FIELDS_MAX + 1];
    let rows = [
        about(Body::Questions(vec![])),
        about(Body::Questions(vec![question("x", &[]); limits::QUESTIONS_MAX + 1])),
        about(Body::Questions(vec![multi("x", &too_many_options)])),
        about(Body::Form(Form { message: "m".into(), fields, url: None, schema: None })),
        about(Body::Approval(Approval { tool: String::new(), summary: None, ..approval() })),
        about(Body::Approval(Approval { tool: "\u{200b}".into(), ..approval() })),
        assuming(one(), vec![]),
        assuming(one(), vec![Pick::default()]),
        assuming(one(), vec![Pick::option(2)]),
        assuming(one(), vec![Pick { chosen: vec![0, 1], ..Pick::default() }]),
        assuming(Body::Approval(approval()), vec![Pick::option(0)]),
    ];
    for row in rows {
        given([]).when(ask(&row)).refused("bad_request");
    }
    given([]).when(ask(&q(1).assuming(1))).then([asked(&q(1).assuming(1))]);
}

#[test]
fn a_key_that_comes_with_other_terms_is_refused_before_and_after_the_end() {
    let keyed = |stated| Ask { key: Some("k".into()), stated, ..q(1) };
    let open = || given([asked(&keyed(Some(1)))]);
    open().when(ask(&keyed(Some(1)))).no_news();
    open().when(ask(&keyed(Some(2)))).refused("bad_request");
    let over = || given([asked(&keyed(Some(1))), answered(&q(1), yes(), ann(), 2), delivered(1, 3)]);
    over().when(ask(&keyed(Some(1)))).no_news();
    over().when(ask(&keyed(Some(2)))).refused("bad_request");
    // A rule that changed in between gives the same request other terms. It is still the same ask.
    let ruled_otherwise = Ask { terms: Terms { undo: secs(7), ..q(1).terms }, ..keyed(Some(1)) };
    open().when(ask(&ruled_otherwise)).no_news();
    // Asks from before `stated` was stored are compared by their body alone, as before.
    let before = || given([asked(&keyed(None))]);
    before().when(ask(&keyed(Some(2)))).no_news();
}
