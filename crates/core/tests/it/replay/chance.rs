//! Strategies for random intents: mostly plausible, about asks and messages that mostly exist, at times that mostly
//! move forward.

use askbridge_core::answer::{Answer, Decision, Pick, Who};
use askbridge_core::ask::{Ask, Body, Reach};
use askbridge_core::event::{CallResult, Event, Parcel, Settings};
use askbridge_core::ids::{AskId, Epoch, NodeId, SessionId, Timestamp};
use askbridge_core::intent::{Due, Intent, Takeover};
use askbridge_core::terms::{OnExpiry, Wait, Warm, WhileOpen};
use proptest::prelude::*;
use proptest::sample::select;

use crate::asks::{approval, ask, denied, q, secs};
use crate::facts::{id, message, started};
use crate::people::{allow, ann, ann_at_her_desk, bob, cyd, no, yes};
use crate::wishes;

/// One intent, and by how many seconds the clock moves before it.
#[derive(Debug, Clone)]
pub(crate) struct TimedIntent {
    pub(crate) wish: Intent,
    pub(crate) moves: i64,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<TimedIntent>> {
    let moves = prop_oneof![6 => 0..4_i64, 2 => 4..40_i64, 1 => -5..0_i64];
    let wish = prop_oneof![4 => new_ask(), 10 => about_an_ask(), 3 => about_messages(), 1 => about_the_session()];
    prop::collection::vec((wish, moves).prop_map(|(wish, moves)| TimedIntent { wish, moves }), 1..60)
}

/// Returns the intent as made at this time: deadlines of new asks are drawn as seconds from then.
pub(crate) fn made_at(mut wish: Intent, at: Timestamp) -> Intent {
    if let Intent::Ask(new) = &mut wish {
        new.terms.deadline = new.terms.deadline.map(|wait| Timestamp(at.0 + wait.0));
    }
    wish
}

/// The event before the first step: usually the session's start.
pub(crate) fn beginning() -> impl Strategy<Value = Option<Event>> {
    prop_oneof![20 => Just(Some(started())), 1 => Just(None)]
}

fn new_ask() -> impl Strategy<Value = Intent> {
    // Few bodies, so that the same question is often asked again.
    let body = select(vec![q(1).body, q(1).body, q(2).body, Body::Approval(approval()), Body::Approval(denied())]);
    let terms = (
        prop::option::of((1..30_i64).prop_map(|wait| Timestamp(wait * 1000))),
        select(vec![OnExpiry::Tell, OnExpiry::TellAndStop, OnExpiry::Assume(vec![Pick::option(1)])]),
        select(vec![0, 0, 5, 20]),
        select(vec![WhileOpen::Hold, WhileOpen::Hold, WhileOpen::PassOn, WhileOpen::CancelTurn, WhileOpen::Refuse]),
        prop::bool::weighted(0.95),
        select(vec![1, 1, 1, 2, 3]),
        select(vec![Warm::Hold, Warm::For(secs(10))]),
    );
    let reach = select(vec![Reach::Resumable, Reach::Pull, Reach::Held]);
    let key = prop::option::weighted(0.3, select(vec!["k", "l", "m"]));
    (body, terms, reach, key).prop_map(|(body, terms, reach, key)| {
        let mut made = Ask { reach, key: key.map(Into::into), ..ask(body) };
        let (deadline, on_expiry, undo, messages, parallel, quorum, warm) = terms;
        made.terms.undo = secs(undo);
        (made.terms.deadline, made.terms.on_expiry, made.terms.messages) = (deadline, on_expiry, messages);
        (made.terms.parallel, made.terms.quorum, made.terms.warm) = (parallel, quorum, warm);
        wishes::ask(&made)
    })
}

fn an_ask() -> impl Strategy<Value = AskId> {
    let elsewhere = AskId { session: SessionId(9), number: 1 };
    prop_oneof![40 => (1..5_u32).prop_map(id), 4 => (0..12_u32).prop_map(id), 1 => Just(elsewhere)]
}

fn someone() -> impl Strategy<Value = Who> {
    select(vec![ann(), ann(), ann_at_her_desk(), bob(), cyd()])
}

fn something() -> impl Strategy<Value = Answer> {
    let deny = Answer::Approval(Decision::Deny { words: None, stop: true });
    select(vec![
        yes(),
        yes(),
        yes(),
        no(),
        allow(),
        deny,
        Answer::Questions(vec![]),
        Answer::Questions(vec![Pick::option(9)]),
    ])
}

fn about_an_ask() -> impl Strategy<Value = Intent> {
    let due = select(vec![Due::Expire, Due::Commit, Due::WarmOver]);
    let wait = select(vec![Wait::Forever, Wait::For(secs(0)), Wait::For(secs(20))]);
    let words = prop::option::of(select(vec!["not now", " "]));
    let undo = select(vec![secs(0), secs(0), secs(5), secs(60)]);
    (an_ask(), something(), someone(), due, wait, words, undo, 0..20_u8).prop_map(
        |(ask, answer, by, due, wait, words, undo, which)| match which {
            0..=3 => Intent::Answer { ask, answer, by, undo },
            4 => Intent::Vote { ask, answer, by },
            5 => Intent::Undo { ask, by },
            6 => Intent::Dismiss { ask, words: words.map(Into::into), by },
            7 => Intent::Extend { ask, wait, by },
            8 => Intent::Rule { ask, rule: "r".into(), answer },
            9 => Intent::Correct { ask, answer, by },
            10 => Intent::Withdraw { ask, why: "x".into() },
            11 => Intent::Overtake { ask, mouth: "terminal".into(), ran: None },
            12 => Intent::Park { ask },
            13 => Intent::Strand { ask },
            14 => Intent::Hand { parcel: Parcel::Verdict(ask) },
            15 => Intent::Deliver { parcel: Parcel::Verdict(ask), proof: "seen".into() },
            16 => {
                let result = CallResult { call: "call".into(), ok: true, output: "done".into() };
                Intent::Return { ask, result: Box::new(result) }
            }
            17 => Intent::Abandon { ask, why: "x".into() },
            18 => Intent::UseOverrule { ask, call: "call".into() },
            _ => Intent::Tick { ask, due },
        },
    )
}

fn about_messages() -> impl Strategy<Value = Intent> {
    let text = select(vec!["hello", ""]);
    (text, prop::option::of(someone()), prop::option::of(an_ask()), 0..6_u32, 0..4_u8).prop_map(
        |(text, by, about, number, which)| match which {
            0 => Intent::Say { text: text.into(), by, about, client_id: None },
            1 => Intent::Unsay { message: message(number) },
            2 => Intent::Hand { parcel: Parcel::Message(message(number)) },
            _ => Intent::Deliver { parcel: Parcel::Message(message(number)), proof: "seen".into() },
        },
    )
}

fn about_the_session() -> impl Strategy<Value = Intent> {
    let settings = Settings { title: Some("t".into()), ..Settings::default() };
    let claim = |node, takeover| Intent::Claim { node: NodeId(node), process: None, takeover };
    select(vec![
        Intent::Close { why: "done".into() },
        Intent::Continue { to: SessionId(2) },
        Intent::Interrupt { by: None },
        Intent::Configure(Box::new(settings)),
        claim(1, Takeover::OnlyIfFree),
        claim(2, Takeover::OnlyIfFree),
        claim(2, Takeover::HostIsGone),
        Intent::Release { epoch: Epoch(1) },
        Intent::Release { epoch: Epoch(2) },
        Intent::Interrupt { by: None }.of_host(Epoch(1)),
    ])
}
