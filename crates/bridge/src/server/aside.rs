//! Runs work that a request waits for in a task of its own.

use std::panic::resume_unwind;
use std::pin::Pin;

use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use crate::traces::Context;

/// Runs `work` in a spawned task, so that a poll does not re-enter the connection's layer stack.
///
/// The task is aborted when the request is dropped. The work is boxed, because a task's future is moved several times
/// on its way into the runtime and is copied whole each time.
pub(crate) async fn aside<T, W>(work: Pin<Box<W>>) -> T
where
    T: Send + 'static,
    W: Future<Output = T> + Send + 'static,
{
    let work = work.in_current_span();
    let task = match Context::current() {
        Some(context) => tokio::spawn(context.within(work)),
        None => tokio::spawn(work),
    };
    // The task is aborted only by dropping this future.
    unless_panicked(AbortOnDropHandle::new(task).await)
}

/// Returns what a task returned. For tasks that are not aborted while they are waited for: an error is a panic, and goes
/// on here.
pub(super) fn unless_panicked<T>(joined: Result<T, JoinError>) -> T {
    joined.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}
