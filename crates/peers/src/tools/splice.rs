//! Edits a JSON object's text in place: order, digits and unknown fields stay, and only changed fields are rewritten.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::Lent;

/// The fields of an object in order, each with its original text.
struct Fields<'a>(Vec<(Lent<'a>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields: Vec<(Lent<'de>, &'de RawValue)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<Lent<'de>, &'de RawValue>()? {
                    // Of two fields with the same name the last counts, as everywhere.
                    fields.retain(|(known, _)| **known != *name);
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A field to set, and the JSON of its value.
pub(crate) type Set = (&'static str, String);

/// Makes a [`Set`].
pub(crate) fn set(name: &'static str, value: &impl Serialize) -> Set {
    (name, serde_json::to_string(value).expect("what we set has text keys"))
}

/// Returns the object with these fields set and everything else unchanged.
pub(crate) fn with(object: &str, set: &[Set]) -> Box<RawValue> {
    let fields = fields(object);
    let more: usize = set.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    let mut whole = Object(String::with_capacity(object.len() + more));
    for (name, value) in &fields {
        match set.iter().find(|(set, _)| *set == &**name) {
            Some((_, new)) => whole.push(name, new),
            None => whole.push(name, value.get()),
        }
    }
    for (name, value) in set.iter().filter(|(set, _)| !fields.iter().any(|(name, _)| *set == &**name)) {
        whole.push(&Lent(Cow::Borrowed(name)), value);
    }
    whole.end()
}

/// Returns a person's edit of an object, in which unchanged fields keep their original text.
pub(crate) fn edited(object: &str, edited: &str) -> Box<RawValue> {
    let Ok(Value::Object(mut edited)) = serde_json::from_str::<Value>(edited) else { return untouched(object) };
    let mut whole = Object::default();
    for (name, value) in fields(object) {
        let Some(new) = edited.remove(&*name) else { continue };
        let is_same = serde_json::from_str::<Value>(value.get()).is_ok_and(|old| old == new);
        if is_same { whole.push(&name, value.get()) } else { whole.push(&name, &new.to_string()) }
    }
    for (name, value) in edited {
        whole.push(&Lent(Cow::Owned(name)), &value.to_string());
    }
    whole.end()
}

/// Returns the text as it is, or an empty object if it is not JSON.
pub(crate) fn untouched(object: &str) -> Box<RawValue> {
    let raw = RawValue::from_string(object.to_owned());
    raw.unwrap_or_else(|_| RawValue::from_string("{}".to_owned()).expect("this is JSON"))
}

fn fields(object: &str) -> Vec<(Lent<'_>, &RawValue)> {
    serde_json::from_str::<Fields<'_>>(object).map(|fields| fields.0).unwrap_or_default()
}

/// An object being written.
#[derive(Default)]
struct Object(String);

impl Object {
    fn push(&mut self, name: &Lent<'_>, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        match &name.0 {
            // Borrowed, so it was written without escapes and needs none.
            Cow::Borrowed(name) => self.0.extend(["\"", name, "\""]),
            Cow::Owned(name) => self.0.push_str(&Value::from(name.as_str()).to_string()),
        }
        self.0.push(':');
        self.0.push_str(value);
    }

    fn end(mut self) -> Box<RawValue> {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        RawValue::from_string(self.0).expect("names and values of JSON make JSON")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ODD: &str =
        r#"{"z":123456789012345678901234567890,"a":{"y":1,"x":2},"f":1.10,"t":"\u00e9\/","answers":{"old":1}}"#;

    #[test]
    fn only_what_is_set_changes() {
        let whole = with(ODD, &[set("answers", &json!({"Which?": "B"})), set("annotations", &json!({}))]);
        let expected = ODD.replace(r#"{"old":1}}"#, r#"{"Which?":"B"},"annotations":{}}"#);
        assert_eq!(whole.get(), expected);
        assert_eq!(with("{}", &[set("plan", &"p")]).get(), r#"{"plan":"p"}"#);
        assert_eq!(with("[1]", &[]).get(), "{}");
        let quoted = r#"{"a \"b\"\n":1}"#;
        assert_eq!(with(quoted, &[]).get(), quoted);
    }

    #[test]
    fn what_a_person_left_alone_stays_as_it_was_written() {
        // As a client sends it back: sorted, and with the digits that its number type can hold.
        let sent = json!({"a": {"x": 2, "y": 1}, "f": 1.1, "new": true, "t": "other", "z": 1.234_567_890_123_456_8e29});
        let whole = edited(ODD, &sent.to_string());
        let expected = r#"{"z":123456789012345678901234567890,"a":{"y":1,"x":2},"f":1.10,"t":"other","new":true}"#;
        assert_eq!(whole.get(), expected);
        // Line breaks are removed, so that one line goes out.
        assert_eq!(edited(r#"{"a":1}"#, "{\n  \"a\": [\n 2 ]\n}").get(), r#"{"a":[2]}"#);
    }

    #[test]
    fn the_last_of_two_fields_with_one_name_counts() {
        assert_eq!(with(r#"{"a":1,"b":2,"a":3}"#, &[]).get(), r#"{"b":2,"a":3}"#);
    }
}
