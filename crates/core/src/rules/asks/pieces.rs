//! Finds the rules of a long list whose conditions on texts can hold at all.
//!
//! A rule that wants a text to match a pattern wants every piece of the pattern to be in it. So each such rule is listed
//! under one piece, three bytes, the rarest that it has; an ask is looked up by the pieces of its own texts.

use std::collections::{HashMap, HashSet};

use super::conditions::Conditions;
use super::facts::AskFacts;
use super::patterns::TextPattern;

/// Bytes of a piece.
const PIECE: usize = 3;
/// Bytes of a text that is looked up by its pieces. Beyond: every rule about such texts is compared, which is cheaper.
const LOOKED_UP_BYTES_MAX: usize = 4096;

type Piece = [u8; PIECE];

/// Which text of an ask.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Of {
    Agent,
    Session,
    Branch,
    Question,
    Header,
    Option,
    /// In lower case.
    Headline,
    Input(String),
}

/// Rules by a piece of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Pieces {
    by_text: HashMap<Of, ByPiece>,
}

#[derive(Debug, Clone, Default)]
struct ByPiece {
    rules: HashMap<Piece, Vec<u32>>,
    /// All of them.
    all: Vec<u32>,
}

/// Makes an index of rules, in two passes: the rarest piece is known only when all rules were seen.
#[derive(Debug, Default)]
pub(super) struct PiecesBuilder {
    /// For each rule its conditions on texts, each with the literal parts of which one has to be in the text.
    rules: Vec<(u32, Vec<(Of, Vec<String>)>)>,
    seen: HashMap<(Of, Piece), u32>,
}

impl PiecesBuilder {
    /// Takes a rule, if some condition of it wants a piece of a text.
    pub(super) fn take(&mut self, at: u32, when: &Conditions) -> bool {
        let wanted = wanted(when);
        if wanted.is_empty() {
            return false;
        }
        for (of, literals) in &wanted {
            for piece in literals.iter().flat_map(|literal| pieces(literal)) {
                *self.seen.entry((of.clone(), piece)).or_default() += 1;
            }
        }
        self.rules.push((at, wanted));
        true
    }

    pub(super) fn build(self) -> Pieces {
        let Self { rules, seen } = self;
        let mut index = Pieces::default();
        for (at, wanted) in rules {
            let count = |of: &Of, piece: Piece| seen.get(&(of.clone(), piece)).copied().unwrap_or_default();
            let rarest = |of: &Of, literal: &String| {
                let counted = pieces(literal).map(|piece| (count(of, piece), piece));
                counted.min().expect("a literal part is at least as long as a piece")
            };
            let choices = wanted.into_iter().map(|(of, literals)| {
                let chosen: Vec<_> = literals.iter().map(|literal| rarest(&of, literal)).collect();
                (chosen.iter().map(|(count, _)| count).sum::<u32>(), of, chosen)
            });
            let Some((_, of, chosen)) = choices.min_by_key(|(cost, ..)| *cost) else { continue };
            let list = index.by_text.entry(of).or_default();
            list.all.push(at);
            for (_, piece) in chosen {
                let rules = list.rules.entry(piece).or_default();
                if rules.last() != Some(&at) {
                    rules.push(at);
                }
            }
        }
        index
    }
}

impl Pieces {
    /// Adds the rules whose piece is in a text of the ask.
    pub(super) fn find(&self, facts: &AskFacts<'_>, found: &mut Vec<u32>) {
        for (of, list) in &self.by_text {
            let mut look = |text: &str| list.find(text, found);
            match of {
                Of::Agent => look(facts.agent),
                Of::Session => facts.session.into_iter().chain(facts.title).for_each(look),
                Of::Branch => facts.branch.into_iter().for_each(look),
                Of::Question => facts.questions().iter().for_each(|question| look(&question.text)),
                Of::Header => facts.questions().iter().filter_map(|question| question.header.as_deref()).for_each(look),
                Of::Option => {
                    facts.questions().iter().flat_map(|question| &question.options).for_each(|it| look(&it.label));
                }
                Of::Headline => look(&facts.headline().to_lowercase()),
                Of::Input(path) => match facts.call {
                    // What cannot be read must not evade a rule that denies or asks.
                    Some(call) if !call.is_readable() => found.extend(&list.all),
                    Some(call) => call.field(path).iter().for_each(|text| look(text)),
                    None => {}
                },
            }
        }
    }
}

impl ByPiece {
    fn find(&self, text: &str, found: &mut Vec<u32>) {
        if text.len() > LOOKED_UP_BYTES_MAX {
            return found.extend(&self.all);
        }
        // A text may repeat a piece thousands of times.
        let mut hits = HashSet::new();
        for piece in pieces(text) {
            if let Some(rules) = self.rules.get(&piece)
                && hits.insert(piece)
            {
                found.extend(rules);
            }
        }
    }
}

/// The conditions of a rule that want a piece of some text. Each with the literal parts of its patterns.
fn wanted(when: &Conditions) -> Vec<(Of, Vec<String>)> {
    let lists = [
        (Of::Agent, &when.agent),
        (Of::Session, &when.session),
        (Of::Branch, &when.branch),
        (Of::Question, &when.question),
        (Of::Header, &when.header),
        (Of::Option, &when.option),
    ];
    let lists = lists.into_iter().map(|(of, list)| (of, literals(list)));
    let inputs = when.input.iter().map(|(path, list)| (Of::Input(path.clone()), literals(list)));
    let words = when.asks_about.iter().map(|words| Some(words.to_lowercase()).filter(|words| words.len() >= PIECE));
    let words = (Of::Headline, words.collect());
    let first = when.first_header.iter().map(|header| Some(header.clone()).filter(|header| header.len() >= PIECE));
    let first = (Of::Header, first.collect());
    let all = lists.chain(inputs).chain([words, first]);
    all.filter_map(|(of, literals)| Some((of, literals.filter(|literals| !literals.is_empty())?))).collect()
}

/// The longest literal part of each pattern. `None`: one of them is too short to be looked up.
fn literals(list: &[TextPattern]) -> Option<Vec<String>> {
    let literal = |pattern: &TextPattern| {
        let part = match pattern {
            TextPattern::Exact(text) => text.as_str(),
            TextPattern::Stars(text) => text.split('*').max_by_key(|part| part.len()).unwrap_or_default(),
        };
        (part.len() >= PIECE).then(|| part.to_owned())
    };
    list.iter().map(literal).collect()
}

fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    text.as_bytes().windows(PIECE).map(|piece| [piece[0], piece[1], piece[2]])
}
