//! What rules decided: by a rule that was in force when the ask was made, with what it says and the ask offers, in the
//! entry that asks.

use askbridge_core::answer::{Answer, Decision, Outcome, Pick};
use askbridge_core::ask::{Ask, Body, Question};
use askbridge_core::event::Settled;
use askbridge_core::verdict::Ruling;

use crate::rules::Says;
use crate::world::World;

/// Judges an ask that a rule settled. `at_once`: in the entry that asks.
pub(super) fn judge(world: &World, ask: &Ask, settled: &Settled, at_once: bool) {
    let broke = |law, text: String| world.log.broke(law, Some(ask.id.session), text);
    let id = ask.id;
    let (rule, answer) = match &settled.outcome {
        Outcome::Ruled { rule, answer, .. } => (rule, Some(answer)),
        Outcome::RuledOut { rule, .. } => (rule, None),
        _ => return,
    };
    if !at_once {
        broke(2, format!("{id} was open, and then the rule {rule} settled it"));
    }
    let Some(says) = world.rule_in_force(rule, ask.at) else {
        return broke(3, format!("{id} was decided by {rule}, which was not in force then"));
    };
    let (fits, told) = match (&settled.outcome, &says) {
        (Outcome::RuledOut { words, .. }, Says::Deny(said)) => (words == said, Ruling::Deny),
        _ => (answer.is_some_and(|answer| is_said(answer, &says, &ask.body)), ruling(answer)),
    };
    if !fits {
        broke(
            3,
            format!("{id}: {rule} says {says:?}, or it was not offered, and the outcome is {:?}", settled.outcome),
        );
    }
    if settled.verdict.ruling != told {
        broke(3, format!("{id} was decided as {:?}, and the agent is told {:?}", settled.outcome, settled.verdict));
    }
    if !settled.verdict.words.contains(rule.as_str()) || !settled.verdict.words.contains("no person was asked") {
        broke(3, format!("{id} was decided by {rule}, and the agent reads {}", settled.verdict.words));
    }
}

/// Judges the terms: a wait that only a rule gives is of one that was in force.
pub(super) fn terms(world: &World, ask: &Ask) {
    let wait = ask.terms.deadline.map(|deadline| std::time::Duration::from_millis((deadline.0 - ask.at.0) as u64));
    if let Some((version, false)) = wait.and_then(|wait| world.version_that_waits(wait, ask.at)) {
        let why = format!("{} waits as version {version} of the rules says, which was not in force then", ask.id);
        world.log.broke(3, Some(ask.id.session), why);
    }
}

fn ruling(answer: Option<&Answer>) -> Ruling {
    answer.map_or(Ruling::Deny, |answer| Ruling::Answer(answer.clone()))
}

/// Is this what the rule says, and does the ask offer it?
fn is_said(answer: &Answer, says: &Says, body: &Body) -> bool {
    match (answer, body) {
        (Answer::Questions(picks), Body::Questions(questions)) => {
            picks.len() == questions.len()
                && picks.iter().zip(questions).all(|(pick, asked)| is_picked(pick, says, asked))
        }
        (Answer::Approval(Decision::Allow { edited: None, .. }), Body::Approval(_)) => *says == Says::Allow,
        (Answer::Approval(Decision::Deny { words: Some(words), .. }), Body::Approval(_)) => {
            *says == Says::Deny(words.clone())
        }
        _ => false,
    }
}

fn is_picked(pick: &Pick, says: &Says, question: &Question) -> bool {
    let [at] = pick.chosen[..] else { return false };
    let Some(option) = question.options.get(usize::from(at)) else { return false };
    let is_meant = match says {
        Says::Label(label) => option.label == *label,
        Says::Option(wanted) => at == *wanted,
        Says::Allow | Says::Deny(_) | Says::Nothing => false,
    };
    is_meant && pick.text.is_none() && pick.note.is_none()
}
