//! Turns a rule's action into an answer that the ask offers, or into nothing.

use super::patterns::TextPattern;
use super::rule::Action;
use crate::answer::{Answer, Decision, Filled, Pick, Review, RuleSays, Scope};
use crate::ask::{Body, Question};

/// How a rule answers questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// Every question in this way.
    All(AnswerBy),
    /// Each question by the first pattern that matches its text.
    Each(Vec<(TextPattern, AnswerBy)>),
}

/// Which of the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerBy {
    /// The options with these labels. Several only where several may be chosen.
    Labels(Vec<String>),
    /// The option in this place, from 0.
    Index(u16),
    /// The one that the agent recommends.
    Recommended,
    First,
}

/// Claude Code has its model mark the option that it recommends with this, at the end of the label.
const RECOMMENDED: &str = "(recommended)";

/// The tool whose approval without an answer would be an empty answer.
const ASKING_TOOL: &str = "AskUserQuestion";

/// Returns what the action says to this ask. `None` if the action does not fit it: the rule does not apply.
pub(super) fn says(action: &Action, body: &Body) -> Option<RuleSays> {
    let answer = match (action, body) {
        (Action::Terms | Action::Ask | Action::Park, _) => return None,
        (Action::Deny { words }, Body::Questions(_)) => return Some(RuleSays::No { words: words.clone() }),
        (Action::Deny { words }, Body::Approval(_)) => {
            Answer::Approval(Decision::Deny { words: Some(words.clone()), stop: false })
        }
        (Action::Deny { words }, Body::Plan(_)) => Answer::Plan(Review::SendBack { words: words.clone() }),
        (Action::Deny { words }, Body::Form(_)) => Answer::Form(Filled::Decline { words: Some(words.clone()) }),
        // Only a person overrules a denial.
        (Action::Allow, Body::Approval(approval)) if approval.tool != ASKING_TOOL && !approval.overrule => {
            Answer::Approval(Decision::Allow { scope: Scope::Once, edited: None })
        }
        (Action::Allow, Body::Plan(_)) => Answer::Plan(Review::Approve { edited: None }),
        (Action::Answer(answers), Body::Questions(questions)) if !questions.is_empty() => {
            Answer::Questions(questions.iter().map(|question| answers.pick(question)).collect::<Option<_>>()?)
        }
        (Action::Allow | Action::Answer(_), _) => return None,
    };
    Some(RuleSays::Answer(answer))
}

impl Answers {
    fn pick(&self, question: &Question) -> Option<Pick> {
        let by = match self {
            Self::All(by) => by,
            Self::Each(list) => &list.iter().find(|(pattern, _)| pattern.matches(&question.text))?.1,
        };
        by.pick(question)
    }
}

impl AnswerBy {
    fn pick(&self, question: &Question) -> Option<Pick> {
        let options = &question.options;
        let mut chosen = match self {
            Self::Labels(labels) => {
                let place = |label: &String| options.iter().position(|option| option.label == *label);
                labels.iter().map(place).collect::<Option<Vec<_>>>()?
            }
            Self::Index(at) => vec![usize::from(*at)],
            Self::Recommended => {
                let is_it = |label: &str| label.trim_end().to_lowercase().ends_with(RECOMMENDED);
                let mut marked = options.iter().enumerate().filter(|(_, option)| is_it(&option.label));
                let (at, _) = marked.next()?;
                // With two of them, no one knows which is meant, unless both may be chosen.
                let others: Vec<_> = marked.map(|(at, _)| at).collect();
                if !others.is_empty() && !question.multi {
                    return None;
                }
                std::iter::once(at).chain(others).collect()
            }
            Self::First => vec![0],
        };
        chosen.sort_unstable();
        chosen.dedup();
        let is_offered = !chosen.is_empty() && chosen.iter().all(|&at| at < options.len());
        if !is_offered || (chosen.len() > 1 && !question.multi) {
            return None;
        }
        let chosen = chosen.into_iter().map(u16::try_from).collect::<Result<_, _>>().ok()?;
        Some(Pick { chosen, ..Pick::default() })
    }
}
