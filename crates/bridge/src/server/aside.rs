//! Work that a request waits for, in a task of its own.

use std::panic::resume_unwind;

use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

use crate::traces::Context;

/// Does `work` beside the request. Within it, each step would lead through all layers of the connection again.
///
/// It ends with the request: nobody is left who would hear of it.
pub(crate) async fn aside<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let work = work.in_current_span();
    let task = match Context::current() {
        Some(context) => tokio::spawn(context.within(work)),
        None => tokio::spawn(work),
    };
    match AbortOnDropHandle::new(task).await {
        Ok(done) => done,
        // Nobody ends it but we, by not waiting.
        Err(error) => resume_unwind(error.into_panic()),
    }
}
