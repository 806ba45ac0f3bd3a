//! prime: its client is closed source and known by its protocol alone, which this one follows exactly.

use askbridge_scripted::claude::Subject;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::house::House;
use crate::node::{play, play_with};
use crate::scripts::{CALL, hears_of_a_late_answer, house, house_with, house_with_forms};

/// Plays a scene with the double, and returns its house.
fn scene(name: &str) -> House {
    let house = house("prime", Subject::Fake);
    play(&house, "prime", name);
    house
}

#[test]
fn a_question_is_asked_and_the_answer_is_read_by_its_exact_text() {
    let house = scene("chat_and_question");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="B""#));
}

#[test]
fn an_answer_elsewhere_closes_the_card() {
    let house = scene("answered_elsewhere");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A""#));
}

#[test]
fn a_wrong_answer_is_refused_and_the_question_comes_again() {
    let house = scene("wrong_then_right");
    assert!(house.model.until_result(CALL).text.contains("neither, thank you"));
}

#[test]
fn a_list_for_one_choice_is_joined_as_the_original_does() {
    let house = scene("a_list_for_one_choice");
    assert!(house.model.until_result(CALL).text.contains(r#""Which?"="A, B""#));
}

#[test]
fn a_cancel_needs_no_answers() {
    scene("cancel_without_answers");
}

#[test]
fn every_answer_has_every_field_of_the_originals_models() {
    scene("every_field");
}

#[test]
fn messages_that_waited_behind_a_question_get_a_turn_each() {
    let house = house("prime", Subject::Real);
    play(&house, "prime", "a_turn_each");
}

#[test]
fn a_client_that_comes_back_finds_its_question() {
    scene("reconnect_with_an_open_question");
}

#[test]
fn a_client_that_comes_back_sees_what_it_missed_and_only_that() {
    scene("missed_while_away");
}

#[test]
fn the_newest_connection_takes_the_session() {
    scene("takeover");
}

#[test]
fn nobody_answers_and_a_late_answer_still_counts() {
    let house = scene("nobody_answers");
    hears_of_a_late_answer(&house);
}

#[test]
fn to_cancel_stops_the_turn() {
    let house = scene("cancel_stops_the_turn");
    assert!(house.model.unscripted().is_empty());
}

#[test]
fn a_message_waits_while_a_question_is_open() {
    scene("a_message_waits");
}

#[test]
fn an_interrupt_interrupts() {
    scene("interrupt");
}

#[test]
fn a_tool_that_it_cannot_show_never_hangs_the_session() {
    let house = scene("other_tools_run");
    assert!(!house.model.until_result(CALL).is_error);
}

#[test]
fn a_plan_that_it_cannot_show_never_hangs_the_session() {
    let house = scene("a_plan_is_a_question");
    assert!(!house.model.until_result(CALL).is_error);
}

/// A house that trusts the test's relay, and may call it.
fn house_with_a_relay() -> (House, [(&'static str, String); 2], tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut issuer = CertificateParams::default();
    issuer.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(issuer, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let authorities = file("authorities.pem", issuer.pem());
    let relay = [("CERT", file("cert.pem", own.pem())), ("KEY", file("key.pem", key.serialize_pem()))];
    let more = [
        ("ASKBRIDGE_OUTBOUND_AUTHORITIES", &*authorities),
        ("ASKBRIDGE_OUTBOUND_PRIVATE", "127.0.0.1"),
        ("ASKBRIDGE_NOTIFY_GRACE", "1s"),
    ];
    (house_with("prime", Subject::Fake, "Soon?", &more), relay, folder)
}

#[test]
fn devices_ring_while_nobody_is_connected_and_addresses_are_never_logged() {
    let (house, relay, _folder) = house_with_a_relay();
    let relay = relay.each_ref().map(|(name, value)| (*name, value.as_str()));
    play_with(&house, "prime", "rings_while_nobody_is_connected", &relay);
    assert!(!house.log().contains("/push/1"), "{}", house.log());
}

#[test]
fn a_notification_goes_to_every_device_and_those_that_are_gone_are_forgotten() {
    let (house, relay, _folder) = house_with_a_relay();
    let relay = relay.each_ref().map(|(name, value)| (*name, value.as_str()));
    play_with(&house, "prime", "notifications", &relay);
}

#[test]
fn whoever_may_not_come_in_stays_out() {
    scene("strangers");
}

#[test]
fn garbage_is_answered_as_the_original_does() {
    scene("garbage");
}

#[test]
fn a_form_that_it_cannot_show_never_hangs_the_session() {
    let house = house_with_forms("prime");
    play(&house, "prime", "a_form_is_questions");
    assert!(house.model.until_result(CALL).text.contains("db.example"));
}
