//! Building blocks of the records: ids as text, JSON inside JSON, enums without fields.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use askbridge_core::ids::{Raw, Spell};
use serde::de::{Error, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A record whose fields contradict each other: a field that its type requires is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is missing")]
pub struct Inconsistent(pub(super) &'static str);

/// An id, written as its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Id<T>(pub(super) T);

impl<T: Spell> Serialize for Id<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.spelling().as_str())
    }
}

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Id<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Reader<T> {
            type Value = Id<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an id")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Id<T>, E> {
                text.parse().map(Id).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Reader(PhantomData))
    }
}

/// A 64-bit name, written in hexadecimal: JavaScript would round a number of this size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hex(pub(super) u64);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(Hex).map_err(D::Error::custom)
    }
}

/// JSON that came from outside, embedded as it is.
///
/// What cannot be embedded and read back to the same text (not JSON after all, or written over several lines, which
/// would break formats of one record per line) is wrapped as `{"$raw":"…"}`.
#[derive(Debug, Clone)]
pub(super) struct Json<'a>(Cow<'a, str>);

const WRAPPER: &str = "$raw";

fn embeddable(text: &str) -> Option<&RawValue> {
    // A bare null would read back as an absent field.
    let plain = text != "null" && !text.starts_with("{\"$raw\"") && text.bytes().all(|byte| byte >= b' ');
    let value = plain.then(|| serde_json::from_str::<&RawValue>(text).ok()).flatten()?;
    (value.get().len() == text.len()).then_some(value)
}

impl<'a> From<&'a Raw> for Json<'a> {
    fn from(raw: &'a Raw) -> Self {
        Self(Cow::Borrowed(raw.as_str()))
    }
}

impl From<Json<'_>> for Raw {
    fn from(json: Json<'_>) -> Self {
        Self(json.0.into())
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match embeddable(&self.0) {
            Some(value) => value.serialize(serializer),
            None => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(WRAPPER, &self.0)?;
                map.end()
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wrapped {
            #[serde(rename = "$raw")]
            raw: String,
        }
        let text = <&'de RawValue>::deserialize(deserializer)?.get();
        if text.starts_with("{\"$raw\"") {
            let wrapped: Wrapped = serde_json::from_str(text).map_err(D::Error::custom)?;
            return Ok(Self(Cow::Owned(wrapped.raw)));
        }
        Ok(Self(Cow::Borrowed(text)))
    }
}

/// Writes a plain enum of the core as words, and back.
macro_rules! words {
    ($name:ident = $core:ty, { $($variant:ident)* }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub(super) enum $name { $($variant),* }

        impl From<$core> for $name {
            fn from(of: $core) -> Self {
                match of { $(<$core>::$variant => Self::$variant),* }
            }
        }
        impl From<$name> for $core {
            fn from(word: $name) -> Self {
                match word { $($name::$variant => Self::$variant),* }
            }
        }
    };
}
pub(super) use words;

/// For `skip_serializing_if`.
pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

/// Converts an optional text to an owned one.
pub(super) fn owned(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(Cow::into_owned)
}

/// Borrows an optional text.
pub(super) fn lent(text: &Option<String>) -> Option<Cow<'_, str>> {
    text.as_deref().map(Cow::Borrowed)
}
