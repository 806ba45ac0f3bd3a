//! Templates of reasons and contexts: Jinja2 as gobby uses it, by minijinja, with Python's methods and Python's way to
//! print values.

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

use crate::condition::Scope;
use crate::limits::{RENDERED_BYTES_MAX, TEMPLATE_BYTES_MAX, TEMPLATE_FUEL, VALUE_DEPTH_MAX};
use crate::pattern::Pattern;
use crate::value::{Dict, Value, str};

/// Renders templates. One for all rules.
#[derive(Debug)]
pub(crate) struct Templates {
    environment: Environment<'static>,
    /// The same, but without mercy for names that are not known.
    strict: Environment<'static>,
}

impl Templates {
    pub(crate) fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        let syntax = minijinja::syntax::SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.expect("Jinja's own marks are a valid syntax"));
        environment.set_fuel(Some(TEMPLATE_FUEL));
        environment.set_recursion_limit(50);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_formatter(|out, _, value| {
            let text = if value.is_undefined() { String::new() } else { printed(value)? };
            out.write_str(&text).map_err(Error::from)
        });
        environment.add_filter("shlex_quote", |text: String| shell_quoted(&text));
        environment.add_filter("regex_search", regex_search);
        environment.add_filter("join", join);
        let mut strict = environment.clone();
        strict.set_undefined_behavior(UndefinedBehavior::Strict);
        strict.set_formatter(|out, _, value| match value.is_undefined() {
            true => Err(Error::from(ErrorKind::UndefinedError)),
            false => out.write_str(&printed(value)?).map_err(Error::from),
        });
        Self { environment, strict }
    }

    /// Says what is wrong with a template.
    pub(crate) fn check(&self, source: &str) -> Result<(), String> {
        if !has_marks(source) {
            return Ok(());
        }
        if source.len() > TEMPLATE_BYTES_MAX {
            return Err(format!("the template has {} bytes; at most {TEMPLATE_BYTES_MAX} are read", source.len()));
        }
        match self.environment.template_from_str(source) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("the template is not understood: {error}")),
        }
    }

    /// Renders a template; one that fails is returned as it is written, which is what gobby does.
    pub(crate) fn render(&self, source: &str, scope: &Scope<'_>) -> String {
        self.try_render(source, scope).unwrap_or_else(|_| source.to_owned())
    }

    pub(crate) fn try_render(&self, source: &str, scope: &Scope<'_>) -> Result<String, String> {
        self.render_by(&self.environment, source, scope)
    }

    /// Renders a text of which nothing may be missing: a name that is not known is an error.
    pub(crate) fn render_fully(&self, source: &str, scope: &Scope<'_>) -> Result<String, String> {
        self.render_by(&self.strict, source, scope)
    }

    fn render_by(&self, environment: &Environment<'_>, source: &str, scope: &Scope<'_>) -> Result<String, String> {
        if !has_marks(source) {
            return Ok(source.to_owned());
        }
        self.check(source)?;
        let names = scope.iter().map(|(name, value)| (name.to_owned(), given(value, 0)));
        let context = minijinja::Value::from_pairs(names);
        let template = environment.template_from_str(source).map_err(|error| error.to_string())?;
        let mut out = Bounded::default();
        template.render_captured_to(context, &mut out).map_err(|error| error.to_string())?;
        String::from_utf8(out.written).map_err(|error| error.to_string())
    }
}

/// gobby renders only what has an expression or, in an action's text, a statement.
fn has_marks(source: &str) -> bool {
    source.contains("{{") || source.contains("{%")
}

/// What a template writes, up to a limit.
#[derive(Default)]
struct Bounded {
    written: Vec<u8>,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.written.len() + bytes.len() > RENDERED_BYTES_MAX {
            return Err(std::io::Error::other("the template writes too much"));
        }
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A value of ours for a template. Objects are mappings there.
fn given(value: &Value, depth: usize) -> minijinja::Value {
    if depth > VALUE_DEPTH_MAX {
        return minijinja::Value::UNDEFINED;
    }
    match value {
        Value::None => minijinja::Value::from(()),
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::Str(it) => minijinja::Value::from(&**it),
        Value::List(it) | Value::Tuple(it) | Value::View(_, it) => {
            minijinja::Value::from(it.iter().map(|item| given(item, depth + 1)).collect::<Vec<_>>())
        }
        Value::Dict(it) => {
            minijinja::Value::from_pairs(it.iter().map(|(key, value)| (given(key, depth + 1), given(value, depth + 1))))
        }
        Value::Object(it) => {
            minijinja::Value::from_pairs(it.fields.iter().map(|(name, value)| (*name, given(value, depth + 1))))
        }
    }
}

/// A value of a template as one of ours.
fn taken(value: &minijinja::Value, depth: usize) -> Result<Value, Error> {
    if depth > VALUE_DEPTH_MAX {
        return Err(Error::new(ErrorKind::InvalidOperation, "a value is nested too deep"));
    }
    Ok(match value.kind() {
        ValueKind::Undefined | ValueKind::None => Value::None,
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number => match i128::try_from(value.clone()) {
            Ok(it) if value.is_integer() => Value::Int(it),
            _ => Value::Float(f64::try_from(value.clone())?),
        },
        ValueKind::Map => {
            let mut dict = Dict::default();
            for key in value.try_iter()? {
                let held = value.get_item(&key)?;
                let key = taken(&key, depth + 1)?;
                dict.insert(key, taken(&held, depth + 1)?)
                    .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.0))?;
            }
            Value::dict(dict)
        }
        ValueKind::Seq | ValueKind::Iterable => {
            Value::list(value.try_iter()?.map(|item| taken(&item, depth + 1)).collect::<Result<_, _>>()?)
        }
        _ => Value::text(value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
    })
}

fn printed(value: &minijinja::Value) -> Result<String, Error> {
    str(&taken(value, 0)?).map_err(|error| Error::new(ErrorKind::InvalidOperation, error.0))
}

fn join(value: minijinja::Value, by: Option<String>) -> Result<String, Error> {
    let items = value.try_iter()?.map(|item| printed(&item)).collect::<Result<Vec<_>, _>>()?;
    Ok(items.join(by.as_deref().unwrap_or_default()))
}

fn regex_search(
    value: minijinja::Value,
    pattern: String,
    rest: Rest<minijinja::Value>,
    _: Kwargs,
) -> Result<String, Error> {
    let wrong = |what: String| Error::new(ErrorKind::InvalidOperation, what);
    let pattern = Pattern::new(&pattern).map_err(wrong)?;
    let group = rest.first().and_then(minijinja::Value::as_usize).unwrap_or(1);
    let found = pattern.group(&printed(&value)?, group).map_err(|_| wrong("the pattern takes too long".to_owned()))?;
    Ok(found.unwrap_or_default())
}

/// Python's `shlex.quote`.
fn shell_quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}
