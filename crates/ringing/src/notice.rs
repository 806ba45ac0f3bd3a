//! What one channel is to show of one ask, or of several. Texts are ready to be read: shortened, with invisible
//! characters spelled out, and without content where the channel is set so. A channel's module only escapes them.

/// One notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Letters and digits, at most 32: the same for every message about the same matter on the same channel, so that a
    /// newer one can replace an older one.
    pub tag: String,
    pub title: String,
    pub body: String,
    /// The address of the card, if it can be opened from outside.
    pub link: Option<String>,
    pub is_urgent: bool,
    /// What may be decided from the notice itself. Empty: the person opens the card.
    pub buttons: Vec<Button>,
    /// Several buttons may be chosen, and this ticket sends the choice. Only for channels that can do so.
    pub done: Option<Ticket>,
    /// A reply in words is an answer, under this ticket. Only for channels that can do so.
    pub words: Option<Ticket>,
    /// Under this ticket the device says that it showed the notice, and that the person tapped it. It decides nothing.
    /// Only for channels whose devices say so.
    pub receipt: Option<Ticket>,
}

impl Notice {
    /// A notice that only says something.
    pub fn saying(tag: String, title: String, body: String) -> Self {
        Self {
            tag,
            title,
            body,
            link: None,
            is_urgent: false,
            buttons: Vec::new(),
            done: None,
            words: None,
            receipt: None,
        }
    }
}

/// One tap that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    pub label: String,
    pub ticket: Ticket,
    pub tone: Tone,
}

/// A secret that stands for one decision of one person about one ask (`tickets.rs`): letters and digits, at most 40.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub String);

impl Ticket {
    pub const CHARS_MAX: usize = 40;

    /// Returns the ticket that came back over a channel, if the text can be one.
    pub fn read(text: &str) -> Option<Self> {
        let is_ticket = (1..=Self::CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        is_ticket.then(|| Self(text.to_owned()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Allow,
    Deny,
}
