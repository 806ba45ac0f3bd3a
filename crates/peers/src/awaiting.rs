//! Pending wishes and queries of a peer, by the tag of their reply.

use std::collections::BTreeMap;

use crate::peer::{Outbox, Tag};
use crate::wish::{Query, Wish};

/// Remembers for each tag what its wish or query was for.
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

    /// Returns what a reply is about. `None`: the tag is unknown, or its reply has already come.
    pub(crate) fn take(&mut self, tag: Tag) -> Option<A> {
        self.awaited.remove(&tag)
    }

    fn tag(&mut self, awaited: A) -> Tag {
        self.made += 1;
        self.awaited.insert(Tag(self.made), awaited);
        Tag(self.made)
    }
}
