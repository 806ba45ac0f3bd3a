//! Proves to a push service who we are: RFC 8292, a signed token in the `Authorization` header.

use std::time::Duration;

use askbridge_core::ids::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom;
use serde_json::json;
use url::{Host, Url};

use super::keys::Keys;

/// How long a token is valid. Push services refuse more than 24 hours; half of it allows for a clock that is wrong.
const VALID: Duration = Duration::from_secs(12 * 60 * 60);

/// Returns the header's value for requests to this endpoint.
pub(super) fn authorization(
    keys: &Keys,
    endpoint: &Url,
    subject: &str,
    now: Timestamp,
    random: &dyn SecureRandom,
) -> Result<String, String> {
    let claims = json!({
        "aud": endpoint.origin().ascii_serialization(),
        "exp": now.plus(VALID).0.div_euclid(1000),
        "sub": subject,
    });
    let part = |json: String| URL_SAFE_NO_PAD.encode(json);
    let signed = format!("{}.{}", part(json!({"typ": "JWT", "alg": "ES256"}).to_string()), part(claims.to_string()));
    let signature = URL_SAFE_NO_PAD.encode(keys.sign(signed.as_bytes(), random)?);
    Ok(format!("vapid t={signed}.{signature}, k={}", keys.public()))
}

/// Checks the contact that a push service is told: `mailto:` with an address, or an `https:` URL. Apple refuses names
/// that cannot exist, such as `localhost`; Google and Mozilla do not look
/// (<https://github.com/web-push-libs/web-push/issues/947>).
pub fn subject(text: &str) -> Result<String, String> {
    let text = text.trim();
    let url = Url::parse(text).map_err(|_| not_a_contact(text))?;
    let host = match url.scheme() {
        "https" => url.host().ok_or_else(|| not_a_contact(text))?.to_owned(),
        "mailto" => {
            let (name, domain) = url.path().rsplit_once('@').ok_or_else(|| not_a_contact(text))?;
            if name.is_empty() {
                return Err(not_a_contact(text));
            }
            Host::parse(domain).map_err(|_| not_a_contact(text))?
        }
        _ => return Err(not_a_contact(text)),
    };
    if cannot_exist(&host) {
        return Err(format!("`{host}` is not a name on the Internet, and Apple refuses pushes with such a contact"));
    }
    Ok(text.to_owned())
}

fn not_a_contact(text: &str) -> String {
    format!("`{text}` is not a contact for push services; use `mailto:` with an e-mail address, or an https address")
}

fn cannot_exist(host: &Host) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            ["localhost", "invalid"].iter().any(|end| name == *end || name.ends_with(&format!(".{end}")))
        }
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_token_names_the_push_service_and_is_signed_with_our_key() {
        let random = SystemRandom::new();
        let keys = Keys::read(&Keys::generate(&random).unwrap(), &random).unwrap();
        let endpoint = Url::parse("https://push.example.net:8443/p/abc?x=1").unwrap();
        let now = Timestamp(1_700_000_000_500);
        let header = authorization(&keys, &endpoint, "mailto:ops@example.org", now, &random).unwrap();

        let (token, key) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(key));
        public.verify(signed.as_bytes(), &decode(signature)).unwrap();
        let (head, claims) = signed.split_once('.').unwrap();
        let json = |text: &str| serde_json::from_slice::<Value>(&decode(text)).unwrap();
        assert_eq!(json(head), json!({"typ": "JWT", "alg": "ES256"}));
        let expected =
            json!({"aud": "https://push.example.net:8443", "exp": 1_700_043_200, "sub": "mailto:ops@example.org"});
        assert_eq!(json(claims), expected);
        assert_eq!(key, keys.public());
    }

    #[test]
    fn a_contact_that_people_can_be_reached_at_is_kept() {
        for text in ["mailto:ops@example.org", "https://bridge.example.org/", "https://box.tail1234.ts.net:4760"] {
            assert_eq!(subject(text).as_deref(), Ok(text));
        }
        assert_eq!(subject(" mailto:ops@example.org\n").as_deref(), Ok("mailto:ops@example.org"));
    }

    #[test]
    fn a_contact_that_apple_refuses_is_refused_here() {
        let unreal = [
            "mailto:root@localhost",
            "mailto:a@b.invalid",
            "mailto:a@x.LOCALHOST",
            "https://localhost:4760",
            "https://localhost./",
            "https://a.invalid",
            "https://127.0.0.1",
            "https://[::1]",
        ];
        for text in unreal {
            assert!(subject(text).unwrap_err().contains("Apple refuses"), "{text}");
        }
        let other =
            ["", "ops@example.org", "http://example.org", "mailto:ops", "mailto:@example.org", "mailto:", "tel:1"];
        for text in other {
            assert!(subject(text).unwrap_err().contains("is not a contact"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_contact_can_be_checked(text: String, domain in "[a-z.@:/%\\[\\]0-9]{0,30}") {
            let _ = (subject(&text), subject(&format!("mailto:{domain}")), subject(&format!("https://{domain}")));
        }
    }
}
