//! Encrypts a message for one browser: RFC 8291 (how the key is agreed) over RFC 8188 (`aes128gcm`, one record).

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::SecureRandom;

/// The length of a public key: an uncompressed point of P-256.
pub(super) const POINT_BYTES: usize = 65;
const SALT_BYTES: usize = 16;
/// The record size in the header. Push services need not take more than this.
const RECORD_BYTES: u32 = 4096;
/// Marks the last record. Padding would follow it; we add none.
const LAST_RECORD: u8 = 2;

/// What encrypts for a browser.
pub(super) struct Subscription<'a> {
    /// Its public key.
    pub(super) p256dh: &'a [u8],
    /// The secret that it shares with us and not with the push service.
    pub(super) auth: &'a [u8],
}

/// What one message is encrypted with, apart from the subscription.
struct Agreement<'a> {
    salt: [u8; SALT_BYTES],
    /// Our public key for this message.
    sender: &'a [u8],
    /// The secret that ECDH gives both sides.
    shared: &'a [u8],
}

/// Encrypts a message. Returns the body of the request.
pub(super) fn seal(to: &Subscription<'_>, message: &[u8], random: &dyn SecureRandom) -> Result<Vec<u8>, String> {
    let failed = "could not encrypt the push message";
    let mut salt = [0; SALT_BYTES];
    random.fill(&mut salt).map_err(|_| failed)?;
    let private = EphemeralPrivateKey::generate(&ECDH_P256, random).map_err(|_| failed)?;
    let public = private.compute_public_key().map_err(|_| failed)?;
    let receiver = UnparsedPublicKey::new(&ECDH_P256, to.p256dh);
    agree_ephemeral(private, &receiver, |shared| {
        let agreement = Agreement { salt, sender: public.as_ref(), shared };
        seal_agreed(to, &agreement, message)
    })
    .map_err(|_| "the subscription's key is not a point of P-256")?
    .ok_or_else(|| failed.into())
}

/// The part after the key agreement. Apart, so that the example of RFC 8291 can be compared byte for byte: `ring` takes
/// no private key for an agreement from outside.
fn seal_agreed(to: &Subscription<'_>, agreement: &Agreement<'_>, message: &[u8]) -> Option<Vec<u8>> {
    let Agreement { salt, sender, shared } = agreement;
    let combined = Salt::new(HKDF_SHA256, to.auth).extract(shared);
    let input: [u8; 32] = expand(&combined, &[b"WebPush: info\0", to.p256dh, sender])?;
    let content = Salt::new(HKDF_SHA256, salt).extract(&input);
    let key: [u8; 16] = expand(&content, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; NONCE_LEN] = expand(&content, &[b"Content-Encoding: nonce\0"])?;

    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
    let mut record = [message, &[LAST_RECORD]].concat();
    // Salt and key pair are new for each message, and so is the key.
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut record).ok()?;

    let sender_bytes = u8::try_from(sender.len()).ok()?;
    Some([&salt[..], &RECORD_BYTES.to_be_bytes(), &[sender_bytes], sender, &record].concat())
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(from: &Prk, info: &[&[u8]]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    from.expand(info, Length(N)).ok()?.fill(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;
    use ring::hmac;
    use ring::rand::SystemRandom;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// A browser. `ring` allows one agreement per private key, so it can read one message.
    pub(in crate::web_push) struct Browser {
        private: EphemeralPrivateKey,
        pub(in crate::web_push) p256dh: Vec<u8>,
        pub(in crate::web_push) auth: [u8; 16],
    }

    impl Browser {
        pub(in crate::web_push) fn new() -> Self {
            let random = SystemRandom::new();
            let private = EphemeralPrivateKey::generate(&ECDH_P256, &random).unwrap();
            let p256dh = private.compute_public_key().unwrap().as_ref().to_vec();
            let mut auth = [0; 16];
            random.fill(&mut auth).unwrap();
            Self { private, p256dh, auth }
        }

        fn subscription(&self) -> Subscription<'_> {
            Subscription { p256dh: &self.p256dh, auth: &self.auth }
        }

        /// Decrypts a request's body as the RFCs describe the receiver, with HMAC where `seal` uses HKDF: both take one
        /// block here (RFC 5869).
        pub(in crate::web_push) fn open(self, body: &[u8]) -> Option<Vec<u8>> {
            let mac = |key: &[u8], parts: &[&[u8]]| {
                let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), &parts.concat());
                <[u8; 32]>::try_from(tag.as_ref()).unwrap()
            };
            let (salt, rest) = body.split_at_checked(16)?;
            let (size, rest) = rest.split_at_checked(4)?;
            let (length, rest) = rest.split_first()?;
            let (sender, record) = rest.split_at_checked(usize::from(*length))?;
            let size = u32::from_be_bytes(size.try_into().ok()?);
            if record.len() > size as usize {
                return None;
            }
            let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
            let shared = agree_ephemeral(self.private, &peer, <[u8]>::to_vec).ok()?;
            let combined = mac(&self.auth, &[&shared]);
            let input = mac(&combined, &[b"WebPush: info\0", &self.p256dh, sender, &[1]]);
            let content = mac(salt, &[&input]);
            let key = &mac(&content, &[b"Content-Encoding: aes128gcm\0\x01"])[..16];
            let nonce = &mac(&content, &[b"Content-Encoding: nonce\0\x01"])[..12];
            let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, key).ok()?);
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
            let mut record = record.to_vec();
            let plain = key.open_in_place(nonce, Aad::empty(), &mut record).ok()?;
            let end = plain.iter().rposition(|byte| *byte != 0)?;
            (plain[end] == 2).then(|| plain[..end].to_vec())
        }
    }

    #[test]
    fn the_example_of_rfc_8291_is_reproduced_byte_for_byte() {
        let receiver = bytes(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUz\
                 ORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkN\
                 toIAiw4",
        );
        let sender = bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let to = Subscription { p256dh: &receiver, auth: &bytes("BTBZMqHH6r4Tts7J_aSIgg") };
        let agreement = Agreement {
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap(),
            sender: &sender,
            shared: &bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs"),
        };
        let message = bytes("V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24");
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz\
                        AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(seal_agreed(&to, &agreement, &message).unwrap()), expected);
    }

    #[test]
    fn two_messages_never_look_the_same() {
        let (browser, random) = (Browser::new(), SystemRandom::new());
        let [one, other] = [(); 2].map(|()| seal(&browser.subscription(), b"hello", &random).unwrap());
        assert_ne!(one[..16], other[..16], "the salt");
        assert_ne!(one[21..86], other[21..86], "the key");
        assert_ne!(one[86..], other[86..], "the content");
    }

    #[test]
    fn a_key_that_is_no_point_is_refused() {
        let no_point = [4; POINT_BYTES];
        let to = Subscription { p256dh: &no_point, auth: &[0; 16] };
        let refused = seal(&to, b"hello", &SystemRandom::new()).unwrap_err();
        assert_eq!(refused, "the subscription's key is not a point of P-256");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_browser_reads_what_was_sealed_and_nothing_that_was_changed(
            message in proptest::collection::vec(any::<u8>(), 0..3994), at: proptest::sample::Index, bit in 0u8..8,
        ) {
            let random = SystemRandom::new();
            let (browser, same) = (Browser::new(), Browser::new());
            let body = seal(&browser.subscription(), &message, &random).unwrap();
            prop_assert_eq!(body.len(), message.len() + 86 + 17);
            prop_assert!(body.len() <= 4096);
            prop_assert_eq!(browser.open(&body), Some(message.clone()));

            let mut changed = seal(&same.subscription(), &message, &random).unwrap();
            let place = at.index(changed.len());
            // The record size is a bound for the reader, and is not authenticated.
            prop_assume!(!(16..20).contains(&place));
            changed[place] ^= 1 << bit;
            prop_assert_eq!(same.open(&changed), None);
        }
    }
}
