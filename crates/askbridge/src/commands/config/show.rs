//! Every setting, its value, and where it came from.

use askbridge_config::{Config, Form, Shown, Source, items};
use serde_json::{Value, json};

use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::{one_line, print, tell};

pub(super) fn show(config: &Config, json: bool) -> Result<Exit, Failure> {
    let rows: Vec<[String; 3]> = config.shown().map(|shown| row(&shown)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (names, values) = (width(0), width(1).min(40));
    for (shown, [name, value, source]) in config.shown().zip(&rows) {
        print(&if json { setting(&shown).to_string() } else { format!("{name:<names$}  {value:<values$}  {source}") })?;
    }
    for ruled in &config.rules {
        let path = config.file.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let (name, line) = (&ruled.rule.name, ruled.line);
        let source = json!({"kind": "file", "path": path, "line": line});
        print(&if json {
            json!({"name": "rules", "value": name, "source": source}).to_string()
        } else {
            format!("{:<names$}  {:<values$}  {path}:{line}", "rules", one_line(name))
        })?;
    }
    if !json && let (Some(file), false) = (&config.file, config.file_is_there) {
        tell(&format!("there is no file `{}`", file.display()));
    }
    let Some(problem) = config.problems.first() else { return Ok(Exit::Good) };
    let failure = Failure::new(problem);
    Err(match &problem.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

fn row(shown: &Shown<'_>) -> [String; 3] {
    let value = match (shown.text, shown.key.form) {
        ("", _) => "(none)".to_owned(),
        (_, Form::Secret) => "(secret)".to_owned(),
        (text, _) => one_line(text),
    };
    [shown.key.name.clone(), value, shown.source.to_string()]
}

fn setting(shown: &Shown<'_>) -> Value {
    let value = match (shown.text, shown.key.form) {
        ("", Form::Secret) => Value::Null,
        (_, Form::Secret) => json!("(secret)"),
        (text, form) if form.is_list() => json!(items(text)),
        (text, Form::YesNo) => json!(text == "true"),
        (text, Form::Count { .. }) => text.parse::<u32>().map_or(Value::Null, Value::from),
        (text, _) => json!(text),
    };
    let source = match shown.source {
        Source::Default => json!({"kind": "default"}),
        Source::File { path, line } => json!({"kind": "file", "path": path.display().to_string(), "line": line}),
        Source::Env(name) => json!({"kind": "env", "name": name}),
        Source::Flag(name) => json!({"kind": "flag", "name": format!("--{name}")}),
    };
    json!({"name": shown.key.name, "value": value, "source": source})
}
