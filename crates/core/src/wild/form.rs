//! Reads forms: a message, and a flat JSON schema of primitive fields or a page to visit.

use crate::ask::{Field, FieldKind, Form};
use crate::ids::Raw;
use crate::limits::{ASK_TEXT_BYTES_MAX, FIELDS_MAX, LABEL_BYTES_MAX, OPTIONS_MAX};

use super::blank::seen;
use super::native::bounded;
use super::{Wild, WildError, is_blank};

/// Reads `{message, schema | url}`, as MCP's elicitation and our own door send it. `render` writes a value as JSON.
pub fn form(value: &Wild, render: &dyn Fn(&Wild) -> Raw) -> Result<Form, WildError> {
    let (_, message) = value.text_field(&["message"]).ok_or(WildError::NoMessage)?;
    let schema = value.field(&["schema", "requested_schema", "requestedSchema"]);
    let url = value.text_field(&["url"]).map(|(_, url)| bounded(seen(url), LABEL_BYTES_MAX, || "the url".to_owned()));
    if schema.is_none() && url.is_none() {
        return Err(WildError::NoFields);
    }
    let raw = schema.map(render);
    if let Some(raw) = &raw {
        bounded(raw.as_str(), ASK_TEXT_BYTES_MAX, || "the schema".to_owned())?;
    }
    Ok(Form {
        message: bounded(seen(message), ASK_TEXT_BYTES_MAX, || "the message".to_owned())?,
        fields: schema.map(fields).transpose()?.unwrap_or_default(),
        url: url.transpose()?,
        schema: raw,
    })
}

fn fields(schema: &Wild) -> Result<Vec<Field>, WildError> {
    let properties = match (schema, schema.field(&["properties"])) {
        (Wild::Map(_), None) => return Ok(Vec::new()),
        (_, Some(Wild::Map(properties))) => properties,
        _ => return Err(WildError::NotASchema),
    };
    if properties.len() > FIELDS_MAX {
        return Err(WildError::TooManyFields { found: properties.len(), limit: FIELDS_MAX });
    }
    let required = match schema.field(&["required"]) {
        Some(Wild::List(required)) => required.as_slice(),
        _ => &[],
    };
    let mut fields: Vec<Field> = Vec::with_capacity(properties.len());
    for (name, property) in properties {
        if fields.iter().any(|field| field.name == *name) {
            return Err(bad(name, "is there twice; name it once"));
        }
        let required = required.iter().any(|value| value.as_text() == Some(name));
        fields.push(field(name, property, required)?);
    }
    Ok(fields)
}

fn field(name: &str, property: &Wild, required: bool) -> Result<Field, WildError> {
    if is_blank(name) {
        return Err(bad(name, "has a blank name"));
    }
    let part = |what: &str| format!("the {what} of a field");
    let label = |text, what: &str| bounded(text, LABEL_BYTES_MAX, || part(what));
    let (kind, legend) = kind(name, property)?;
    let title = property.text_field(&["title"]).map(|(_, title)| label(seen(title), "title"));
    let description = property.text_field(&["description"]).map(|(_, text)| seen(text));
    let description: Vec<_> = description.into_iter().chain(legend.as_deref()).collect();
    let description = bounded(&description.join("\n"), ASK_TEXT_BYTES_MAX, || part("description"))?;
    Ok(Field {
        name: label(name, "name")?,
        title: title.transpose()?,
        description: (!description.is_empty()).then_some(description),
        kind,
        required,
    })
}

/// Reads a field's kind, and a hint about its values.
fn kind(name: &str, property: &Wild) -> Result<(FieldKind, Option<String>), WildError> {
    let offered = offered(name, property)?;
    let kind = match (type_of(property), &offered) {
        (Some("string") | None, Some(_)) => FieldKind::OneOf(Vec::new()),
        (Some("string"), None) => FieldKind::Text,
        (Some("number"), _) => FieldKind::Number,
        (Some("integer"), _) => FieldKind::Integer,
        (Some("boolean"), None) => FieldKind::Flag,
        (Some("array"), _) => {
            let items = property.field(&["items"]).ok_or_else(|| bad(name, "is a list without `items`"))?;
            let Some(Offered { values, legend }) = self::offered(name, items)? else {
                return Err(bad(name, "is a list of anything; offer values with `enum` or `anyOf`"));
            };
            return Ok((FieldKind::ManyOf(values), legend));
        }
        _ => {
            return Err(bad(name, "is none of string, number, integer, boolean and list of offered values"));
        }
    };
    Ok(match (kind, offered) {
        (FieldKind::OneOf(_), Some(Offered { values, legend })) => (FieldKind::OneOf(values), legend),
        // Offered numbers: the answer must be a number again, so they become a hint, not options.
        (kind, Some(Offered { values, .. })) => (kind, Some(format!("One of: {}", values.join(", ")))),
        (kind, None) => (kind, None),
    })
}

/// Returns the type; of several, the first that is not null.
fn type_of(property: &Wild) -> Option<&str> {
    match property.field(&["type"])? {
        Wild::List(types) => types.iter().filter_map(Wild::as_text).find(|name| *name != "null"),
        name => Some(name.as_text().unwrap_or("unknown")),
    }
}

/// Values that a schema offers.
struct Offered {
    values: Vec<String>,
    /// The meanings of the values, if they have titles.
    legend: Option<String>,
}

/// Reads `enum: […]`, `oneOf: [{const, title}]` or `anyOf` of the same.
fn offered(name: &str, schema: &Wild) -> Result<Option<Offered>, WildError> {
    let items = match schema.field(&["enum", "oneOf", "anyOf"]) {
        None => return Ok(None),
        Some(Wild::List(items)) => items,
        Some(_) => return Err(bad(name, "offers values that are not a list")),
    };
    if items.len() > OPTIONS_MAX {
        return Err(bad(name, "offers too many values; offer at most 100"));
    }
    let mut values: Vec<String> = Vec::new();
    let mut legend = Vec::new();
    for item in items {
        let (value, title) = match item {
            Wild::Map(_) => (item.field(&["const"]), item.text_field(&["title"])),
            plain => (Some(plain), None),
        };
        let value = match value {
            Some(Wild::Text(value) | Wild::Number(value)) if !is_blank(value) => value,
            _ => return Err(bad(name, "offers a value that is neither a text nor a number")),
        };
        bounded(value, LABEL_BYTES_MAX, || "an offered value of a field".to_owned())?;
        if let Some((_, title)) = title.filter(|(_, title)| title != value) {
            legend.push(format!("{value}: {}", seen(title)));
        }
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    if values.is_empty() {
        return Err(bad(name, "offers no value at all"));
    }
    Ok(Some(Offered { values, legend: (!legend.is_empty()).then(|| legend.join("\n")) }))
}

fn bad(field: &str, why: &'static str) -> WildError {
    // The name comes from outside and may be as long as the whole ask.
    WildError::BadField { field: field.chars().take(80).collect(), why }
}
