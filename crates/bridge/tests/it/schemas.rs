//! Checks everything that tests receive from the server against the documents, so that they cannot be wrong.

use std::sync::LazyLock;

use askbridge_bridge::server::{asyncapi, openapi};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

static OPENAPI: LazyLock<Value> = LazyLock::new(openapi);
static TOLD: LazyLock<Validator> = LazyLock::new(|| validator(&asyncapi(), "ServerFrame"));
static HEARD: LazyLock<Validator> = LazyLock::new(|| validator(&asyncapi(), "ClientFrame"));

/// A response of the server.
pub(crate) struct Answered<'a> {
    pub(crate) method: &'a str,
    /// With its query.
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    pub(crate) kind: Option<&'a str>,
    pub(crate) body: &'a Value,
}

/// Checks a response against the OpenAPI document: the status is listed, the body has exactly the promised shape, and a
/// refusal has one of the codes that are named there.
#[track_caller]
pub(crate) fn check(answered: &Answered<'_>) {
    let Answered { method, path, status, kind, body } = *answered;
    let path = path.split('?').next().unwrap_or_default();
    let Some(operation) = operation(method, path) else { return };
    let what = format!("{method} {path} answered {status} {body}");
    let response = &operation["responses"][status.to_string()];
    assert!(response.is_object(), "{what}, which its description does not foresee");
    let Some((promised, content)) = response["content"].as_object().and_then(|content| content.iter().next()) else {
        assert_eq!((kind, body), (None, &Value::Null), "{what}, where nothing was promised");
        return;
    };
    assert_eq!(kind, Some(promised.as_str()), "{what}");
    let schemas = strict(&OPENAPI["components"]["schemas"]);
    let schema = json!({"allOf": [content["schema"]], "components": {"schemas": schemas}});
    complain(&compiled(&schema), body, &what);
    if let Some(codes) = response["x-codes"].as_array() {
        assert!(codes.contains(&body["code"]), "{what}, which is not one of {codes:?}");
    }
}

/// Finds the description of an address.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let paths = OPENAPI["paths"].as_object().expect("a document has paths");
    let fits = |template: &str| {
        let (parts, wanted) = (path.split('/').collect::<Vec<_>>(), template.split('/').collect::<Vec<_>>());
        parts.len() == wanted.len() && parts.iter().zip(&wanted).all(|(part, it)| part == it || it.starts_with('{'))
    };
    let found = paths.iter().find(|(template, _)| fits(template))?;
    found.1.get(method.to_ascii_lowercase())
}

/// Checks a frame of the server against the AsyncAPI document.
#[track_caller]
pub(crate) fn check_told(frame: &Value) {
    complain(&TOLD, frame, &format!("the frame {frame}"));
}

/// Is this a frame that a client may send?
pub(crate) fn may_be_heard(frame: &Value) -> bool {
    HEARD.is_valid(frame)
}

#[track_caller]
fn complain(validator: &Validator, value: &Value, what: &str) {
    let errors: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what} is not as described: {errors:#?}");
}

fn validator(document: &Value, name: &str) -> Validator {
    let schemas = strict(&document["components"]["schemas"]);
    compiled(&json!({"$ref": format!("#/components/schemas/{name}"), "components": {"schemas": schemas}}))
}

fn compiled(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(schema).expect("our schemas are schemas")
}

/// Forbids fields that are not named: one that the document does not know would otherwise pass.
fn strict(schemas: &Value) -> Map<String, Value> {
    let mut schemas = schemas.as_object().expect("schemas by name").clone();
    for schema in schemas.values_mut() {
        let several = ["oneOf", "anyOf"].iter().any(|key| schema[*key].is_array());
        if schema["properties"].is_object() || several {
            schema["unevaluatedProperties"] = json!(false);
        }
    }
    schemas
}
