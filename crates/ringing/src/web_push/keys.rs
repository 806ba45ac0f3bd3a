//! Our key pair for Web Push. A browser's subscription is bound to the public key, so a new pair ends all subscriptions.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

/// The key pair with which we sign.
#[derive(Debug)]
pub struct Keys {
    pair: EcdsaKeyPair,
    public: String,
}

impl Keys {
    /// Makes a new pair, as PKCS#8, to be stored and then passed to [`Keys::read`].
    pub fn generate(random: &dyn SecureRandom) -> Result<Vec<u8>, String> {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, random);
        made.map(|document| document.as_ref().to_vec()).map_err(|_| "could not make a key pair for Web Push".into())
    }

    /// Reads a pair that [`Keys::generate`] made.
    pub fn read(pkcs8: &[u8], random: &dyn SecureRandom) -> Result<Self, String> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, random)
            .map_err(|why| format!("could not read the key pair for Web Push: {why}"))?;
        let public = URL_SAFE_NO_PAD.encode(pair.public_key());
        Ok(Self { pair, public })
    }

    /// Returns the public key as a page passes it to `pushManager.subscribe`: base64url without padding.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// Signs as ES256: both halves of the signature, 64 bytes.
    pub(super) fn sign(&self, message: &[u8], random: &dyn SecureRandom) -> Result<Vec<u8>, String> {
        let signature = self.pair.sign(random, message).map_err(|_| "could not sign for the push service")?;
        Ok(signature.as_ref().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;

    use super::*;

    #[test]
    fn a_stored_pair_is_the_same_pair_again() {
        let random = SystemRandom::new();
        let stored = Keys::generate(&random).unwrap();
        let (keys, again) = (Keys::read(&stored, &random).unwrap(), Keys::read(&stored, &random).unwrap());
        assert_eq!(keys.public(), again.public());
        let point = URL_SAFE_NO_PAD.decode(keys.public()).unwrap();
        assert_eq!((point.len(), point[0]), (65, 4), "an uncompressed point of P-256");
        let other = Keys::read(&Keys::generate(&random).unwrap(), &random).unwrap();
        assert_ne!(keys.public(), other.public());
    }

    #[test]
    fn a_damaged_pair_is_refused_and_not_shown() {
        let random = SystemRandom::new();
        let mut stored = Keys::generate(&random).unwrap();
        let last = stored.len() - 1;
        stored[last] ^= 1;
        assert!(Keys::read(&stored, &random).unwrap_err().starts_with("could not read the key pair for Web Push"));
        assert!(Keys::read(b"", &random).is_err());
    }
}
