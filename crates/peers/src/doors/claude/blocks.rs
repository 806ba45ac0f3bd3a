//! Numbers blocks of text, the same for the stream and for what is stored afterwards.

use crate::peer::BlockKind as Kind;

/// Counts blocks, and tracks the one that streams.
#[derive(Debug)]
pub(super) struct Blocks {
    next: u32,
    streaming: Option<Streaming>,
}

#[derive(Debug)]
struct Streaming {
    kind: Kind,
    block: u32,
    bytes: usize,
}

impl Blocks {
    pub(super) fn new(next: u32) -> Self {
        Self { next, streaming: None }
    }

    pub(super) fn next(&self) -> u32 {
        self.next
    }

    fn take(&mut self) -> u32 {
        let block = self.next;
        self.next = self.next.wrapping_add(1);
        block
    }

    /// A block begins to stream.
    pub(super) fn begin(&mut self, kind: Kind) {
        let block = self.take();
        self.streaming = Some(Streaming { kind, block, bytes: 0 });
    }

    /// More of the block. Returns its number, and the offset of this piece.
    pub(super) fn delta(&mut self, kind: Kind, text: &str) -> Option<(u32, usize)> {
        let streaming = self.streaming.as_mut().filter(|streaming| streaming.kind == kind)?;
        let offset = streaming.bytes;
        streaming.bytes += text.len();
        Some((streaming.block, offset))
    }

    /// A call's input is complete: the next delta belongs to another block.
    pub(super) fn end_asking(&mut self) {
        self.streaming.take_if(|streaming| streaming.kind == Kind::Asking);
    }

    /// The turn is over: what was being streamed is not completed any more.
    pub(super) fn end(&mut self) {
        self.streaming = None;
    }

    /// The block is complete. Returns its number.
    pub(super) fn whole(&mut self, kind: Kind) -> u32 {
        match self.streaming.take_if(|streaming| streaming.kind == kind) {
            Some(streaming) => streaming.block,
            None => self.take(),
        }
    }
}
