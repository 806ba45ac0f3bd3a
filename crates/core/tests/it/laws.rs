//! The laws that can be checked on the rules alone, each by name.

use askbridge_core::answer::{Answer, Decision, Filled, Outcome, Pick, Review, Scope};
use askbridge_core::ask::{Ask, Body, Kind, Plan};
use askbridge_core::event::Event;
use askbridge_core::terms::{OnDismissal, OnExpiry};
use askbridge_core::verdict::{Ruling, Verdict, follow_up, in_words, verdict};

use crate::asks::{On, approval, every_kind_of_field, q, question, secs};
use crate::facts::{answered, asked, delivered};
use crate::given::given;
use crate::people::{allow, ann, bob, cyd, no, won, yes};
use crate::wishes::{answer, dismiss, rule};

fn every_body() -> [Body; 4] {
    [
        Body::Questions(vec![question("Tabs?", &["Yes", "No"]), question("Spaces?", &["Yes", "No"])]),
        Body::Approval(approval()),
        Body::Plan(Plan { text: "1. Build".into() }),
        Body::Form(every_kind_of_field()),
    ]
}

/// One answer of the kind, and one that says no or leaves something out.
fn answers(kind: Kind) -> [Answer; 2] {
    match kind {
        Kind::Questions => [
            Answer::Questions(vec![Pick::option(0), Pick::option(1)]),
            Answer::Questions(vec![Pick::option(0), Pick::default()]),
        ],
        Kind::Approval => [allow(), Answer::Approval(Decision::Deny { words: None, stop: false })],
        Kind::Plan => {
            [Answer::Plan(Review::Approve { edited: None }), Answer::Plan(Review::SendBack { words: "shorter".into() })]
        }
        Kind::Form => [Answer::Form(Filled::Accept(vec![])), Answer::Form(Filled::Decline { words: None })],
    }
}

fn every_expiry() -> [OnExpiry; 4] {
    let assume = |picks: &[u16]| OnExpiry::Assume(picks.iter().map(|pick| Pick::option(*pick)).collect());
    [OnExpiry::Tell, OnExpiry::TellAndStop, assume(&[0, 1]), assume(&[])]
}

/// Every body, with every combination of terms for expiry and dismissal.
fn every_ask() -> Vec<Ask> {
    let mut asks = Vec::new();
    for body in every_body() {
        for on_expiry in every_expiry() {
            for on_dismissal in [OnDismissal::Tell, OnDismissal::TellAndStop] {
                let mut ask = Ask { body: body.clone(), ..q(1).until(600) };
                ask.terms.on_expiry = on_expiry.clone();
                ask.terms.on_dismissal = on_dismissal;
                asks.push(ask);
            }
        }
    }
    asks
}

fn dismissed(words: Option<&str>) -> Outcome {
    Outcome::Dismissed { words: words.map(Into::into), by: ann() }
}

fn told(ask: &Ask, outcome: &Outcome) -> Verdict {
    verdict(ask, outcome, secs(600))
}

// Law 2: one outcome.

#[test]
fn one_outcome_however_many_answer() {
    let crowd = [
        answer(1, yes(), ann()),
        answer(1, no(), bob()),
        dismiss(1, Some("not now"), cyd()),
        rule(1, "never", no()),
        answer(1, yes(), bob()),
        answer(1, no(), ann()),
    ];
    for first in 0..crowd.len() {
        let story = given([asked(&q(1))]).at(1).when(crowd[first].clone()).then_whatever();
        for later in &crowd {
            let decided = story.clone().when(later.clone()).decided();
            match decided {
                Ok(events) => assert!(!events.iter().any(|event| matches!(event, Event::Settled(_))), "{events:?}"),
                Err(refusal) => assert_eq!(refusal.code(), "already_decided"),
            }
        }
    }
}

#[test]
fn the_same_answer_again_succeeds_and_a_different_one_names_the_winner() {
    for over in [false, true] {
        let story = given([asked(&q(1)), answered(&q(1), yes(), ann(), 3)]);
        let story = if over { story.and(delivered(1, 4)) } else { story };
        let story = story.at(9).when(answer(1, yes(), ann())).no_news();
        story.when(answer(1, no(), bob())).refused_as(won(1, ann(), 3));
    }
}

// Law 3: nothing is invented.

#[test]
fn no_verdict_on_expiry_ever_allows() {
    for ask in every_ask() {
        for outcome in [Outcome::Expired, dismissed(None), dismissed(Some("allow"))] {
            let verdict = told(&ask, &outcome);
            let assumes = matches!(ask.terms.on_expiry, OnExpiry::Assume(_)) && outcome == Outcome::Expired;
            match verdict.ruling {
                Ruling::Deny | Ruling::DenyAndStop => {}
                Ruling::Assume(Answer::Questions(_)) => assert!(assumes && ask.body.kind() == Kind::Questions),
                ruling => panic!("{ruling:?} on {outcome:?}"),
            }
            assert!(!verdict.words.is_empty());
        }
    }
}

#[test]
fn a_verdict_stops_the_turn_exactly_where_the_terms_say_so() {
    for ask in every_ask() {
        let on_expiry = told(&ask, &Outcome::Expired).stops_the_turn();
        assert_eq!(on_expiry, ask.terms.on_expiry == OnExpiry::TellAndStop);
        let on_dismissal = told(&ask, &dismissed(None)).stops_the_turn();
        assert_eq!(on_dismissal, ask.terms.on_dismissal == OnDismissal::TellAndStop);
    }
}

#[test]
fn a_timeout_never_says_that_a_person_declined() {
    for ask in every_ask() {
        let words = told(&ask, &Outcome::Expired).words;
        assert!(words.contains("obody") && words.contains("within 10 minutes"), "{words}");
        for claim in ["person closed", "The person", "the person", "user", "Declined", "refused", "rejected"] {
            assert!(!words.contains(claim), "{claim}: {words}");
        }
    }
}

#[test]
fn a_dismissal_is_told_as_one_with_the_persons_own_words() {
    for ask in every_ask() {
        let words = told(&ask, &dismissed(None)).words;
        assert!(words.contains("the person closed") || words.contains("The person closed"), "{words}");
        assert!(!words.contains("obody"), "{words}");
        let words = told(&ask, &dismissed(Some("{wait} for Bob"))).words;
        assert!(words.ends_with("wrote: {wait} for Bob"), "{words}");
    }
}

#[test]
fn skipped_questions_are_named() {
    let body = Body::Questions(["One?", "Two?", "Three?"].map(|text| question(text, &["A"])).to_vec());
    let ask = Ask { body, ..q(1) };
    let (said, skipped) = (Pick::option(0), Pick::default());
    let noted = Pick { note: Some("later".into()), ..Pick::default() };
    let rows = [
        (vec![said.clone(), said.clone(), said.clone()], ""),
        (
            vec![said.clone(), skipped.clone(), said.clone()],
            "Not answered: “Two?”. The person skipped it; do not assume an answer.",
        ),
        (vec![skipped, said, noted], "Not answered: “One?”, “Three?”. The person skipped it; do not assume an answer."),
    ];
    for (picks, words) in rows {
        let answer = Answer::Questions(picks);
        let outcome = Outcome::Answered { answer: answer.clone(), by: ann() };
        assert_eq!(told(&ask, &outcome), Verdict { ruling: Ruling::Answer(answer), words: words.into() });
    }
}

#[test]
fn a_rules_verdict_names_the_rule_and_no_person() {
    for body in every_body() {
        for answer in answers(body.kind()) {
            let ask = Ask { body: body.clone(), ..q(1) };
            let verdict =
                told(&ask, &Outcome::Ruled { rule: "no deploys".into(), place: None, answer: answer.clone() });
            assert_eq!(verdict.ruling, Ruling::Answer(answer));
            let rest = verdict.words.strip_prefix("Decided by the rule “no deploys”, not by a person.").unwrap();
            assert!(!rest.contains("person"), "{rest}");
        }
    }
}

#[test]
fn an_assumption_is_called_one() {
    let verdict = told(&q(1).until(600).assuming(1), &Outcome::Expired);
    let words = "Nobody answered within 10 minutes. The asker's own default applies; no person chose it: No";
    assert_eq!(verdict, Verdict { ruling: Ruling::Assume(no()), words: words.into() });
}

#[test]
fn a_changed_input_is_never_told_as_a_plain_yes() {
    let edited = Answer::Approval(Decision::Allow { scope: Scope::Once, edited: Some("{\"command\":\"ls\"}".into()) });
    let body = Body::Approval(approval());
    assert_eq!(in_words(&body, &edited), "allowed, with the input changed to: {\"command\":\"ls\"}");
    let verdict = told(&Ask { body, ..q(1) }, &Outcome::Answered { answer: edited.clone(), by: ann() });
    let words = "Allowed with a changed input; the changed input is what counts.";
    assert_eq!(verdict, Verdict { ruling: Ruling::Answer(edited), words: words.into() });
}

// Law 6: a late answer still counts.

#[test]
fn a_late_answer_quotes_the_question_what_was_told_then_and_what_is_said_now() {
    for ask in every_ask() {
        for answer in answers(ask.body.kind()) {
            let then = told(&ask, &Outcome::Expired);
            let text = follow_up(&ask, &then, &answer, &ann());
            let told_then = match &then.ruling {
                Ruling::Assume(assumed) => format!("you were to assume: {}", in_words(&ask.body, assumed)),
                _ => "You were told at the time that nobody had answered".to_owned(),
            };
            let now = format!("ann now says: {}", in_words(&ask.body, &answer));
            let parts = [format!("“{}”", ask.body.headline()), told_then, now];
            let places: Vec<_> = parts.iter().map(|part| text.find(part.as_str())).collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
        }
    }
}

#[test]
fn a_correction_quotes_what_the_rule_decided() {
    let then = told(&q(1), &Outcome::Ruled { rule: "never".into(), place: None, answer: no() });
    let text =
        "A late answer to your earlier question “Question 1?”. At the time a rule decided: No. ann now says: Yes";
    assert_eq!(follow_up(&q(1), &then, &yes(), &ann()), text);
}
