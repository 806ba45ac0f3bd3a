//! What a machine sends to be connected: the digest of a token that it made itself. The token never leaves it before it
//! counts, and a lost response costs nothing: the same digest again is the same machine.

use super::secret::{Secret, hex};
use super::tokens::parse_hash;
use crate::chance::Chance;

/// A token that a machine made for itself.
#[derive(Debug)]
pub struct MachineToken {
    pub token: Secret,
    pub digest: String,
}

impl MachineToken {
    pub fn fresh(chance: &Chance) -> Self {
        let token = Secret::fresh("ab", chance);
        let digest = hex(&token.hash());
        Self { token, digest }
    }
}

/// The code that both sides show, so that a person does not allow a stranger's machine: six random digits, drawn for each
/// tap. If they followed from what a machine sends, whoever sees those of another machine could try tokens until one had
/// the same.
pub(crate) fn connect_code(chance: &Chance) -> String {
    let number = chance.u64() % 1_000_000;
    format!("{:03} {:03}", number / 1000, number % 1000)
}

/// Reads a digest as it is sent. `None`: it is none.
pub(crate) fn read_digest(digest: &str) -> Option<[u8; 32]> {
    let is_plain = digest.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    parse_hash(digest).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_in_one_spelling_only() {
        let made = MachineToken::fresh(&Chance::seeded(7));
        assert_eq!(read_digest(&made.digest), Some(made.token.hash()));
        assert_eq!(read_digest(&made.digest.to_uppercase()), None);
        assert_eq!(read_digest("ab_token"), None);
    }
}
