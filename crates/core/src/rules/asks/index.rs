//! Finds the rules that can match an ask, by its kind, its tool and a word of its command or path.

use std::collections::HashMap;

use super::call::Anchor;
use super::facts::AskFacts;
use super::rule::AskRule;
use crate::ask::Kind;

/// Rules by what they need, each list in file order.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    always: Vec<u32>,
    by_kind: HashMap<Kind, Vec<u32>>,
    by_tool: HashMap<String, ToolRules>,
}

#[derive(Debug, Clone, Default)]
struct ToolRules {
    all: Vec<u32>,
    by_word: HashMap<String, Vec<u32>>,
}

impl Index {
    /// Of rules, each with its number.
    pub(super) fn of<'r>(rules: impl Iterator<Item = (u32, &'r AskRule)>) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules {
            let anchors = rule.when.tool.as_ref().and_then(|tool| tool.anchors());
            match (anchors, rule.kinds()) {
                (Some(anchors), _) => anchors.into_iter().for_each(|anchor| index.hang(anchor, at)),
                (None, Some(kinds)) => {
                    kinds.into_iter().for_each(|kind| index.by_kind.entry(kind).or_default().push(at));
                }
                (None, None) => index.always.push(at),
            }
        }
        index
    }

    fn hang(&mut self, Anchor { tool, word }: Anchor, at: u32) {
        let rules = self.by_tool.entry(tool).or_default();
        let list = match word {
            None => &mut rules.all,
            Some(word) => rules.by_word.entry(word).or_default(),
        };
        // A rule with several patterns for one tool is listed once.
        if list.last() != Some(&at) {
            list.push(at);
        }
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
        found.sort_unstable();
        found.dedup();
        found
    }
}
