//! The corpus of every target, so that a crash that was fixed stays fixed, and a few random inputs.

use askbridge_fuzz::driver::{Dice, corpus, mutate, replay};
use askbridge_fuzz::targets::TARGETS;

/// Random inputs for each target. The long run is `cargo xtask fuzz`.
const INPUTS: usize = 2_000;

#[test]
fn no_target_breaks_on_its_corpus_or_on_what_chance_makes_of_it() {
    for target in TARGETS {
        let corpus = corpus(target).expect("every target has a corpus");
        assert!(!corpus.is_empty(), "{} has nothing in its corpus", target.name);
        let fed = replay(target, &corpus).and_then(|()| mutate(target, &corpus, &mut Dice(1), INPUTS));
        assert!(fed.is_ok(), "{fed:?}");
    }
}

#[test]
fn a_batch_is_the_same_whenever_it_is_fed_and_unlike_the_next() {
    let of = |seed, batch| Dice::of_batch(seed, batch).0;
    assert_eq!(of(7, 3), of(7, 3));
    let all: std::collections::BTreeSet<_> =
        (0..50).flat_map(|seed| (0..50).map(move |batch| of(seed, batch))).collect();
    assert_eq!(all.len(), 2_500, "batches of different runs differ");
}
