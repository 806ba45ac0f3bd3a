//! Runs work that a request waits for in a task of its own.

use std::panic::resume_unwind;

use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use crate::traces::Context;

/// Runs `work` in a spawned task, so that a poll does not re-enter the connection's layer stack.
///
/// The task is aborted when the request is dropped.
pub(crate) async fn aside<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let work = work.in_current_span();
    let task = match Context::current() {
        Some(context) => tokio::spawn(context.within(work)),
        None => tokio::spawn(work),
    };
    match AbortOnDropHandle::new(task).await {
        Ok(done) => done,
        // The task is aborted only by dropping this future, so an error here is a panic.
        Err(error) => resume_unwind(error.into_panic()),
    }
}
