//! An agent asks. The same key again is the same ask; the same question after expiry replaces the expired ask; a rule
//! may answer it at once.

use std::sync::Arc;

use super::found::rule_may_say;
use super::settle::settle;
use crate::answer::{Outcome, RuleSays};
use crate::ask::{Ask, Body, Kind};
use crate::event::Event;
use crate::ids::Timestamp;
use crate::intent::{AskRuling, NewAsk};
use crate::limits;
use crate::refusal::Refusal;
use crate::session::{AskStage, FoundAsk, Live, Session};
use crate::terms::OnExpiry;
use crate::wild::is_blank;

pub(super) fn ask(session: &Session, wish: NewAsk, at: Timestamp) -> Result<Vec<Event>, Refusal> {
    if let Some(number) = wish.key.as_ref().and_then(|key| session.asked_with(key)) {
        let (same, stated) = match session.find(session.ask_id(number)) {
            Some(FoundAsk::Live(live)) => (live.ask.body == wish.body, live.ask.stated),
            Some(FoundAsk::Over(stub)) => (stub.asked(&wish.body), stub.stated),
            None => (false, None),
        };
        let other_terms = stated.zip(wish.stated).is_some_and(|(first, now)| first != now);
        return match (same, other_terms) {
            (true, false) => Ok(Vec::new()),
            (true, true) => {
                Err(Refusal::BadRequest("this idempotency key was used for the same ask with other terms".to_owned()))
            }
            (false, _) => Err(Refusal::BadRequest("this idempotency key was used for a different ask".to_owned())),
        };
    }
    sound(&wish)?;
    if session.open().count() >= limits::OPEN_ASKS_MAX {
        return Err(Refusal::TooManyAsks { limit: limits::OPEN_ASKS_MAX });
    }
    if let Some(other) = session.open().find(|live| !(live.ask.terms.parallel && wish.terms.parallel)) {
        return Err(Refusal::AskOpen(other.ask.id));
    }
    let instead_of = session.asks.values().find(|live| {
        let expired = matches!(&live.stage, AskStage::Settled { outcome: Outcome::Expired, .. });
        expired && live.late.is_none() && live.ask.body == wish.body
    });
    let NewAsk { body, terms, reach, asker, call, made, context, key, stated, original, ruling } = wish;
    let id = session.ask_id(session.asks_made + 1);
    let made = made.zip(call.clone()).map(|(made, call)| made.events(call, Some(id)));
    let ask = Arc::new(Ask {
        id,
        at,
        body,
        terms,
        reach,
        asker,
        call,
        context,
        key,
        stated,
        original,
        instead_of: instead_of.map(|live| live.ask.id),
    });
    let mut events = vec![Event::Asked(Arc::clone(&ask))];
    if let Some((called, ruled)) = made {
        events.push(called);
        events.extend(ruled);
    }
    if let Some(AskRuling { rule, place, says }) = ruling
        && can_say(&ask, &says)
    {
        events.extend(settle(session, &Live::new(ask), says.outcome(rule, place), at));
    }
    Ok(events)
}

fn can_say(ask: &Ask, says: &RuleSays) -> bool {
    match says {
        RuleSays::Answer(answer) => rule_may_say(ask, answer).is_ok(),
        RuleSays::No { words } => ask.body.kind() == Kind::Questions && !is_blank(words),
    }
}

/// Refuses what no person could decide.
fn sound(wish: &NewAsk) -> Result<(), Refusal> {
    let bad = |why: String| Err(Refusal::BadRequest(why));
    match &wish.body {
        Body::Questions(questions) if questions.is_empty() => {
            return bad("an ask needs a question".to_owned());
        }
        Body::Questions(questions) if questions.len() > limits::QUESTIONS_MAX => {
            return bad(format!("at most {} questions fit into one ask", limits::QUESTIONS_MAX));
        }
        Body::Questions(questions) => {
            if let Some(question) = questions.iter().find(|q| q.options.len() > limits::OPTIONS_MAX) {
                return bad(format!("“{}” has more than {} options", question.text, limits::OPTIONS_MAX));
            }
        }
        Body::Form(form) if form.fields.len() > limits::FIELDS_MAX => {
            return bad(format!("at most {} fields fit into one form", limits::FIELDS_MAX));
        }
        Body::Approval(approval) if is_blank(&approval.tool) => {
            return bad("an approval has to name its tool".to_owned());
        }
        Body::Approval(approval) if approval.overrule && !approval.rules.is_empty() => {
            return bad("a denial is overruled once, so there is no rule to remember".to_owned());
        }
        Body::Approval(_) | Body::Plan(_) | Body::Form(_) => {}
    }
    if !assumption_fits(&wish.body, &wish.terms.on_expiry) {
        return bad("what to assume on expiry has to answer every question, and only questions".to_owned());
    }
    Ok(())
}

/// Whether the assumption answers every question, within the options.
fn assumption_fits(body: &Body, on_expiry: &OnExpiry) -> bool {
    let OnExpiry::Assume(picks) = on_expiry else {
        return true;
    };
    let Body::Questions(questions) = body else {
        return false;
    };
    questions.len() == picks.len()
        && questions.iter().zip(picks).all(|(question, pick)| {
            !pick.is_skipped()
                && (question.multi || pick.chosen.len() <= 1)
                && pick.chosen.iter().all(|&i| usize::from(i) < question.options.len())
        })
}
