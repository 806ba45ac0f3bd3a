//! Panics of this thread. A task that panics ends alone, and whoever waits for it may never notice; so they are written down.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Writes down every panic of this thread from now on.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            SEEN.with_borrow_mut(|seen| seen.push(panic.to_string()));
            before(panic);
        }));
    });
    SEEN.take();
}

/// Returns those since [`watch`].
pub(crate) fn seen() -> Vec<String> {
    SEEN.take()
}
