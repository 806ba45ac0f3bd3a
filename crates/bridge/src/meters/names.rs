//! Counters by name. The first use of a name adds a row; after that, counting is a lookup and an addition.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names that a table can hold. Beyond: they are counted together, as [`OTHER`]. Ours are fewer than this.
const NAMES_MAX: usize = 96;
/// The name for everything beyond.
pub(super) const OTHER: &str = "other";

/// Counters with a name each, in `N` columns.
#[derive(Debug)]
pub(super) struct Names<const N: usize> {
    rows: [OnceLock<Row<N>>; NAMES_MAX],
    other: [AtomicU64; N],
}

#[derive(Debug)]
struct Row<const N: usize> {
    name: Box<str>,
    counts: [AtomicU64; N],
}

impl<const N: usize> Default for Names<N> {
    fn default() -> Self {
        Self { rows: [const { OnceLock::new() }; NAMES_MAX], other: [const { AtomicU64::new(0) }; N] }
    }
}

impl<const N: usize> Names<N> {
    pub(super) fn add(&self, name: &str, column: usize) {
        self.counts_of(name)[column].fetch_add(1, Ordering::Relaxed);
    }

    fn counts_of(&self, name: &str) -> &[AtomicU64; N] {
        if name == OTHER {
            return &self.other;
        }
        for place in &self.rows {
            // Two names may be added at the same moment: the one that loses tries the next row.
            let row = place.get_or_init(|| Row { name: name.into(), counts: [const { AtomicU64::new(0) }; N] });
            if *row.name == *name {
                return &row.counts;
            }
        }
        &self.other
    }

    /// Returns all names with their counts.
    pub(super) fn read(&self) -> Vec<(&str, [u64; N])> {
        let load = |counts: &[AtomicU64; N]| counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        let rows = self.rows.iter().map_while(OnceLock::get).map(|row| (&*row.name, load(&row.counts)));
        rows.chain([(OTHER, load(&self.other))]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_counters_of_its_own() {
        let names = Names::<2>::default();
        names.add("a", 0);
        names.add("b", 1);
        names.add("a", 0);
        assert_eq!(names.read(), [("a", [2, 0]), ("b", [0, 1]), (OTHER, [0, 0])]);
    }

    #[test]
    fn names_beyond_the_last_place_are_counted_together() {
        let names = Names::<1>::default();
        (0..NAMES_MAX + 3).for_each(|number| names.add(&number.to_string(), 0));
        assert_eq!(names.read().last(), Some(&(OTHER, [3])));
    }

    #[test]
    fn nothing_is_lost_when_a_name_first_comes_from_many_sides() {
        let names = Names::<1>::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..1000).for_each(|number| names.add(["x", "y", "z"][number % 3], 0)));
            }
        });
        let counted: u64 = names.read().iter().map(|(_, [count])| count).sum();
        assert_eq!((counted, names.read().len()), (8000, 4));
    }
}
