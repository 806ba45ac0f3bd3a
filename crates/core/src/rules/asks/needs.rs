//! What an ask has to have for a rule to match at all.

use super::call::Need;
use super::conditions::Conditions;
use super::lookup::{Key, pieces};
use super::patterns::TextPattern;
use super::rule::AskRule;

/// Pieces of one pattern among which the rarest is looked for.
const PIECES_MAX: usize = 128;

/// Which text of an ask.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Of {
    Kind,
    Door,
    Agent,
    Session,
    /// The session's folder and those above it.
    Folder,
    Branch,
    Tool,
    /// [`super::Call::words`].
    Word,
    /// [`super::Call::texts`].
    CallText,
    Input(String),
    Digest,
    Question,
    Header,
    Option,
    /// In lower case.
    Headline,
}

/// A key of one kind of text.
pub(super) type Atom = (Of, Key);

/// One way in which a condition can hold: then the ask has all of these atoms.
pub(super) type Way = Vec<Atom>;

impl AskRule {
    /// For each condition that can be looked up: the ways in which it can hold, none of which is without atoms.
    pub(super) fn needs(&self) -> Vec<Vec<Way>> {
        let Conditions { tool, folder, input, asks_about, .. } = &self.when;
        let when = &self.when;
        let lists = [
            (Of::Door, &when.door),
            (Of::Agent, &when.agent),
            (Of::Session, &when.session),
            (Of::Branch, &when.branch),
            (Of::Question, &when.question),
            (Of::Header, &when.header),
            (Of::Option, &when.option),
        ];
        let lists = lists.into_iter().chain(input.iter().map(|(path, list)| (Of::Input(path.clone()), list)));
        let lists = lists.map(|(of, list)| list.iter().map(|pattern| of_pattern(&of, pattern)).collect());
        let whole = |of: Of, text: &str| vec![(of, Key::Whole(text.to_owned()))];
        let one = |of: Of, text: &Option<String>| text.iter().map(|text| whole(of.clone(), text)).collect();
        let words = |words: &String| parts(&Of::Headline, [words.to_lowercase().as_str()]);
        let others: [Vec<Way>; 6] = [
            tool.iter().flat_map(|tool| tool.needs()).map(|needs| needs.iter().flat_map(of_need).collect()).collect(),
            folder.iter().map(|root| whole(Of::Folder, root.trim_end_matches('/'))).collect(),
            asks_about.iter().map(words).collect(),
            one(Of::Digest, &when.input_sha256),
            one(Of::Header, &when.first_header),
            self.kinds().into_iter().flatten().map(|kind| whole(Of::Kind, kind.name())).collect(),
        ];
        let all = others.into_iter().chain(lists);
        all.filter(|ways: &Vec<Way>| !ways.is_empty() && ways.iter().all(|way| !way.is_empty())).collect()
    }
}

/// The atoms of something that a call needs.
pub(super) fn of_need(need: &Need) -> Way {
    match need {
        Need::Tool(name) => of_pattern(&Of::Tool, name),
        Need::Word(word) => vec![(Of::Word, Key::Whole(word.clone()))],
        Need::Text(part) => parts(&Of::CallText, [part.as_str()]),
        Need::Field(path, pattern) => of_pattern(&Of::Input(path.clone()), pattern),
    }
}

/// The atoms of a text that matches. None, if every literal part of the pattern is shorter than a piece.
fn of_pattern(of: &Of, pattern: &TextPattern) -> Way {
    match pattern {
        TextPattern::Exact(text) => vec![(of.clone(), Key::Whole(text.clone()))],
        TextPattern::Stars(text) => parts(of, text.split('*')),
    }
}

/// The atoms of a text that contains these. Of a long one not all: that would cost memory, and any of them will do.
fn parts<'t>(of: &Of, literal: impl IntoIterator<Item = &'t str, IntoIter: Clone>) -> Way {
    let all = literal.into_iter().flat_map(pieces);
    let step = all.clone().count().div_ceil(PIECES_MAX).max(1);
    all.step_by(step).map(|piece| (of.clone(), Key::Piece(piece))).collect()
}
