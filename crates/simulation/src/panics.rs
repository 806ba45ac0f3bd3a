//! Records the panics of this thread: a panic ends only its own task, and may go unnoticed by those waiting for it.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Records every panic of this thread from now on.
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

/// Returns the panics since [`watch`].
pub(crate) fn seen() -> Vec<String> {
    SEEN.take()
}
