//! Parses request bodies before anything is done: errors are in words, and change nothing.

use serde_json::Value;

use super::quirks;

/// Characters of a name, as in the original.
const NAME_CHARS_MAX: usize = 100;
/// Characters of any other text.
const TEXT_CHARS_MAX: usize = 1000;

/// Reads a body. A missing one is empty.
pub(super) fn read(body: &[u8]) -> Result<Value, String> {
    if body.trim_ascii().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(Value::Object(fields)),
        Ok(_) => Err("the body has to be a JSON object".to_owned()),
        Err(error) => Err(format!("the body is not JSON: {error}")),
    }
}

/// A trimmed text. `None`: it is missing or blank.
fn text(body: &Value, name: &str, max: usize) -> Result<Option<String>, String> {
    match &body[name] {
        Value::Null => Ok(None),
        Value::String(text) if text.chars().count() > max => Err(format!("`{name}` may have at most {max} characters")),
        Value::String(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        _ => Err(format!("`{name}` has to be text")),
    }
}

/// A session to start, or changes to one.
#[derive(Debug, PartialEq)]
pub(super) struct Session {
    pub(super) name: Option<String>,
    pub(super) model: Option<String>,
    /// Whether a person will be there to answer.
    pub(super) is_interactive: bool,
}

impl Session {
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let body = read(body)?;
        let model = text(&body, "model", NAME_CHARS_MAX)?;
        if model.as_ref().is_some_and(|model| model.contains(char::is_whitespace) || model.starts_with('-')) {
            return Err("`model` has to be the id of a model, like `opus`".to_owned());
        }
        let is_interactive = match &body["is_interactive"] {
            Value::Null => true,
            Value::Bool(is) => *is,
            _ => return Err("`is_interactive` has to be true or false".to_owned()),
        };
        // Its page renames a session by `title`, its server by `name`.
        let name = text(&body, "name", NAME_CHARS_MAX)?.or(text(&body, "title", NAME_CHARS_MAX)?);
        Ok(Self { name, model, is_interactive })
    }
}

/// A project to make, or changes to one.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Project {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
}

impl Project {
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let body = read(body)?;
        if text(&body, "api_key", TEXT_CHARS_MAX)?.is_some() {
            return Err(quirks::NO_KEYS.to_owned());
        }
        let name = text(&body, "name", TEXT_CHARS_MAX)?;
        Ok(Self { name, description: text(&body, "description", TEXT_CHARS_MAX)? })
    }

    /// The folder of a new project: a path as its name or description, or a folder of that name in the default one.
    pub(super) fn folder(&self, usual: Option<&str>) -> Result<String, String> {
        let name = self.name.as_deref().ok_or("`name` is needed")?;
        let is_path = |text: &&str| text.starts_with('/');
        let described = self.description.as_deref().filter(is_path);
        match (Some(name).filter(is_path).or(described), usual) {
            (Some(path), _) => Ok(path.to_owned()),
            (None, Some(usual)) if !name.contains('/') => Ok(format!("{}/{name}", usual.trim_end_matches('/'))),
            _ => Err("A project is a folder on this machine: give its path as the name".to_owned()),
        }
    }
}

/// Accepts spending limits only if there are none.
pub(super) fn limits(body: &[u8]) -> Result<(), String> {
    let body = read(body)?;
    let limits = ["cost_limit_daily", "cost_limit_weekly", "cost_limit_monthly"];
    match limits.iter().all(|limit| body[limit].is_null()) {
        true => Ok(()),
        false => Err("Nothing is limited here, so this limit would not be kept".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_cannot_be_read_is_refused_and_never_taken_for_an_empty_one() {
        for bad in [&b"{"[..], b"[]", b"7", br#"{"name":7}"#, br#"{"model":"a b"}"#, br#"{"model":"--x"}"#] {
            assert!(Session::read(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
        assert!(Session::read(format!(r#"{{"name":"{}"}}"#, "x".repeat(101)).as_bytes()).is_err());
        let empty = Session { name: None, model: None, is_interactive: true };
        assert_eq!(Session::read(b""), Ok(empty));
        assert_eq!(Session::read(br#"{"title":" Ada "}"#).map(|it| it.name), Ok(Some("Ada".to_owned())));
        assert!(Project::read(br#"{"name":"a","api_key":"sk"}"#).is_err());
        assert!(limits(br#"{"cost_limit_daily":1}"#).is_err() && limits(b"{}").is_ok());
    }

    #[test]
    fn a_project_is_the_folder_that_its_name_or_its_description_names() {
        let folder = |name: &str, description: Option<&str>, usual: Option<&str>| {
            let description = description.map(str::to_owned);
            Project { name: Some(name.to_owned()), description }.folder(usual)
        };
        assert_eq!(folder("/srv/app", None, None).as_deref(), Ok("/srv/app"));
        assert_eq!(folder("Shop", Some("/srv/shop"), Some("/home")).as_deref(), Ok("/srv/shop"));
        assert_eq!(folder("shop", Some("Our shop"), Some("/srv/")).as_deref(), Ok("/srv/shop"));
        assert!(folder("../etc", None, Some("/srv")).is_err() && folder("shop", None, None).is_err());
        assert!(Project::default().folder(Some("/srv")).is_err());
    }
}
