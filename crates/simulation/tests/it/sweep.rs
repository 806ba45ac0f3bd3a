//! Every append of a small run fails once, in every way, and the laws hold.

use askbridge_simulation::plan::{Plan, Strike, Struck};
use askbridge_simulation::{run, shrink};

/// No small run has as many appends. Beyond: it is not small, or it never ends.
const APPENDS_MAX: usize = 200;

fn sweep(what: Struck) {
    for append in 1..APPENDS_MAX {
        let story = run(&Plan::struck(1, Strike { append, what }));
        let (appends, lines) = (story.appends, story.lines);
        assert!(story.violations.is_empty(), "{}", shrink(story, None).told());
        if appends < append {
            assert!(append > 10, "only {append} appends in {lines} lines: the afternoon is too small");
            return;
        }
    }
    panic!("there is no end of appends");
}

#[test]
fn a_disk_may_be_full_at_every_append() {
    sweep(Struck::Full);
}

#[test]
fn a_disk_may_turn_read_only_at_every_append() {
    sweep(Struck::ReadOnly);
}

#[test]
fn the_acknowledgement_of_every_append_may_be_lost() {
    sweep(Struck::UnknownAndLanded);
}

#[test]
fn every_append_may_be_lost_without_a_word() {
    sweep(Struck::UnknownAndLost);
}

#[test]
fn the_bridge_may_die_before_every_append() {
    sweep(Struck::KilledBefore);
}

#[test]
fn the_bridge_may_die_after_every_append() {
    sweep(Struck::KilledAfter);
}
