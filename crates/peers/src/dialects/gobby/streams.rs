//! Streams text as it grows, and completes it when it is stored.

use askbridge_core::ids::SessionId;

use super::names;
use super::peer::Gobby;
use super::wire::GobbyEvent;
use crate::peer::{BlockKind, Outbox};
use crate::stream::Completion;
use crate::told::Happened;

/// A block of an agent's text or thinking.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) session: SessionId,
    pub(super) block: u32,
    pub(super) kind: BlockKind,
}

impl Gobby {
    /// A block grows. Only a page that accepts it is told.
    pub(super) fn streams(&mut self, piece: Piece, offset: usize, text: &str, out: &mut Outbox) {
        // A question being written has no frame here; the complete one follows.
        if piece.kind == BlockKind::Asking || self.requests(piece.session).is_empty() {
            return;
        }
        let chat = self.chats.entry(piece.session).or_default();
        if chat.whole.is_some_and(|whole| piece.block <= whole) {
            return;
        }
        if let Some(news) = chat.streams.delta(piece.block, offset, text) {
            let message = names::message_of_block(piece.session, piece.block);
            self.grows(piece, &message, news, out);
        }
    }

    /// A block is stored: sends the part that a page has not seen.
    pub(super) fn is_whole(&mut self, piece: Piece, text: &str, happened: &Happened, out: &mut Outbox) {
        let chat = self.chats.entry(piece.session).or_default();
        chat.whole = chat.whole.max(Some(piece.block));
        let message = names::message_of_block(piece.session, piece.block);
        match chat.streams.complete(piece.block, text) {
            Completion::Nothing => {}
            Completion::Whole(text) | Completion::Rest(text) => self.grows(piece, &message, text, out),
            // An append-only page cannot take text back: the right text follows, in a message of its own.
            Completion::Instead(text) => {
                let message = names::message_at(piece.session, happened.position);
                self.grows(piece, &message, text, out);
            }
        }
    }

    fn grows(&mut self, piece: Piece, message: &str, content: &str, out: &mut Outbox) {
        match piece.kind {
            BlockKind::Text => self.stream(piece.session, message, content, None, out),
            BlockKind::Thinking => {
                let conversation = self.name_of(piece.session);
                for request in self.requests(piece.session) {
                    let (message_id, conversation_id, request_id) = (message, &*conversation, request.as_deref());
                    let said = GobbyEvent::ChatThinking { message_id, conversation_id, request_id, content };
                    self.draw_in(piece.session, &said, out);
                }
            }
            BlockKind::Asking => {}
        }
    }
}
