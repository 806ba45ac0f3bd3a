use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::news::by_default;

mod news;

use news::{news, tells};

#[derive(Debug, Clone, Default)]
struct Around {
    away: bool,
    present: BTreeSet<(String, AskId)>,
    minute: u16,
}

impl Surroundings for Around {
    fn is_away(&self) -> bool {
        self.away
    }

    fn held(&self, _: &ChannelId, person: &PersonId, ask: AskId) -> Option<Held> {
        self.present.contains(&(person.to_string(), ask)).then_some(Held::Present)
    }

    fn is_present(&self, _: &ChannelId, person: &PersonId, _: Option<SessionId>) -> bool {
        self.present.iter().any(|(name, _)| name == person.as_str())
    }

    fn minute(&self) -> u16 {
        self.minute
    }
}

const T: Timestamp = Timestamp(1_000_000);

fn at(seconds: u64) -> Timestamp {
    T.plus(Duration::from_secs(seconds))
}

fn ask_no(number: u32) -> AskId {
    AskId { session: SessionId(7), number }
}

fn open_at(number: u32, at: Timestamp) -> OpenAsk {
    OpenAsk { id: ask_no(number), at, audience: Audience::Everyone, is_urgent: false }
}

fn channel(name: &str) -> ChannelId {
    ChannelId(name.to_owned())
}

fn terms(person: &str) -> ChannelTerms {
    ChannelTerms {
        person: PersonId::from(person),
        added_at: Timestamp(0),
        quiet: None,
        tells: by_default(),
        is_broken: false,
    }
}

fn with_channels(of: &[(&str, &str)]) -> Ringer {
    let mut ringer = Ringer::new(RingOptions::default());
    for (name, person) in of {
        ringer.set_channel(channel(name), terms(person));
    }
    ringer
}

fn sent() -> Fate {
    Fate::Sent { reference: None }
}

/// Carries every ring and close out, successfully, until nothing is due at `now`. Returns what rang.
fn ring_all(ringer: &mut Ringer, now: Timestamp, around: &Around) -> Vec<(ChannelId, Vec<AskId>)> {
    let mut rang = Vec::new();
    for _ in 0..1000 {
        let effects = ringer.poll(now, around);
        if effects.iter().all(|effect| matches!(effect, Effect::Hold { .. })) {
            return rang;
        }
        for effect in effects {
            match effect {
                Effect::Ring { channel, asks, .. } => {
                    ringer.rang(&channel, &asks, &sent(), now);
                    rang.push((channel, asks.to_vec()));
                }
                Effect::Close { channel, ask } => drop(ringer.closed(&channel, ask, &sent(), now)),
                Effect::Tell { channel, news } => drop(ringer.told(&channel, news, &sent(), now)),
                Effect::Hold { .. } | Effect::Broken { .. } | Effect::Works { .. } => {}
            }
        }
    }
    panic!("it never ends");
}

#[test]
fn an_ask_rings_once_after_its_grace_on_every_channel_of_those_who_may_decide() {
    let mut ringer = with_channels(&[("phone", "ada"), ("desk", "ada"), ("bob", "bob")]);
    let around = Around::default();
    let only_ada = Audience::Only(vec![PersonId::from("ada")]);
    ringer.opened(OpenAsk { audience: only_ada, ..open_at(1, T) }, BTreeMap::new(), &around);
    assert_eq!(ringer.next_at(T), Some(at(15)));
    assert_eq!(ringer.poll(at(14), &around), []);
    let mut rang = ring_all(&mut ringer, at(15), &around);
    rang.sort();
    assert_eq!(rang, [(channel("desk"), vec![ask_no(1)]), (channel("phone"), vec![ask_no(1)])]);
    assert_eq!(ring_all(&mut ringer, at(16), &around), []);
}

#[test]
fn an_ask_that_was_answered_in_the_grace_never_rings() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    ringer.opened(open_at(1, T), BTreeMap::new(), &Around::default());
    ringer.settled(ask_no(1));
    assert_eq!(ringer.next_at(T), None);
    assert_eq!(ringer.poll(at(1000), &Around::default()), []);
}

#[test]
fn it_rings_at_once_while_a_person_has_said_that_they_are_away() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around { away: true, ..Around::default() };
    ringer.opened(open_at(1, T), BTreeMap::new(), &around);
    assert_eq!(ring_all(&mut ringer, T, &around).len(), 1);
    ringer.opened(open_at(2, at(1)), BTreeMap::new(), &Around::default());
    assert_eq!(ring_all(&mut ringer, at(2), &Around::default()), []);
    ringer.away();
    assert_eq!(ring_all(&mut ringer, at(2), &around).len(), 1, "what was in its grace rings as well");
}

#[test]
fn a_person_who_looks_at_the_card_is_rung_when_they_have_left() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let here = Around { present: BTreeSet::from([("ada".to_owned(), ask_no(1))]), ..Around::default() };
    ringer.opened(open_at(1, T), BTreeMap::new(), &here);
    let held = Effect::Hold { channel: channel("phone"), ask: ask_no(1), why: Held::Present };
    assert_eq!(ringer.poll(at(15), &here), [held]);
    assert_eq!(ringer.next_at(at(15)), Some(at(30)));
    assert_eq!(ringer.poll(at(30), &here), [], "the reason is said once");
    assert_eq!(ring_all(&mut ringer, at(45), &Around::default()).len(), 1);
}

#[test]
fn in_quiet_hours_only_what_is_urgent_rings_and_the_rest_when_they_are_over() {
    let mut ringer = Ringer::new(RingOptions::default());
    let quiet = Hours::read("22:00-07:00");
    ringer.set_channel(channel("phone"), ChannelTerms { quiet, ..terms("ada") });
    let night = Around { minute: 23 * 60, ..Around::default() };
    ringer.opened(open_at(1, T), BTreeMap::new(), &night);
    ringer.opened(OpenAsk { is_urgent: true, ..open_at(2, T) }, BTreeMap::new(), &night);
    assert_eq!(ring_all(&mut ringer, at(15), &night), [(channel("phone"), vec![ask_no(2)])]);
    let morning = Around { minute: 7 * 60, ..Around::default() };
    assert_eq!(ring_all(&mut ringer, at(40), &morning), [(channel("phone"), vec![ask_no(1)])]);
}

#[test]
fn reminders_follow_and_come_to_an_end() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    ringer.opened(open_at(1, T), BTreeMap::new(), &around);
    let mut rang = 0;
    let mut now = T;
    while let Some(next) = ringer.next_at(now).filter(|next| *next < at(1_000_000)) {
        now = next;
        rang += ring_all(&mut ringer, now, &around).len();
    }
    assert_eq!((rang, now), (3, at(15 + 600 + 3600)));
}

#[test]
fn what_rang_before_a_restart_does_not_ring_again_until_its_reminder() {
    let mut ringer = with_channels(&[("phone", "ada"), ("desk", "ada")]);
    let around = Around::default();
    let rung = BTreeMap::from([(channel("phone"), Rung { times: 1, last: at(15) })]);
    ringer.opened(open_at(1, T), rung, &around);
    assert_eq!(ring_all(&mut ringer, at(20), &around), [(channel("desk"), vec![ask_no(1)])]);
    assert_eq!(ring_all(&mut ringer, at(15 + 600), &around)[0], (channel("phone"), vec![ask_no(1)]));
}

#[test]
fn what_was_asked_before_a_channel_was_added_does_not_ring_there() {
    let mut ringer = Ringer::new(RingOptions::default());
    ringer.set_channel(channel("phone"), ChannelTerms { added_at: at(1), ..terms("ada") });
    ringer.opened(open_at(1, T), BTreeMap::new(), &Around::default());
    assert_eq!(ring_all(&mut ringer, at(100), &Around::default()), []);
}

#[test]
fn ten_thousand_at_once_become_one_summary() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    for number in 1..=10_000 {
        ringer.opened(open_at(number, T), BTreeMap::new(), &Around::default());
    }
    let rang = ring_all(&mut ringer, at(15), &Around::default());
    assert_eq!(rang.iter().map(|(_, asks)| asks.len()).collect::<Vec<_>>(), [10_000]);
}

/// Thousands of asks are in memory once, and not once for each channel and try.
#[test]
fn channels_that_are_down_share_one_summary_and_note_nothing_of_its_asks() {
    let mut ringer = with_channels(&[("phone", "ada"), ("desk", "ada"), ("other", "bob")]);
    let around = Around::default();
    for number in 1..=1_000 {
        ringer.opened(open_at(number, T), BTreeMap::new(), &around);
    }
    let mut now = at(15);
    for _ in 0..3 {
        let rings = ringer.poll(now, &around).into_iter().map(|effect| match effect {
            Effect::Ring { channel, asks, .. } => (channel, asks),
            other => panic!("{other:?}"),
        });
        let rings: Vec<_> = rings.collect();
        assert_eq!(rings.len(), 3);
        assert!(rings.iter().all(|(_, asks)| asks.len() == 1_000 && Arc::ptr_eq(asks, &rings[0].1)));
        for (channel, asks) in &rings {
            ringer.rang(channel, asks, &Fate::Later { after: None, why: "down".to_owned() }, now);
        }
        assert!(ringer.channels.values().all(|queue| !queue.notes_failures()));
        now = ringer.next_at(now).unwrap();
    }
}

#[test]
fn a_summary_that_is_tried_again_is_stored_under_the_same_ask_whatever_came_since() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    let down = Fate::Later { after: None, why: "down".to_owned() };
    let mut now = at(15);
    for round in 0..3 {
        // Ids are in no order of time.
        for number in 0..5 {
            ringer.opened(open_at(100 - 10 * round + number, T), BTreeMap::new(), &around);
        }
        let Some(Effect::Ring { asks, .. }) = ringer.poll(now, &around).pop() else { panic!("it rings") };
        assert_eq!((asks[0], asks.len()), (ask_no(100), 5 * (round as usize + 1)));
        assert_eq!(asks.iter().collect::<BTreeSet<_>>().len(), asks.len());
        ringer.rang(&channel("phone"), &asks, &down, now);
        now = ringer.next_at(now).unwrap();
    }
    ringer.settled(ask_no(100));
    let Some(Effect::Ring { asks, .. }) = ringer.poll(now, &around).pop() else { panic!("it rings") };
    assert_eq!((asks[0], asks.len()), (ask_no(80), 14));
}

#[test]
fn a_channel_that_is_down_is_tried_again_ever_more_seldom_and_rings_in_the_end() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    ringer.opened(open_at(1, T), BTreeMap::new(), &around);
    let (mut now, mut waits) = (at(15), Vec::new());
    for _ in 0..4 {
        assert!(matches!(&*ringer.poll(now, &around), [Effect::Ring { .. }]));
        ringer.rang(&channel("phone"), &[ask_no(1)], &Fate::Later { after: None, why: "down".to_owned() }, now);
        assert_eq!(ringer.poll(now, &around), []);
        let next = ringer.next_at(now).unwrap();
        waits.push(next.since(now).as_secs());
        now = next;
    }
    assert_eq!(waits, [2, 4, 8, 16]);
    assert!(matches!(&*ringer.poll(now, &around), [Effect::Ring { .. }]));
    let told = Fate::Later { after: Some(Duration::from_secs(1000)), why: "429".to_owned() };
    ringer.rang(&channel("phone"), &[ask_no(1)], &told, now);
    assert_eq!(ringer.next_at(now).unwrap().since(now).as_secs(), 1000, "the service said when");
}

#[test]
fn what_is_settled_while_its_message_is_on_the_way_is_taken_back() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    ringer.opened(open_at(1, T), BTreeMap::new(), &around);
    assert_eq!(ringer.poll(at(15), &around).len(), 1);
    ringer.settled(ask_no(1));
    assert_eq!(ringer.poll(at(15), &around), [], "the message is still on its way");
    ringer.rang(&channel("phone"), &[ask_no(1)], &sent(), at(16));
    assert_eq!(ringer.poll(at(16), &around), [Effect::Close { channel: channel("phone"), ask: ask_no(1) }]);
}

#[derive(Debug, Clone)]
enum Step {
    Open(u32),
    Settle(u32),
    Pass(u64),
    Fail,
    Restart,
    AddChannel(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..20_u32).prop_map(Step::Open),
        2 => (1..20_u32).prop_map(Step::Settle),
        4 => (0..40_u64).prop_map(Step::Pass),
        1 => Just(Step::Fail),
        1 => Just(Step::Restart),
        1 => (0..3_u8).prop_map(Step::AddChannel),
    ];
    prop::collection::vec(step, 1..80)
}

proptest! {
    /// With failures and restarts in between: no ask rings twice on a channel without a reminder's time between, none
    /// rings in its grace or once it is settled, and all messages about settled asks are taken back.
    #[test]
    fn one_ring_per_ask_and_channel(steps in steps()) {
        let around = Around::default();
        let mut ringer = with_channels(&[("a", "ada"), ("b", "bob")]);
        let mut now = T;
        let mut fails = false;
        let mut opened: BTreeMap<u32, Timestamp> = BTreeMap::new();
        let mut settled = BTreeSet::new();
        let mut rung: BTreeMap<(AskId, ChannelId), Rung> = BTreeMap::new();
        let mut to_close: BTreeSet<(AskId, ChannelId)> = BTreeSet::new();
        for step in steps {
            match step {
                Step::Open(number) if !opened.contains_key(&number) => {
                    opened.insert(number, now);
                    ringer.opened(open_at(number, now), BTreeMap::new(), &around);
                }
                Step::Settle(number) if opened.contains_key(&number) && settled.insert(ask_no(number)) => {
                    to_close.extend(rung.keys().filter(|(ask, _)| *ask == ask_no(number)).cloned());
                    ringer.settled(ask_no(number));
                }
                Step::Pass(seconds) => now = now.plus(Duration::from_secs(seconds)),
                Step::Fail => fails = true,
                Step::AddChannel(name) => {
                    let id = channel(&format!("new{name}"));
                    ringer.set_channel(id, ChannelTerms { added_at: now, ..terms("ada") });
                }
                Step::Restart if to_close.is_empty() => {
                    let channels: Vec<_> = ringer.channels.iter().map(|(id, q)| (id.clone(), q.terms.clone())).collect();
                    ringer = Ringer::new(RingOptions::default());
                    channels.into_iter().for_each(|(id, terms)| ringer.set_channel(id, terms));
                    for (number, at) in opened.iter().filter(|(number, _)| !settled.contains(&ask_no(**number))) {
                        let here = rung.iter().filter(|((ask, _), _)| *ask == ask_no(*number));
                        let here = here.map(|((_, channel), rung)| (channel.clone(), *rung)).collect();
                        ringer.opened(open_at(*number, *at), here, &around);
                    }
                }
                _ => {}
            }
            for _ in 0..100 {
                let effects = ringer.poll(now, &around);
                if effects.is_empty() {
                    break;
                }
                for effect in effects {
                    match effect {
                        Effect::Ring { channel, asks, .. } => {
                            for ask in &*asks {
                                prop_assert!(!settled.contains(ask));
                                prop_assert!(now >= opened[&ask.number].plus(Duration::from_secs(15)));
                            }
                            if std::mem::take(&mut fails) {
                                ringer.rang(&channel, &asks, &Fate::Later { after: None, why: String::new() }, now);
                                continue;
                            }
                            for ask in &*asks {
                                let key = (*ask, channel.clone());
                                let before = rung.get(&key).copied();
                                if let Some(Rung { times, last }) = before {
                                    let gap = RingOptions::default().remind[usize::from(times) - 1];
                                    prop_assert!(now >= last.plus(gap));
                                }
                                rung.insert(key, Rung { times: before.map_or(1, |it| it.times + 1), last: now });
                            }
                            ringer.rang(&channel, &asks, &sent(), now);
                        }
                        Effect::Close { channel, ask } => {
                            prop_assert!(to_close.remove(&(ask, channel.clone())));
                            ringer.closed(&channel, ask, &sent(), now);
                        }
                        Effect::Hold { .. } => prop_assert!(false, "nobody is present"),
                        Effect::Tell { .. } | Effect::Broken { .. } | Effect::Works { .. } => {}
                    }
                }
            }
        }
        now = now.plus(Duration::from_secs(1000));
        let _ = ring_all(&mut ringer, now, &around);
        prop_assert!(to_close.is_empty() || ringer.channels.values().all(|queue| queue.to_close.is_empty()));
    }
}

#[test]
fn a_ring_for_nothing_that_is_open_any_longer_frees_its_channel() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    ringer.opened(open_at(1, T), BTreeMap::new(), &around);
    ringer.opened(open_at(2, at(1)), BTreeMap::new(), &around);
    assert_eq!(ringer.poll(at(15), &around).len(), 1);
    ringer.settled(ask_no(1));
    ringer.idle(&channel("phone"));
    assert_eq!(ring_all(&mut ringer, at(16), &around), [(channel("phone"), vec![ask_no(2)])]);
}

#[test]
fn a_person_whose_page_went_away_is_rung_at_once() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let here = Around { present: BTreeSet::from([("ada".to_owned(), ask_no(1))]), ..Around::default() };
    ringer.opened(open_at(1, T), BTreeMap::new(), &here);
    assert!(matches!(&*ringer.poll(at(15), &here), [Effect::Hold { .. }]));
    ringer.look_again();
    assert_eq!(ring_all(&mut ringer, at(16), &Around::default()).len(), 1);
}

#[test]
fn no_more_notices_wait_on_a_channel_than_a_person_reads() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    for _ in 0..1000 {
        ringer.happened(&news(NewsKind::Expired), |_| true, &around);
    }
    let told: usize = tells(&mut ringer, T, &around).iter().map(|(_, count)| count).sum();
    assert_eq!(told, 20);
}

#[test]
fn a_burst_that_takes_some_seconds_becomes_one_summary_and_an_urgent_ask_does_not_wait_for_it() {
    let burst = |with_urgent: bool| {
        let mut ringer = with_channels(&[("phone", "ada")]);
        for number in 1..=1_000 {
            let asked = OpenAsk {
                is_urgent: with_urgent && number == 1,
                ..open_at(number, T.plus(Duration::from_millis(4 * u64::from(number))))
            };
            ringer.opened(asked, BTreeMap::new(), &Around::default());
        }
        let (mut now, mut rang) = (T, Vec::new());
        while let Some(next) = ringer.next_at(now).filter(|next| *next < at(60)) {
            now = next;
            rang.extend(ring_all(&mut ringer, now, &Around::default()).into_iter().map(|(_, asks)| (now, asks.len())));
        }
        rang
    };
    let rang = burst(false);
    assert_eq!(rang.iter().map(|(_, asks)| *asks).collect::<Vec<_>>(), [1_000]);
    assert!(rang[0].0 <= at(15 + 10), "the first waits for ten seconds at most");
    let rang = burst(true);
    assert_eq!(rang[0], (T.plus(Duration::from_millis(15_004)), 1));
    assert_eq!(rang.iter().map(|(_, asks)| *asks).sum::<usize>(), 1_000);
}
