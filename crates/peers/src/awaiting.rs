//! What a peer wished for or wanted to know, until it hears what became of it.

use std::collections::BTreeMap;

use crate::peer::{Outbox, Tag};
use crate::wish::{Query, Wish};

/// Remembers behind each tag what it was for.
#[derive(Debug)]
pub(crate) struct Awaiting<A> {
    made: u64,
    awaited: BTreeMap<Tag, A>,
}

impl<A> Default for Awaiting<A> {
    fn default() -> Self {
        Self { made: 0, awaited: BTreeMap::new() }
    }
}

impl<A> Awaiting<A> {
    pub(crate) fn wish(&mut self, awaited: A, wish: Wish, out: &mut Outbox) {
        out.wishes.push((self.tag(awaited), wish));
    }

    pub(crate) fn query(&mut self, awaited: A, query: Query, out: &mut Outbox) {
        out.queries.push((self.tag(awaited), query));
    }

    /// Returns what a reply is about. Nothing if it was not wished for here, or was heard before.
    pub(crate) fn take(&mut self, tag: Tag) -> Option<A> {
        self.awaited.remove(&tag)
    }

    fn tag(&mut self, awaited: A) -> Tag {
        self.made += 1;
        self.awaited.insert(Tag(self.made), awaited);
        Tag(self.made)
    }
}
