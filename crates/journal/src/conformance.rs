//! The conformance suite that every backend passes.
//!
//! Each scenario works in sessions and under keys of its own, so that all of them can run against one store, at once
//! and while its servers die. [`all`] runs the whole suite.

mod bus;
mod follow;
mod guard;
mod index;
mod names;
mod read;
mod shelf;
mod watch;

pub use bus::*;
pub use follow::*;
pub use guard::*;
pub use index::*;
pub use names::Names;
pub use read::*;
pub use shelf::*;
pub use watch::*;

use crate::index::Index;
use crate::journal::Journal;
use crate::shelf::WatchShelf;

/// Runs every scenario, one after the other.
pub async fn all<B: Journal + WatchShelf>(store: &B, names: &Names) {
    the_first_append_to_a_head_wins(store, names).await;
    the_same_entry_again_is_the_same_append(store, names).await;
    an_entry_is_found_although_others_followed_it(store, names).await;
    of_many_racing_writers_one_wins_each_head(store, names).await;
    content_needs_no_guard_and_is_stored_once(store, names).await;
    content_does_not_move_the_head(store, names).await;
    content_may_stand_with_a_decision(store, names).await;
    what_is_too_large_or_mixed_is_refused(store, names).await;
    both_lanes_are_ordered_by_position(store, names).await;
    a_reader_sees_what_was_acknowledged(store, names).await;
    a_long_session_is_read_in_pages(store, names).await;
    a_session_is_read_from_its_end(store, names).await;
    a_page_of_large_entries_is_short_and_the_next_goes_on(store, names).await;
    what_is_read_is_what_was_written(store, names).await;
    a_forgotten_session_is_gone_and_can_begin_again(store, names).await;
    what_was_forgotten_can_be_proved(store, names).await;
    a_follower_from_the_start_hears_everything_once(store, names).await;
    a_follower_from_a_cursor_hears_only_what_it_missed(store, names).await;
    a_follower_crosses_into_the_present_without_gap_or_repeat(store, names).await;
    a_foreign_cursor_is_told_to_start_from_a_snapshot(store, names).await;
    all_of_the_shelf(store, names).await;
}

/// Runs every scenario of a shelf's watchers.
pub async fn all_of_the_watch<S: WatchShelf>(shelf: &S, names: &Names) {
    a_watcher_is_told_what_is_there_and_every_change(shelf, names).await;
    a_watcher_from_a_revision_is_told_only_what_it_missed(shelf, names).await;
    a_watcher_ends_with_what_is_there(shelf, names).await;
}

/// Runs every scenario of a shelf without a journal.
pub async fn all_of_the_shelf<S: WatchShelf>(shelf: &S, names: &Names) {
    a_revision_guards_a_thing_on_the_shelf(shelf, names).await;
    what_has_expired_is_not_there(shelf, names).await;
    of_many_takers_one_gets_it(shelf, names).await;
    the_shelf_is_listed_by_prefix(shelf, names).await;
    what_is_too_large_stays_off_the_shelf(shelf, names).await;
    all_of_the_watch(shelf, names).await;
}

/// Runs every scenario of an index: `index` is of the node of `store`, `other` of another node, or the same one.
pub async fn all_of_the_index<J: Journal>(store: &J, index: &Index, other: &Index, names: &Names) {
    a_node_reads_its_own_writes(store, index, names).await;
    a_node_reads_what_a_client_saw_elsewhere(store, other, names).await;
    what_was_forgotten_leaves_every_index(store, &[index, other], names).await;
    an_index_knows_how_old_and_how_long_a_session_is(store, index, names).await;
    a_cursor_of_another_journal_is_told_so(index).await;
}

/// Makes a test of each scenario. `$open` is an async expression for a store and the values that must outlive it.
#[macro_export]
macro_rules! conformance_tests {
    ($open:expr) => {
        $crate::conformance_tests! { @each $open;
            the_first_append_to_a_head_wins the_same_entry_again_is_the_same_append
            an_entry_is_found_although_others_followed_it of_many_racing_writers_one_wins_each_head
            content_needs_no_guard_and_is_stored_once content_does_not_move_the_head
            content_may_stand_with_a_decision what_is_too_large_or_mixed_is_refused both_lanes_are_ordered_by_position
            a_reader_sees_what_was_acknowledged a_long_session_is_read_in_pages
            a_session_is_read_from_its_end a_page_of_large_entries_is_short_and_the_next_goes_on what_is_read_is_what_was_written
            a_forgotten_session_is_gone_and_can_begin_again what_was_forgotten_can_be_proved a_follower_from_the_start_hears_everything_once
            a_follower_from_a_cursor_hears_only_what_it_missed
            a_follower_crosses_into_the_present_without_gap_or_repeat
            a_foreign_cursor_is_told_to_start_from_a_snapshot a_revision_guards_a_thing_on_the_shelf
            what_has_expired_is_not_there of_many_takers_one_gets_it the_shelf_is_listed_by_prefix
            what_is_too_large_stays_off_the_shelf a_watcher_is_told_what_is_there_and_every_change
            a_watcher_from_a_revision_is_told_only_what_it_missed a_watcher_ends_with_what_is_there
        }
    };
    (@each $open:expr; $($scenario:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $scenario() {
            let (store, _kept) = $open;
            $crate::conformance::$scenario(&store, &$crate::conformance::Names::new(1)).await;
        }
    )*};
}
