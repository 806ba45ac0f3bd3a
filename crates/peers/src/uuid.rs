//! UUIDs for sessions and what is in them, because other systems name things by UUID.

use ::uuid::{Builder, Uuid, Variant, Version};
use askbridge_core::ids::SessionId;

/// Odd, so that multiplying by it maps no two numbers to the same id.
const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// Writes a session's id as a UUID. The mapping is one to one.
pub fn of_session(session: SessionId) -> String {
    write(session.0)
}

/// Reads a session's id: a UUID with or without dashes, or an id in our own form.
pub fn read_session(text: &str) -> Option<SessionId> {
    if let Ok(session) = text.parse() {
        return Some(session);
    }
    // The library also reads other spellings, which no client sends.
    let is_usual = matches!(text.len(), 32 | 36);
    Uuid::try_parse(text).ok().filter(|_| is_usual).map(|uuid| SessionId(uuid.as_u128()))
}

/// Whether a text is a UUID in the usual spelling, with dashes.
pub fn is_one(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}

/// Makes a session's id of random bits, such that its UUID is of version 4 and Claude Code can use the same one.
pub fn fresh_session(bits: u128) -> SessionId {
    let uuid = Builder::from_u128(bits).with_version(Version::Random).with_variant(Variant::RFC4122);
    SessionId(uuid.into_uuid().as_u128())
}

/// Derives an id for the nth item of a session.
pub fn nth_of(session: SessionId, number: u32) -> SessionId {
    SessionId(session.0.wrapping_add(u128::from(number).wrapping_mul(SPREAD)))
}

/// The same, as 32 hexadecimal digits.
pub fn derived_hex(session: SessionId, number: u32) -> String {
    format!("{:032x}", nth_of(session, number).0)
}

/// Derives a UUID from a text, the same on every machine. Not a secret, and not a checksum.
pub fn of_text(text: &str) -> String {
    of_session(session_of_text(text))
}

/// Derives a session's id from a text.
pub fn session_of_text(text: &str) -> SessionId {
    // FNV-1a of 128 bits.
    let mixed = text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |sum, byte| {
        (sum ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    fresh_session(mixed)
}

/// Writes 128 bits as a UUID.
pub fn write(bits: u128) -> String {
    Uuid::from_u128(bits).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doors::claude::session_uuid;

    #[test]
    fn a_session_is_found_by_its_uuid_and_a_fresh_one_by_claude_codes_own() {
        let session = fresh_session(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(of_session(session), session_uuid(session));
        for text in [of_session(session), of_session(session).replace('-', ""), session.to_string()] {
            assert_eq!(read_session(&text), Some(session), "{text}");
        }
        for text in ["", "new", "conn_0123456789abcdef", "0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg"] {
            assert_eq!(read_session(text), None, "{text}");
        }
    }
}
