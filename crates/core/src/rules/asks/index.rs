//! Finds the few rules of a long list that can match an ask: each is listed under the rarest thing that it needs.

use std::collections::{BTreeSet, HashMap};

use super::facts::AskFacts;
use super::lookup::Lookup;
use super::needs::{Atom, Of, Way};
use super::rule::AskRule;
use crate::terms::folders_above;

/// As many comparisons as it costs to know an ask's digest, of which its whole input is read.
const DIGEST_COST: usize = 64;

/// Rules by what they need.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// Those that may match anything.
    always: Vec<u32>,
    by_text: HashMap<Of, Lookup>,
}

impl Index {
    /// Of rules, each with its number. In two passes: what is rare is known only when all rules were seen.
    pub(super) fn of<'r>(rules: impl Iterator<Item = (u32, &'r AskRule)>) -> Self {
        let rules: Vec<(u32, Vec<Vec<Way>>)> = rules.map(|(at, rule)| (at, rule.needs())).collect();
        let mut counts: HashMap<&Atom, usize> = HashMap::new();
        for atom in rules.iter().flat_map(|(_, needs)| needs.iter().flatten().flatten()) {
            *counts.entry(atom).or_default() += 1;
        }
        let mut index = Self::default();
        for (at, needs) in &rules {
            // A condition costs as many comparisons as rules are listed under the rarest atom of each of its ways.
            let rarest = |way: &'_ Way| way.iter().map(|atom| (counts[atom], atom.clone())).min();
            let chosen = needs.iter().map(|ways| {
                let chosen: BTreeSet<(usize, Atom)> = ways.iter().filter_map(rarest).collect();
                let cost = |(count, (of, _)): &(usize, Atom)| count + if *of == Of::Digest { DIGEST_COST } else { 0 };
                (chosen.iter().map(cost).sum::<usize>(), chosen)
            });
            match chosen.min_by_key(|(cost, _)| *cost) {
                None => index.always.push(*at),
                Some((_, chosen)) => {
                    chosen.into_iter().for_each(|(_, (of, key))| index.by_text.entry(of).or_default().list(key, *at))
                }
            }
        }
        index.by_text.values_mut().for_each(Lookup::finish);
        index
    }

    /// Returns the rules that can match, in file order.
    pub(super) fn candidates(&self, facts: &AskFacts<'_>) -> Vec<u32> {
        let mut found = self.always.clone();
        for (of, lookup) in &self.by_text {
            find(of, lookup, facts, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn find(of: &Of, lookup: &Lookup, facts: &AskFacts<'_>, found: &mut Vec<u32>) {
    let questions = facts.questions();
    // What cannot be read must not evade a rule that denies or asks.
    let known = |texts: Option<Vec<String>>, found: &mut Vec<u32>| match texts {
        Some(texts) => lookup.find(texts.iter().map(String::as_str), found),
        None => lookup.all(found),
    };
    match of {
        Of::Kind => lookup.find(facts.body.map(|body| body.kind().name()), found),
        Of::Door => lookup.find([facts.door], found),
        Of::Agent => lookup.find([facts.agent], found),
        Of::Session => lookup.find(facts.session.into_iter().chain(facts.title), found),
        Of::Folder => known(Some(facts.folder.map(folders_above).unwrap_or_default()), found),
        Of::Branch => lookup.find(facts.branch, found),
        Of::Tool => lookup.find(facts.call.map(|call| call.tool()), found),
        Of::Question => lookup.find(questions.iter().map(|question| question.text.as_str()), found),
        Of::Header => lookup.find(questions.iter().filter_map(|question| question.header.as_deref()), found),
        Of::Option => {
            let labels = questions.iter().flat_map(|question| &question.options).map(|option| option.label.as_str());
            lookup.find(labels, found);
        }
        Of::Headline => lookup.find([facts.headline().to_lowercase().as_str()], found),
        Of::Word | Of::CallText | Of::Input(_) | Of::Digest => {
            let Some(call) = facts.call else { return };
            match of {
                Of::Word => known(call.words(facts.folder), found),
                Of::CallText => known(call.texts(facts.folder), found),
                Of::Input(path) if call.is_readable() => lookup.find(call.field(path).as_deref(), found),
                Of::Digest => known(call.digest().map(|digest| vec![digest]), found),
                _ => lookup.all(found),
            }
        }
    }
}
