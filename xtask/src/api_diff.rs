//! `cargo xtask api-diff`: checks that the API is compatible with the last release.
//!
//! Compares `docs/reference/openapi.json` with the document of the last release. Clients written against that one must
//! not notice: nothing that could be called, read or written may be gone, and nothing new may be required.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use crate::run::root;

const NOW: &str = "docs/reference/openapi.json";
const RELEASED: &str = "docs/reference/openapi.released.json";

pub(crate) fn run() -> Result<()> {
    let broken = broken(&read(RELEASED)?, &read(NOW)?);
    if broken.is_empty() {
        eprintln!("the API keeps what was promised");
        return Ok(());
    }
    bail!(
        "the API breaks what the last release promised:\n  {}\n\nhint: keep the old way beside the new one, or release a new \
         version of the API",
        broken.join("\n  ")
    );
}

/// Makes today's document the one to compare with. Part of a release.
pub(crate) fn release() -> Result<()> {
    fs::copy(root().join(NOW), root().join(RELEASED))?;
    eprintln!("{RELEASED} is what {NOW} says now");
    Ok(())
}

fn read(path: &str) -> Result<Value> {
    let text = fs::read_to_string(root().join(path)).with_context(|| format!("could not read `{path}`"))?;
    serde_json::from_str(&text).with_context(|| format!("could not read `{path}` as JSON"))
}

/// Which schemas are sent and which are returned: what may become required or optional depends on it.
#[derive(Default)]
struct Ways {
    sent: BTreeSet<String>,
    returned: BTreeSet<String>,
}

fn broken(before: &Value, now: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    let mut ways = Ways::default();
    for (path, methods) in entries(&before["paths"]) {
        for (method, old) in entries(methods) {
            let what = format!("{} {path}", method.to_uppercase());
            let Some(new) = now["paths"][path].get(method) else {
                broken.push(format!("{what} is gone"));
                continue;
            };
            operation(&what, old, new, &mut broken);
            refs(&old["requestBody"], before, &mut ways.sent);
            refs(&old["responses"], before, &mut ways.returned);
        }
    }
    for (name, old) in entries(&before["components"]["schemas"]) {
        let new = &now["components"]["schemas"][name];
        let (sent, returned) = (ways.sent.contains(name), ways.returned.contains(name));
        if new.is_null() {
            broken.push(format!("{name} is gone"));
        } else {
            shape(name, old, new, sent, returned, &mut broken);
        }
    }
    broken
}

fn operation(what: &str, old: &Value, new: &Value, broken: &mut Vec<String>) {
    let parameter = |of: &Value, like: &Value| {
        let same = |it: &&Value| it["name"] == like["name"] && it["in"] == like["in"];
        of["parameters"].as_array().into_iter().flatten().find(same).cloned()
    };
    for it in old["parameters"].as_array().into_iter().flatten() {
        match parameter(new, it) {
            None => broken.push(format!("{what} no longer takes {}", it["name"])),
            Some(found) => {
                let name = format!("{what}, {}", it["name"]);
                shape(&name, &it["schema"], &found["schema"], true, false, broken);
            }
        }
    }
    for it in new["parameters"].as_array().into_iter().flatten() {
        if it["required"] == true && parameter(old, it).is_none_or(|old| old["required"] != true) {
            broken.push(format!("{what} now demands {}", it["name"]));
        }
    }
    let body = |of: &Value| of["requestBody"]["content"]["application/json"]["schema"].clone();
    match (body(old), body(new)) {
        (Value::Null, _) if new["requestBody"]["required"] == true => broken.push(format!("{what} now demands a body")),
        (old, new) if old != new && !old.is_null() => {
            shape(&format!("the body of {what}"), &old, &new, true, false, broken)
        }
        _ => {}
    }
    for (status, response) in entries(&old["responses"]) {
        let Some(found) = new["responses"].get(status) else {
            broken.push(format!("{what} no longer answers {status}"));
            continue;
        };
        for (kind, content) in entries(&response["content"]) {
            let name = format!("{what}, {status}");
            shape(&name, &content["schema"], &found["content"][kind]["schema"], false, true, broken);
        }
    }
}

fn shape(name: &str, old: &Value, new: &Value, sent: bool, returned: bool, broken: &mut Vec<String>) {
    for key in ["$ref", "type", "const", "format"] {
        if old[key] != new[key] {
            broken.push(format!("{name}: {key} was {}, is {}", old[key], new[key]));
        }
    }
    for value in old["enum"].as_array().into_iter().flatten() {
        if !new["enum"].as_array().is_some_and(|values| values.contains(value)) {
            broken.push(format!("{name}: {value} is gone"));
        }
    }
    for (field, old) in entries(&old["properties"]) {
        match new["properties"].get(field) {
            None => broken.push(format!("{name}.{field} is gone")),
            Some(new) => shape(&format!("{name}.{field}"), old, new, sent, returned, broken),
        }
    }
    let (was, is) = (required(old), required(new));
    if sent {
        broken.extend(is.difference(&was).map(|field| format!("{name}.{field} is now demanded")));
    }
    if returned {
        broken.extend(was.difference(&is).map(|field| format!("{name}.{field} may now be missing")));
    }
    for key in ["items", "additionalProperties"] {
        if old[key].is_object() {
            shape(&format!("{name}[]"), &old[key], &new[key], sent, returned, broken);
        }
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        let alternatives = old[key].as_array().into_iter().flatten().enumerate();
        for (place, old) in alternatives {
            match alike(old, place, &new[key]) {
                None => broken.push(format!("{name}: the alternative {} is gone", label(old))),
                Some(new) => shape(&format!("{name}({})", label(old)), old, new, sent, returned, broken),
            }
        }
    }
}

/// Finds the same alternative: equal constants, `$ref` and type, at the same place if possible.
fn alike<'a>(old: &Value, place: usize, new: &'a Value) -> Option<&'a Value> {
    let new = new.as_array()?;
    let same = |it: &&Value| constants(it) == constants(old) && it["$ref"] == old["$ref"] && it["type"] == old["type"];
    new.get(place).filter(same).or_else(|| new.iter().find(same))
}

fn constants(schema: &Value) -> Vec<(String, Value)> {
    let fields = entries(&schema["properties"]);
    fields.filter_map(|(name, field)| Some((name.clone(), field.get("const")?.clone()))).collect()
}

fn label(schema: &Value) -> String {
    match constants(schema).first() {
        Some((_, value)) => value.to_string(),
        None => schema["$ref"].as_str().or(schema["type"].as_str()).unwrap_or("?").to_owned(),
    }
}

fn required(schema: &Value) -> BTreeSet<String> {
    schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Collects the names of all reachable schemas.
fn refs(value: &Value, document: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            let name = map.get("$ref").and_then(|place| place.as_str()?.rsplit('/').next());
            if let Some(name) = name.filter(|name| found.insert((*name).to_owned())) {
                refs(&document["components"]["schemas"][name], document, found);
            }
            map.values().for_each(|value| refs(value, document, found));
        }
        Value::Array(list) => list.iter().for_each(|value| refs(value, document, found)),
        _ => {}
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY).iter()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Value {
        json!({
            "paths": {"/asks": {"post": {
                "parameters": [{"name": "wait", "in": "query", "schema": {"type": "number"}}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}},
                "responses": {"201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ask"}}}}},
            }}},
            "components": {"schemas": {
                "New": {"type": "object", "properties": {"text": {"type": "string"}}, "required": []},
                "Ask": {"type": "object", "required": ["id"], "properties": {
                    "id": {"type": "string"}, "state": {"type": "string", "enum": ["open", "over"]}},
                    "oneOf": [{"properties": {"kind": {"const": "plan"}, "plan": {"type": "string"}}}]},
            }},
        })
    }

    fn after(change: impl Fn(&mut Value)) -> Vec<String> {
        let mut now = document();
        change(&mut now);
        broken(&document(), &now)
    }

    #[test]
    fn nothing_and_additions_break_nothing() {
        assert_eq!(after(|_| ()), [""; 0]);
        let added = after(|now| {
            now["paths"]["/more"] = json!({"get": {}});
            now["components"]["schemas"]["Ask"]["properties"]["more"] = json!({"type": "string"});
            now["components"]["schemas"]["New"]["properties"]["more"] = json!({"type": "string"});
            now["components"]["schemas"]["Ask"]["properties"]["state"]["enum"] = json!(["open", "over", "new"]);
            now["components"]["schemas"]["Ask"]["oneOf"] = json!([
                {"properties": {"kind": {"const": "form"}}},
                {"properties": {"kind": {"const": "plan"}, "plan": {"type": "string"}}},
            ]);
        });
        assert_eq!(added, [""; 0]);
    }

    #[test]
    fn what_is_gone_is_noticed() {
        assert_eq!(after(|now| now["paths"] = json!({})), ["POST /asks is gone"]);
        let ask = "/components/schemas/Ask";
        let gone = |place: String| move |now: &mut Value| *now.pointer_mut(&place).unwrap() = json!({});
        assert_eq!(after(gone(format!("{ask}/properties"))), ["Ask.id is gone", "Ask.state is gone"]);
        let one = after(|now| now["components"]["schemas"]["Ask"]["properties"]["state"]["enum"] = json!(["open"]));
        assert_eq!(one, ["Ask.state: \"over\" is gone"]);
        let one = after(|now| now["components"]["schemas"]["Ask"]["oneOf"] = json!([]));
        assert_eq!(one, ["Ask: the alternative \"plan\" is gone"]);
        let one = after(|now| now["paths"]["/asks"]["post"]["responses"] = json!({}));
        assert_eq!(one, ["POST /asks no longer answers 201"]);
        let one = after(|now| now["paths"]["/asks"]["post"]["parameters"] = json!([]));
        assert_eq!(one, ["POST /asks no longer takes \"wait\""]);
    }

    #[test]
    fn what_is_new_and_demanded_is_noticed() {
        let one = after(|now| now["components"]["schemas"]["New"]["required"] = json!(["text"]));
        assert_eq!(one, ["New.text is now demanded"]);
        let one = after(|now| now["components"]["schemas"]["Ask"]["required"] = json!([]));
        assert_eq!(one, ["Ask.id may now be missing"]);
        let one = after(|now| now["components"]["schemas"]["Ask"]["properties"]["id"]["type"] = json!("integer"));
        assert_eq!(one, ["Ask.id: type was \"string\", is \"integer\""]);
    }
}
