//! Finds the rules that can match an ask: by its tool and a word of its command or path, by a piece of a text, by its
//! folder, or else by its kind.

use std::collections::HashMap;

use super::call::Anchor;
use super::facts::AskFacts;
use super::pieces::{Pieces, PiecesBuilder};
use super::rule::AskRule;
use crate::ask::Kind;
use crate::terms::folders_above;

/// Rules by what they need, each list in file order. A rule is in one of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    always: Vec<u32>,
    by_kind: HashMap<Kind, Vec<u32>>,
    by_tool: HashMap<String, ToolRules>,
    /// By the folders of which one has to be above the session's.
    by_folder: HashMap<String, Vec<u32>>,
    by_text: Pieces,
}

#[derive(Debug, Clone, Default)]
struct ToolRules {
    all: Vec<u32>,
    by_word: HashMap<String, Vec<u32>>,
}

impl Index {
    /// Of rules, each with its number.
    pub(super) fn of<'r>(rules: impl Iterator<Item = (u32, &'r AskRule)>) -> Self {
        let (mut index, mut texts) = (Self::default(), PiecesBuilder::default());
        for (at, rule) in rules {
            let anchors = rule.when.tool.as_ref().and_then(|tool| tool.anchors());
            if let Some(anchors) = anchors {
                anchors.into_iter().for_each(|anchor| index.hang(anchor, at));
                continue;
            }
            if texts.take(at, &rule.when) {
                continue;
            }
            match rule.kinds() {
                _ if !rule.when.folder.is_empty() => {
                    let roots = rule.when.folder.iter().map(|root| root.trim_end_matches('/').to_owned());
                    roots.for_each(|root| push(index.by_folder.entry(root).or_default(), at));
                }
                Some(kinds) => {
                    kinds.into_iter().for_each(|kind| index.by_kind.entry(kind).or_default().push(at));
                }
                None => index.always.push(at),
            }
        }
        index.by_text = texts.build();
        index
    }

    fn hang(&mut self, Anchor { tool, word }: Anchor, at: u32) {
        let rules = self.by_tool.entry(tool).or_default();
        let list = match word {
            None => &mut rules.all,
            Some(word) => rules.by_word.entry(word).or_default(),
        };
        push(list, at);
    }

    /// Returns the rules that can match, in file order.
    pub(super) fn candidates(&self, facts: &AskFacts<'_>) -> Vec<u32> {
        let mut found = self.always.clone();
        if let Some(body) = facts.body {
            found.extend(self.by_kind.get(&body.kind()).into_iter().flatten());
        }
        if let Some((call, rules)) = facts.call.and_then(|call| Some((call, self.by_tool.get(call.tool())?))) {
            found.extend(&rules.all);
            if !rules.by_word.is_empty() {
                match call.words(facts.folder) {
                    Some(words) => {
                        words.iter().for_each(|word| found.extend(rules.by_word.get(word).into_iter().flatten()))
                    }
                    None => found.extend(rules.by_word.values().flatten()),
                }
            }
        }
        if let Some(folder) = facts.folder.filter(|_| !self.by_folder.is_empty()) {
            for above in folders_above(folder) {
                found.extend(self.by_folder.get(&above).into_iter().flatten());
            }
        }
        self.by_text.find(facts, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A rule with several patterns is listed once.
fn push(list: &mut Vec<u32>, at: u32) {
    if list.last() != Some(&at) {
        list.push(at);
    }
}
