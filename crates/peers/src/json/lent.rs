//! Strings borrowed from the JSON being parsed, or owned if they contain escapes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A JSON string. Unlike a [`Cow`], it is also borrowed within an `Option` and as a key.
#[derive(Debug, Default)]
pub(crate) struct Lent<'a>(pub(crate) Cow<'a, str>);

impl Lent<'_> {
    pub(crate) fn into_owned(self) -> String {
        self.0.into_owned()
    }
}

impl fmt::Display for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl PartialEq<&str> for Lent<'_> {
    fn eq(&self, other: &&str) -> bool {
        &**self == *other
    }
}

impl Deref for Lent<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Lent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Lent<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Lent<'de>, E> {
                Ok(Lent(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Lent<'de>, E> {
                Ok(Lent(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_with_escapes_is_copied() {
        let read = |text| serde_json::from_str::<Option<Lent<'_>>>(text).unwrap().unwrap().0;
        assert!(matches!(read(r#""plain – größer""#), Cow::Borrowed("plain – größer")));
        assert!(matches!(read(r#""a \"b\"""#), Cow::Owned(text) if text == "a \"b\""));
        assert!(serde_json::from_str::<Lent<'_>>("1").is_err());
    }
}
