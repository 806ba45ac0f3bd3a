//! The conditions of a rule, and which of them does not hold first.

use std::sync::Arc;

use super::answers;
use super::call::{Leaning, ToolCondition};
use super::facts::AskFacts;
use super::patterns::TextPattern;
use super::risk::Risk;
use super::rule::{Action, AskRule};
use super::time::{Hours, Weekday};
use crate::ask::{Kind, Question};
use crate::ids::Timestamp;
use crate::terms::lies_in;

/// How the ids of sessions begin.
const SESSION_ID: &str = "ses_";

/// All that are set must hold. In a list, one is enough.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub door: Vec<TextPattern>,
    pub agent: Vec<TextPattern>,
    /// The session's id, or its title.
    pub session: Vec<TextPattern>,
    /// The session's folder is this one or inside it.
    pub folder: Vec<String>,
    pub branch: Vec<TextPattern>,
    pub kind: Vec<Kind>,
    pub tool: Option<Arc<dyn ToolCondition>>,
    /// Fields of a call's input, each by its dotted path.
    pub input: Vec<(String, Vec<TextPattern>)>,
    /// The digest of the whole call, as [`super::Call::digest`] makes it, or of all questions.
    pub input_sha256: Option<String>,
    /// The call has one of these hints. A rule that says yes and has this condition matches nothing.
    pub risk: Vec<Risk>,
    /// The texts of questions. Of several questions every one has to match if the rule answers, else one.
    pub question: Vec<TextPattern>,
    /// The same for headers.
    pub header: Vec<TextPattern>,
    /// The first question has this header.
    pub first_header: Option<String>,
    /// The same for the labels on offer: a question offers one of these.
    pub option: Vec<TextPattern>,
    /// The headline contains this, in any case.
    pub asks_about: Vec<String>,
    pub hours: Vec<Hours>,
    pub weekdays: Vec<Weekday>,
    pub present: Option<bool>,
    /// The same was decided the same way at least this often.
    pub decided_before: Option<u32>,
    /// It is earlier than this.
    pub until: Option<Timestamp>,
}

/// A condition by its name in a rule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    Door,
    Agent,
    Session,
    Folder,
    Branch,
    Kind,
    Tool,
    /// The field with this index in [`Conditions::input`].
    Input(usize),
    InputSha256,
    Risk,
    Question,
    Header,
    Option,
    AsksAbout,
    Hours,
    Weekdays,
    Present,
    DecidedBefore,
    Until,
    /// The action does not fit what is asked: no such option, or nothing to allow.
    Action,
}

impl Condition {
    pub fn name(self) -> &'static str {
        match self {
            Self::Door => "door",
            Self::Agent => "agent",
            Self::Session => "session",
            Self::Folder => "folder",
            Self::Branch => "branch",
            Self::Kind => "kind",
            Self::Tool => "tool",
            Self::Input(_) => "input",
            Self::InputSha256 => "input_sha256",
            Self::Risk => "risk",
            Self::Question => "question",
            Self::Header => "header",
            Self::Option => "option",
            Self::AsksAbout => "asks_about",
            Self::Hours => "hours",
            Self::Weekdays => "weekdays",
            Self::Present => "present",
            Self::DecidedBefore => "decided_before",
            Self::Until => "until",
            Self::Action => "do",
        }
    }
}

impl AskRule {
    /// How much of an ask has to match: all of it, if the rule would say yes.
    pub(super) fn leaning(&self) -> Leaning {
        match self.action {
            Action::Answer(_) | Action::Allow => Leaning::Every,
            Action::Terms | Action::Ask | Action::Park | Action::Deny { .. } => Leaning::Any,
        }
    }

    /// Returns the first condition that does not hold, or `None` if the rule matches.
    pub(super) fn miss(&self, facts: &AskFacts<'_>) -> Option<Condition> {
        let (when, leaning) = (&self.when, self.leaning());
        let is_one = |list: &[TextPattern], have: Option<&str>| {
            list.is_empty() || have.is_some_and(|have| list.iter().any(|pattern| pattern.matches(have)))
        };
        let kind = facts.body.map(|body| body.kind());
        let holds = |condition: Condition| match condition {
            Condition::Door => is_one(&when.door, Some(facts.door)),
            Condition::Agent => is_one(&when.agent, Some(facts.agent)),
            Condition::Session => {
                let named = |name: Option<&str>| name.is_some() && is_one(&when.session, name);
                // A title is the agent's own word: one that reads like an id must not pass for that session.
                let title = facts.title.filter(|title| !title.starts_with(SESSION_ID));
                when.session.is_empty() || named(facts.session) || named(title)
            }
            Condition::Folder => {
                when.folder.is_empty()
                    || facts.folder.is_some_and(|folder| when.folder.iter().any(|root| lies_in(folder, root)))
            }
            Condition::Branch => is_one(&when.branch, facts.branch),
            Condition::Kind => when.kind.is_empty() || kind.is_some_and(|kind| when.kind.contains(&kind)),
            Condition::Tool => when
                .tool
                .as_ref()
                .is_none_or(|tool| facts.call.is_some_and(|call| tool.holds(call, facts.folder, leaning))),
            Condition::Input(at) => when.input.get(at).is_none_or(|(path, patterns)| {
                let have = facts.call.and_then(|call| call.field(path));
                match leaning {
                    Leaning::Every => have.is_some_and(|have| patterns.iter().any(|pattern| pattern.allows(&have))),
                    Leaning::Any => {
                        facts.call.is_some_and(|call| !call.is_readable())
                            || have.is_some_and(|have| patterns.iter().any(|pattern| pattern.matches(&have)))
                    }
                }
            }),
            Condition::InputSha256 => when.input_sha256.as_ref().is_none_or(|wanted| {
                // What cannot be read must not evade a rule that denies or asks.
                match facts.digest() {
                    Some(digest) => digest == *wanted,
                    None => leaning == Leaning::Any && facts.call.is_some(),
                }
            }),
            Condition::Risk => {
                // A missing hint proves nothing, and neither does one that is there make a call safe.
                let has_one = || {
                    let risks = facts.call.map(|call| call.risks(facts.folder)).unwrap_or_default();
                    when.risk.iter().any(|risk| risks.has(*risk))
                };
                when.risk.is_empty() || (leaning == Leaning::Any && has_one())
            }
            Condition::Question => {
                of_questions(&when.question, facts, leaning, |question, pattern| pattern.matches(&question.text))
            }
            Condition::Header => {
                let first = facts.questions().first().and_then(|question| question.header.as_ref());
                (when.first_header.is_none() || when.first_header.as_ref() == first)
                    && of_questions(&when.header, facts, leaning, |question, pattern| {
                        question.header.as_ref().is_some_and(|header| pattern.matches(header))
                    })
            }
            Condition::Option => of_questions(&when.option, facts, leaning, |question, pattern| {
                question.options.iter().any(|option| pattern.matches(&option.label))
            }),
            Condition::AsksAbout => {
                when.asks_about.is_empty() || {
                    let headline = facts.headline().to_lowercase();
                    when.asks_about.iter().any(|words| headline.contains(&words.to_lowercase()))
                }
            }
            Condition::Hours => {
                when.hours.is_empty()
                    || facts.local.is_some_and(|local| when.hours.iter().any(|hours| hours.contain(local.minute)))
            }
            Condition::Weekdays => {
                when.weekdays.is_empty() || facts.local.is_some_and(|local| when.weekdays.contains(&local.weekday))
            }
            Condition::Present => when.present.is_none() || when.present == facts.present,
            Condition::DecidedBefore => when.decided_before.is_none_or(|times| facts.decided_before >= times),
            Condition::Until => when.until.is_none_or(|until| facts.at < until),
            Condition::Action => {
                matches!(self.action, Action::Terms | Action::Ask | Action::Park)
                    || facts.body.is_some_and(|body| answers::says(&self.action, body).is_some())
            }
        };
        let inputs = (0..when.input.len()).map(Condition::Input);
        // From cheap to dear.
        [Condition::Kind, Condition::Door, Condition::Agent, Condition::Session, Condition::Folder, Condition::Branch]
            .into_iter()
            .chain([Condition::Tool])
            .chain(inputs)
            .chain([Condition::InputSha256, Condition::Risk])
            .chain([Condition::Question, Condition::Header, Condition::Option, Condition::AsksAbout])
            .chain([Condition::Hours, Condition::Weekdays, Condition::Present, Condition::DecidedBefore])
            .chain([Condition::Until, Condition::Action])
            .find(|condition| !holds(*condition))
    }

    /// The kinds of asks that this rule can match. `None`: all, and sessions without an ask.
    pub(super) fn kinds(&self) -> Option<Vec<Kind>> {
        const ALL: [Kind; 4] = [Kind::Questions, Kind::Approval, Kind::Plan, Kind::Form];
        let when = &self.when;
        let about_calls = when.tool.is_some() || !when.input.is_empty() || !when.risk.is_empty();
        let is_bound = when.input_sha256.is_some();
        let about_questions = !(when.question.is_empty() && when.header.is_empty() && when.option.is_empty())
            || when.first_header.is_some();
        let by_action = |kind: Kind| match &self.action {
            Action::Answer(_) => kind == Kind::Questions,
            Action::Allow => matches!(kind, Kind::Approval | Kind::Plan),
            Action::Terms | Action::Ask | Action::Park | Action::Deny { .. } => true,
        };
        let can = |kind: &Kind| {
            (when.kind.is_empty() || when.kind.contains(kind))
                && (!about_calls || *kind == Kind::Approval)
                && (!is_bound || matches!(kind, Kind::Approval | Kind::Questions))
                && (!about_questions || *kind == Kind::Questions)
                && by_action(*kind)
        };
        let kinds: Vec<_> = ALL.into_iter().filter(can).collect();
        (kinds.len() < ALL.len()).then_some(kinds)
    }
}

fn of_questions(
    list: &[TextPattern],
    facts: &AskFacts<'_>,
    leaning: Leaning,
    fits: impl Fn(&Question, &TextPattern) -> bool,
) -> bool {
    if list.is_empty() {
        return true;
    }
    let questions = facts.questions();
    let one = |question: &Question| list.iter().any(|pattern| fits(question, pattern));
    match leaning {
        Leaning::Every => !questions.is_empty() && questions.iter().all(one),
        Leaning::Any => questions.iter().any(one),
    }
}
