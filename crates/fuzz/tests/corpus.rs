//! The corpus of every target, and a little chance: what broke once does not break again.

use askbridge_fuzz::driver::{Dice, corpus, mutate, replay};
use askbridge_fuzz::targets::TARGETS;

/// Inputs by chance for each target. The long run is `cargo xtask fuzz`.
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
