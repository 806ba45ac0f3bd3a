//! Schemas as TypeScript: interfaces, unions discriminated by a constant, and comments.

use std::fmt::Write;

use serde_json::{Map, Value};

const HEAD: &str = "\
// Made from the schemas of the API, which are made from the code. Not written by hand:
// `BLESS=1 cargo test -p askbridge-bridge --test it documents` rewrites it.
";

/// Returns a file with all of them, by name.
pub(crate) fn file(schemas: &Map<String, Value>) -> String {
    let mut names: Vec<_> = schemas.keys().collect();
    names.sort();
    names.into_iter().fold(HEAD.to_owned(), |file, name| file + "\n" + &declaration(name, &schemas[name]))
}

fn declaration(name: &str, schema: &Value) -> String {
    let comment = comment(schema, "");
    if let Some(variants) = variants(schema) {
        return comment + &union(name, schema, variants);
    }
    if schema["properties"].is_object() {
        return format!("{comment}export interface {name} {}\n", object(schema, ""));
    }
    format!("{comment}export type {name} = {};\n", of(schema, ""))
}

/// Returns the alternatives of a schema, if they are objects that a constant discriminates.
fn variants(schema: &Value) -> Option<&Vec<Value>> {
    let one_of = schema["oneOf"].as_array()?;
    one_of.iter().all(|one| constant(one).is_some()).then_some(one_of)
}

fn constant(schema: &Value) -> Option<(&str, &str)> {
    let properties = schema["properties"].as_object()?;
    ["type", "kind", "status", "decision"]
        .into_iter()
        .find_map(|key| Some((key, properties.get(key)?["const"].as_str()?)))
}

/// Writes an interface for each alternative, and a name for all of them.
fn union(name: &str, schema: &Value, variants: &[Value]) -> String {
    let mut text = String::new();
    let mut members = Vec::new();
    for one in variants {
        let (_, value) = constant(one).expect("it was looked at before");
        let title = one["title"].as_str().map_or_else(|| pascal(value), str::to_owned);
        members.push((format!("{title}{name}"), one));
    }
    let names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
    let lines = names.iter().map(|name| format!("\n  | {name}")).collect::<String>();
    let common = schema["properties"].is_object().then(|| format!("{name}Common"));
    writeln!(text, "export type {name} ={lines};").expect("a string takes what is written to it");
    if let Some(common) = &common {
        write!(text, "\n/** What every {name} has. */\nexport interface {common} {}\n", object(schema, ""))
            .expect("a string takes what is written to it");
    }
    for (member, one) in members {
        let extends = common.as_ref().map(|common| format!(" extends {common}")).unwrap_or_default();
        write!(text, "\n{}export interface {member}{extends} {}\n", comment(one, ""), object(one, ""))
            .expect("a string takes what is written to it");
    }
    text
}

fn object(schema: &Value, indent: &str) -> String {
    let deeper = format!("{indent}  ");
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut properties: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
    properties.sort_by_key(|(name, one)| (one.get("const").is_none(), (*name).clone()));
    let mut text = "{\n".to_owned();
    for (name, property) in properties {
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        writeln!(text, "{}{deeper}{name}{mark}: {};", comment(property, &deeper), of(property, &deeper))
            .expect("a string takes what is written to it");
    }
    text + indent + "}"
}

/// Returns the type of a schema.
fn of(schema: &Value, indent: &str) -> String {
    let joined = |list: &[Value]| {
        let mut types: Vec<_> = list.iter().map(|one| of(one, indent)).collect();
        types.dedup();
        types.join(" | ")
    };
    if let Some(place) = schema["$ref"].as_str() {
        return place.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    if schema["properties"].is_object() {
        return object(schema, indent);
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(list) = schema[several].as_array() {
            return joined(list);
        }
    }
    match &schema["type"] {
        Value::String(one) => named(one, schema, indent),
        Value::Array(types) => {
            let types = types.iter().filter_map(Value::as_str);
            types.map(|one| named(one, schema, indent)).collect::<Vec<_>>().join(" | ")
        }
        _ => "unknown".to_owned(),
    }
}

fn named(kind: &str, schema: &Value, indent: &str) -> String {
    match kind {
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let items = of(&schema["items"], indent);
            if items.contains(" | ") { format!("({items})[]") } else { format!("{items}[]") }
        }
        "object" => match &schema["additionalProperties"] {
            Value::Object(_) => format!("Record<string, {}>", of(&schema["additionalProperties"], indent)),
            _ => "Record<string, unknown>".to_owned(),
        },
        other => other.to_owned(),
    }
}

fn comment(schema: &Value, indent: &str) -> String {
    let Some(text) = schema["description"].as_str() else { return String::new() };
    let text = text.replace("*/", "* /").split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{indent}/** {text} */\n")
}

fn pascal(words: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    };
    words.split('_').map(word).collect()
}
