//! Patterns for commands: `npm test`, `npm test *`, `git * main`, and the older `npm test:*`.

use askbridge_core::rules::asks::{Need, Part, TextPattern};

#[derive(Debug)]
pub(super) struct CommandPattern {
    /// With single blanks.
    pattern: TextPattern,
    /// Of `npm test *`: `npm test`, which matches too. Only where that `*` is the only one.
    alone: Option<String>,
}

impl CommandPattern {
    pub(super) fn read(spec: &str) -> Self {
        let text = spec.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let text = match text.strip_suffix(":*") {
            Some(prefix) => format!("{prefix} *"),
            None => text,
        };
        let alone = text.strip_suffix(" *").filter(|prefix| !prefix.contains('*')).map(str::to_owned);
        Self { pattern: TextPattern::new(text), alone }
    }

    /// Is the text, with single blanks, like the pattern?
    pub(super) fn is_like(&self, text: &str) -> bool {
        self.alone.as_deref() == Some(text) || self.pattern.matches(text)
    }

    /// May this part run? Assignments before the command count only if the pattern names them.
    pub(super) fn allows(&self, part: &Part) -> bool {
        let (TextPattern::Exact(text) | TextPattern::Stars(text)) = &self.pattern;
        let literal = text.split('*').next().unwrap_or_default();
        let names_them = part.assigned_bytes == 0 || literal.len() >= part.assigned_bytes;
        names_them && self.is_like(&part.text)
    }

    /// What every call has with a text that is like the pattern.
    pub(super) fn needs(&self) -> Vec<Need> {
        let literal: Vec<_> = match (&self.alone, &self.pattern) {
            (Some(text), _) => vec![text.as_str()],
            (None, TextPattern::Exact(text) | TextPattern::Stars(text)) => text.split('*').collect(),
        };
        let texts = literal.into_iter().map(|text| Need::Text(text.to_owned()));
        self.beginning().map(Need::Word).into_iter().chain(texts).collect()
    }

    /// The first word or the first two, if every text that is like the pattern begins with them.
    pub(super) fn beginning(&self) -> Option<String> {
        let (TextPattern::Exact(text) | TextPattern::Stars(text)) = &self.pattern;
        let fixed: Vec<_> =
            text.split(' ').take_while(|word| !word.contains('*') && !word.is_empty()).take(2).collect();
        (!fixed.is_empty()).then(|| fixed.join(" "))
    }
}
