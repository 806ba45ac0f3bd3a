//! Replies, and their expected meaning.

use askbridge_core::answer::{Answer, Pick};
use askbridge_core::ask::{Ask, Body, Question};
use askbridge_core::unfit::{self, Mismatch, Problem, QuestionKey, QuestionReply, Reply, Value};

use crate::asks::ask;

pub(crate) fn given(key: usize, value: Value) -> QuestionReply {
    QuestionReply { key: QuestionKey::Index(key), value: Some(value), note: None }
}

pub(crate) fn named(key: &str, value: Value) -> QuestionReply {
    QuestionReply { key: QuestionKey::Text(key.into()), value: Some(value), note: None }
}

pub(crate) fn label(text: &str) -> Value {
    Value::Label(text.into())
}

pub(crate) fn typed(text: &str) -> Value {
    Value::Typed(text.into())
}

pub(crate) fn words(text: &str) -> Value {
    Value::Text(text.into())
}

pub(crate) fn chosen(indices: &[u16]) -> Pick {
    Pick { chosen: indices.to_vec(), ..Pick::default() }
}

pub(crate) fn said(indices: &[u16], text: &str) -> Pick {
    Pick { chosen: indices.to_vec(), text: Some(text.into()), note: None }
}

/// Returns what a reply means, if every edited input may run.
pub(crate) fn unfit(ask: &Ask, reply: Reply) -> Result<Answer, Mismatch> {
    unfit::unfit(ask, reply, &|_, _, _| Vec::new())
}

/// Answers one question and returns what was understood.
pub(crate) fn pick(question: Question, value: Value) -> Result<Pick, String> {
    match unfit(&ask(Body::Questions(vec![question])), Reply::Questions(vec![given(0, value)])) {
        Ok(Answer::Questions(picks)) => Ok(picks.into_iter().next().expect("there is a pick for each question")),
        Ok(other) => panic!("{other:?}"),
        Err(mismatch) => Err(mismatch.problems.into_iter().next().expect("a mismatch has a problem").why),
    }
}

pub(crate) fn whole(why: &str) -> Mismatch {
    Mismatch { problems: vec![Problem { about: None, why: why.into() }] }
}

pub(crate) fn about(problems: &[(&str, &str)]) -> Mismatch {
    let problem = |(about, why): &(&str, &str)| Problem { about: Some((*about).into()), why: (*why).into() };
    Mismatch { problems: problems.iter().map(problem).collect() }
}

pub(crate) const BLANK: &str = "the answer is blank; leave it out to skip it";
