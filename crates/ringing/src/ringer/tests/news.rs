//! What is told besides asks.

use super::*;

pub(super) fn news(kind: NewsKind) -> News {
    News {
        id: "n1".to_owned(),
        kind,
        at: T,
        audience: Audience::Everyone,
        session: Some(SessionId(7)),
        usage: None,
        title: "It stopped".to_owned(),
        body: String::new(),
        path: "/".to_owned(),
        is_ours: false,
    }
}

pub(super) fn tells(ringer: &mut Ringer, now: Timestamp, around: &Around) -> Vec<(ChannelId, usize)> {
    let mut told = Vec::new();
    while let Some(Effect::Tell { channel, news }) = ringer.poll(now, around).pop() {
        told.push((channel.clone(), news.len()));
        ringer.told(&channel, news, &sent(), now);
    }
    told
}

#[test]
fn an_agent_that_fails_is_told_after_the_grace_on_the_channels_that_want_it() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let terms = ChannelTerms { tells: BTreeSet::new(), ..terms("ada") };
    ringer.set_channel(channel("desk"), terms);
    let around = Around::default();
    ringer.happened(&news(NewsKind::AgentFailed), |_| true, &around);
    ringer.happened(&news(NewsKind::TurnEnded), |_| true, &around);
    assert_eq!(ringer.next_at(T), Some(at(15)));
    assert_eq!(tells(&mut ringer, at(14), &around), []);
    assert_eq!(tells(&mut ringer, at(15), &around), [(channel("phone"), 1)]);
    assert_eq!(ringer.next_at(at(15)), None);
}

#[test]
fn a_person_who_goes_on_or_is_there_is_not_told_that_an_agent_stopped() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    ringer.happened(&news(NewsKind::AgentFailed), |_| true, &around);
    ringer.goes_on(SessionId(7));
    assert_eq!(tells(&mut ringer, at(15), &around), []);
    ringer.happened(&news(NewsKind::AgentFailed), |_| true, &around);
    ringer.happened(&news(NewsKind::Expired), |_| true, &around);
    let here = Around { present: BTreeSet::from([("ada".to_owned(), ask_no(1))]), ..Around::default() };
    assert_eq!(tells(&mut ringer, at(15), &here), [(channel("phone"), 1)], "what was missed is told all the same");
}

#[test]
fn a_channel_that_stops_working_is_said_once_and_so_is_that_it_works_again() {
    let mut ringer = with_channels(&[("phone", "ada")]);
    let around = Around::default();
    ringer.opened(open_at(1, T), BTreeMap::new(), &around);
    let (mut now, mut said) = (at(15), Vec::new());
    for _ in 0..8 {
        assert_eq!(ringer.poll(now, &around).len(), 1);
        let down = Fate::Later { after: None, why: "down".to_owned() };
        said.push(ringer.rang(&channel("phone"), &[ask_no(1)], &down, now).is_some());
        now = ringer.next_at(now).unwrap();
    }
    assert_eq!(said, [false, false, false, false, true, false, false, false]);
    assert_eq!(ringer.poll(now, &around).len(), 1);
    let works = Some(Effect::Works { channel: channel("phone") });
    assert_eq!(ringer.rang(&channel("phone"), &[ask_no(1)], &sent(), now), works);
}
