//! What chats need between two messages: codes that pair them, options that are marked, prompts for words. In memory
//! only: after a restart a person opens the card instead.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_ringing::notice::{Notice, Ticket};

use super::Ringing;
use crate::runtime::Handle;

/// How long a code pairs.
const CODE_LIFE: Duration = Duration::from_secs(15 * 60);
/// Messages that are remembered. Beyond: all are forgotten, and people open the card.
const REMEMBERED_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Chats {
    /// The channel that each code pairs, and until when.
    codes: HashMap<String, (String, Timestamp)>,
    /// Messages with options of which several can be chosen, by the name of their ring.
    pub(super) several: HashMap<String, (Notice, BTreeSet<usize>)>,
    /// The ring that a reply to this message answers, by the message's name.
    pub(super) prompts: HashMap<String, String>,
}

impl Ringing {
    /// Makes a code that pairs a chat with this channel, once.
    pub(crate) fn new_code(&self, handle: &Handle, channel: &str) -> String {
        let code = Ticket::of(handle.chance.u128()).0[..20].to_owned();
        let mut chats = self.chats.lock();
        let now = handle.now();
        chats.codes.retain(|_, (_, until)| *until > now);
        chats.codes.insert(code.clone(), (channel.to_owned(), now.plus(CODE_LIFE)));
        code
    }

    /// Uses a code up. Returns the channel that it pairs.
    pub(super) fn take_code(&self, code: &str, now: Timestamp) -> Option<String> {
        let (channel, until) = self.chats.lock().codes.remove(code.trim())?;
        (until > now).then_some(channel)
    }

    /// Remembers a message of which several options can be chosen.
    pub(super) fn remember_several(&self, key: &str, notice: &Notice) {
        if notice.done.is_some() {
            let mut chats = self.chats.lock();
            bound(&mut chats.several);
            chats.several.insert(key.to_owned(), (notice.clone(), BTreeSet::new()));
        }
    }

    /// Marks an option, or takes the mark away. Returns the message and what is marked now.
    pub(super) fn toggle(&self, key: &str, option: usize) -> Option<(Notice, Vec<usize>)> {
        let mut chats = self.chats.lock();
        let (notice, marked) = chats.several.get_mut(key)?;
        if !marked.remove(&option) {
            marked.insert(option);
        }
        Some((notice.clone(), marked.iter().copied().collect()))
    }

    pub(super) fn marked(&self, key: &str) -> Vec<usize> {
        self.chats.lock().several.get(key).map(|(_, marked)| marked.iter().copied().collect()).unwrap_or_default()
    }

    /// A reply to this message answers that ring.
    pub(super) fn remember_prompt(&self, message: String, key: &str) {
        let mut chats = self.chats.lock();
        bound(&mut chats.prompts);
        chats.prompts.insert(message, key.to_owned());
    }

    pub(super) fn prompted(&self, message: &str) -> Option<String> {
        self.chats.lock().prompts.get(message).cloned()
    }
}

fn bound<T>(map: &mut HashMap<String, T>) {
    if map.len() >= REMEMBERED_MAX {
        map.clear();
    }
}
