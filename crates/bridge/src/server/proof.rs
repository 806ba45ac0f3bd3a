//! A response body that reports when it was taken: the proof that an asker fetched its answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

/// One piece of data, and a callback for when the connection has taken it for writing.
pub(crate) struct Proof<F: FnOnce() + Send> {
    data: Option<Bytes>,
    taken: Option<F>,
}

impl<F: FnOnce() + Send> Proof<F> {
    pub(crate) fn new(data: Bytes, taken: F) -> Self {
        Self { data: Some(data), taken: Some(taken) }
    }
}

impl<F: FnOnce() + Send + Unpin> Body for Proof<F> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = self.data.take();
        if let Some(taken) = self.taken.take() {
            taken();
        }
        Poll::Ready(data.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.data.as_ref().map_or(0, |data| data.len() as u64))
    }
}
