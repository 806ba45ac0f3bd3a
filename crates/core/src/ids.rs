//! Ids, positions and timestamps: newtypes and nothing else.
//!
//! Every id is one word, so that a double click copies all of it. An [`AskId`] contains its session's id, so it says
//! which log to open.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Digits of Crockford's base 32: no i, l, o, u, so that an id can be read out over the phone.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many of those digits hold 128 bits.
const DIGITS_U128: usize = 26;
/// The value of each byte as a digit; [`NO_DIGIT`] if it is not one.
const WORTH: [u8; 256] = {
    let mut worth = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < DIGITS.len() {
        worth[DIGITS[digit] as usize] = digit as u8;
        digit += 1;
    }
    worth
};
const NO_DIGIT: u8 = u8::MAX;

/// One conversation with one agent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u128);

/// One ask: the session it belongs to, and its number there, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId {
    pub session: SessionId,
    pub number: u32,
}

/// One message to an agent: the session it belongs to, and its number there, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId {
    pub session: SessionId,
    pub number: u32,
}

/// One append to the journal. Chosen by the writer, so that an append with an unknown result can be retried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u128);

/// One run of an askbridge, from its start to its stop. Made at each start, so that entry ids are never reused and a
/// claim of an earlier run is known as such.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct NodeId(pub u64);

/// An askbridge and its data folder, across restarts. Entries carry [`NodeId`] instead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StableNodeId(pub u64);

/// How many times a session has been claimed by a host. Claims of an older epoch no longer count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Epoch(pub u32);

/// A position in the journal: totally ordered per session over both lanes, with gaps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Position(pub u64);

/// Milliseconds since 1970, UTC. Passed in by the caller, because the rules have no clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns this time plus `span`, saturating.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns this time minus `span`, saturating.
    pub fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Returns the time from `earlier` to this time; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Arc<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    )*};
}

words! {
    /// A person, by the name they were paired under.
    PersonId
    /// The holder of a token: a person's device, an agent, the local command line.
    PartyId
    /// An agent's own id for one of its tool calls.
    CallId
    /// An idempotency key: asking twice with the same key makes one ask.
    Key
    /// JSON text, kept exactly as received. The rules never parse it.
    Raw
}

/// Why a text is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id of this kind")]
pub struct NotAnId;

impl Spell for StableNodeId {
    fn spelling(&self) -> Spelling {
        let mut spelling = Spelling { letters: [0; SPELLING_MAX], used: 0 };
        spelling.push(NODE_PREFIX.as_bytes());
        for nibble in (0..16).rev() {
            spelling.push(&[b"0123456789abcdef"[(self.0 >> (nibble * 4)) as usize & 15]]);
        }
        spelling
    }
}

impl fmt::Display for StableNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling().as_str())
    }
}

impl FromStr for StableNodeId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let digits = text.strip_prefix(NODE_PREFIX).filter(|digits| digits.len() == 16).ok_or(NotAnId)?;
        u64::from_str_radix(digits, 16).map(Self).map_err(|_| NotAnId)
    }
}

const NODE_PREFIX: &str = "node_";

/// An id as text, without an allocation: ids are in everything that is stored and sent.
pub struct Spelling {
    letters: [u8; SPELLING_MAX],
    used: usize,
}

/// A prefix, 26 digits, an underscore and ten more digits.
const SPELLING_MAX: usize = 48;

impl Spelling {
    fn of(prefix: &str, value: u128) -> Self {
        let mut spelling = Self { letters: [0; SPELLING_MAX], used: 0 };
        spelling.push(prefix.as_bytes());
        let mut digits = [0; DIGITS_U128];
        let mut rest = value;
        for place in digits.iter_mut().rev() {
            *place = DIGITS[(rest & 31) as usize];
            rest >>= 5;
        }
        spelling.push(&digits);
        spelling
    }

    fn numbered(mut self, number: u32) -> Self {
        let mut digits = [0; 11];
        let (mut first, mut rest) = (digits.len(), number);
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        digits[first - 1] = b'_';
        self.push(&digits[first - 1..]);
        self
    }

    fn push(&mut self, letters: &[u8]) {
        self.letters[self.used..self.used + letters.len()].copy_from_slice(letters);
        self.used += letters.len();
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.letters[..self.used]).expect("ids are ASCII")
    }
}

/// Reads 26 digits. Exactly one spelling is accepted for each value, so that ids can be compared as text.
fn read_digits(text: &str) -> Result<u128, NotAnId> {
    if text.len() != DIGITS_U128 {
        return Err(NotAnId);
    }
    text.bytes().try_fold(0_u128, |value, byte| {
        let digit = WORTH[usize::from(byte)];
        if digit == NO_DIGIT || value >> 123 != 0 {
            return Err(NotAnId);
        }
        Ok(value << 5 | u128::from(digit))
    })
}

fn read_numbered(text: &str, prefix: &str) -> Result<(SessionId, u32), NotAnId> {
    let (session, number) = text.strip_prefix(prefix).and_then(|rest| rest.split_once('_')).ok_or(NotAnId)?;
    let canonical = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
    let number = number.parse().ok().filter(|_| canonical).ok_or(NotAnId)?;
    Ok((SessionId(read_digits(session)?), number))
}

/// A value with exactly one spelling.
pub trait Spell {
    fn spelling(&self) -> Spelling;
}

macro_rules! plain_ids {
    ($($name:ident $prefix:literal)*) => {$(
        impl Spell for $name {
            fn spelling(&self) -> Spelling {
                Spelling::of($prefix, self.0)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.spelling().as_str())
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
        impl FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                text.strip_prefix($prefix).ok_or(NotAnId).and_then(read_digits).map(Self)
            }
        }
    )*};
}
plain_ids! { SessionId "ses_" EntryId "ent_" }

macro_rules! numbered_ids {
    ($($name:ident $prefix:literal)*) => {$(
        impl Spell for $name {
            fn spelling(&self) -> Spelling {
                Spelling::of($prefix, self.session.0).numbered(self.number)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.spelling().as_str())
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
        impl FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                read_numbered(text, $prefix).map(|(session, number)| Self { session, number })
            }
        }
    )*};
}
numbered_ids! { AskId "ask_" MessageId "msg_" }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_as_they_were_written() {
        for value in [0, 1, 31, 32, u128::MAX, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef] {
            let session = SessionId(value);
            assert_eq!(session.to_string().parse(), Ok(session));
            for number in [1, 9, 10, 17, u32::MAX] {
                let ask = AskId { session, number };
                assert_eq!(ask.to_string().parse(), Ok(ask));
            }
            let message = MessageId { session, number: u32::MAX };
            assert_eq!(message.to_string().parse(), Ok(message));
            let node = StableNodeId(value as u64);
            assert_eq!(node.to_string().parse(), Ok(node));
            assert_eq!(node.to_string(), format!("node_{:016x}", node.0));
        }
    }

    #[test]
    fn an_id_has_one_spelling() {
        let good = AskId { session: SessionId(7), number: 1 }.to_string();
        for bad in [
            good.to_uppercase(),
            format!("{good} "),
            good.replace("_1", "_01"),
            good.replace("_1", "_+1"),
            good.replace("_1", "_0"),
            good.replace("ask_", "ses_"),
            format!("ses_{}", "z".repeat(26)),
            String::new(),
        ] {
            assert_eq!(bad.parse::<AskId>(), Err(NotAnId), "{bad}");
        }
    }
}
