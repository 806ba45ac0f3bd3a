//! Secrets: 256 bits, shown once, kept as a hash.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::chance::Chance;

/// A secret in its readable form. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Makes a secret that begins with `prefix`, so that a leaked one can be recognised by scanners.
    pub fn fresh(prefix: &str, chance: &Chance) -> Self {
        let bytes: [u8; 32] = chance.bytes();
        Self(format!("{prefix}_{}", hex(&bytes)))
    }

    /// Returns the secret itself, to show it once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Returns the hash under which a secret is stored. A plain hash is enough: 256 random bits cannot be guessed.
pub(crate) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}
