//! Parses JSON straight into the rules' own value type, and writes it back.

use std::fmt;

use askbridge_core::ids::Raw;
use askbridge_core::wild::Wild;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

/// A [`Wild`] that reads and writes itself as JSON.
pub struct WildJson(pub Wild);

/// Parses JSON text; `None` if it is not JSON.
pub fn parse(text: &str) -> Option<Wild> {
    serde_json::from_str::<WildJson>(text).ok().map(|json| json.0)
}

/// Writes a value as JSON text.
pub fn render(value: &Wild) -> String {
    serde_json::to_string(&Writing(value)).expect("a value without maps keyed by values can be written")
}

/// Writes a value as [`Raw`].
pub fn raw(value: &Wild) -> Raw {
    render(value).into()
}

impl<'de> Deserialize<'de> for WildJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading).map(Self)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Wild;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Wild, E> {
        Ok(Wild::Null)
    }
    fn visit_none<E>(self) -> Result<Wild, E> {
        Ok(Wild::Null)
    }
    fn visit_bool<E>(self, flag: bool) -> Result<Wild, E> {
        Ok(Wild::Flag(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Wild, E> {
        Ok(Wild::Number(number.to_string()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Wild, E> {
        Ok(Wild::Number(number.to_string()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Wild, E> {
        // In JSON's own spelling: `1.0` stays `1.0`, and `1e300` does not become three hundred digits.
        Ok(serde_json::Number::from_f64(number).map_or(Wild::Null, |number| Wild::Number(number.to_string())))
    }
    fn visit_str<E>(self, text: &str) -> Result<Wild, E> {
        Ok(Wild::Text(text.to_owned()))
    }
    fn visit_string<E>(self, text: String) -> Result<Wild, E> {
        Ok(Wild::Text(text))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Wild, A::Error> {
        let mut list = Vec::new();
        while let Some(WildJson(item)) = seq.next_element()? {
            list.push(item);
        }
        Ok(Wild::List(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Wild, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, WildJson(value))) = map.next_entry::<String, _>()? {
            pairs.push((key, value));
        }
        Ok(Wild::Map(pairs))
    }
}

struct Writing<'a>(&'a Wild);

impl Serialize for Writing<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Wild::Null => serializer.serialize_unit(),
            Wild::Flag(flag) => serializer.serialize_bool(*flag),
            Wild::Number(number) => match serde_json::from_str::<serde_json::Number>(number) {
                Ok(number) => number.serialize(serializer),
                Err(_) => serializer.serialize_str(number),
            },
            Wild::Text(text) => serializer.serialize_str(text),
            Wild::List(list) => {
                let mut seq = serializer.serialize_seq(Some(list.len()))?;
                for item in list {
                    seq.serialize_element(&Writing(item))?;
                }
                seq.end()
            }
            Wild::Map(pairs) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs {
                    map.serialize_entry(key, &Writing(value))?;
                }
                map.end()
            }
        }
    }
}
