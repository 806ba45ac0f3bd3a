//! Reads the settings file, with line numbers.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use askbridge_core::limits;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::resolve::{Config, Problem};
use super::rules;
use super::table::{KEYS, Source, Whose, is_section, key};
use askbridge_peers::nearest::nearest;

/// Applies the settings of a file. Returns whether the file exists.
pub(super) fn take(path: &Path, config: &mut Config) -> Result<bool, Problem> {
    let unreadable = |why: String| Problem::at(path.display().to_string(), why);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unreadable(format!("could not read the settings: {error}"))),
    };
    let mut text = String::new();
    let read = file.take(limits::CONFIG_BYTES_MAX as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| unreadable(format!("could not read the settings: {error}")))?;
    if text.len() > limits::CONFIG_BYTES_MAX {
        return Err(unreadable(format!("this is longer than settings may be, {} bytes", limits::CONFIG_BYTES_MAX)));
    }
    take_text(path, &text, config);
    Ok(true)
}

pub(super) fn take_text(path: &Path, text: &str, config: &mut Config) {
    let mut reading = Reading { path, text, problems: Vec::new(), config };
    match DeTable::parse(text) {
        Ok(table) => reading.section("", table.get_ref()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            reading.problem(at, format!("this is not TOML: {}", error.message()), None);
        }
    }
    // The table is sorted by name; people read from top to bottom.
    reading.problems.sort_by_key(|problem| problem.line);
    let problems = reading.problems;
    config.problems.extend(problems);
}

struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
    problems: Vec<Problem>,
    config: &'a mut Config,
}

impl Reading<'_> {
    fn section(&mut self, within: &str, table: &DeTable<'_>) {
        for (written, value) in table {
            let short: &str = written.get_ref();
            let full = if within.is_empty() { short.to_owned() } else { format!("{within}.{short}") };
            let at = written.span().start;
            match value.get_ref() {
                DeValue::Table(table) if is_section(&full) => self.section(&full, table),
                _ if is_section(&full) => {
                    self.problem(at, format!("`{full}` is a section; write [{full}] and its settings below it"), None);
                }
                DeValue::Array(list) if full == "rules" => self.rules(list),
                // A text names the file with the rules.
                value @ DeValue::String(_) if full == "rules" => self.value(&full, value, at),
                _ if full == "rules" => {
                    let what = "`rules` is a list, begin each rule with a line [[rules]]; or the file with the rules, in quotes";
                    self.problem(at, what.to_owned(), None);
                }
                value => self.value(&full, value, at),
            }
        }
    }

    fn value(&mut self, name: &str, value: &DeValue<'_>, at: usize) {
        let Some(key) = key(name) else {
            let names = KEYS.iter().map(|key| &*key.name).filter(|name| *name != "token");
            let hint = nearest(name, names).map(|meant| format!("did you mean `{meant}`?"));
            let hint = hint.unwrap_or_else(|| "see what there is with `askbridge config reference`".to_owned());
            return self.problem(at, format!("there is no setting `{name}`"), Some(hint));
        };
        if key.whose == Whose::Caller {
            let hint = format!("an agent could read it here; set {} where it is needed", key.env);
            return self.problem(at, format!("`{name}` does not belong in a file"), Some(hint));
        }
        let source = Source::File { path: self.path.to_owned(), line: self.line(at) };
        let set = |text: String| (key.set)(&mut self.config.settings, &text, source);
        if let Err(why) = key.form.text_of(value).and_then(set) {
            self.problem(at, format!("`{name}`: {why}"), None);
        }
    }

    fn rules(&mut self, list: &[Spanned<DeValue<'_>>]) {
        for rule in list {
            let at = rule.span().start;
            let DeValue::Table(table) = rule.get_ref() else {
                self.problem(at, "a rule is a section; begin it with a line [[rules]]".to_owned(), None);
                continue;
            };
            let (ruled, problems) = rules::read(table, self.line(at), at);
            for (at, what, hint) in problems {
                self.problem(at, what, hint);
            }
            self.config.rules.push(ruled);
        }
    }

    fn problem(&mut self, at: usize, what: String, hint: Option<String>) {
        let line = self.line(at);
        self.problems.push(Problem { place: format!("{}:{line}", self.path.display()), line, what, hint });
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One problem on each line, as `line: what (hint)`.
    fn problems(text: &str) -> Vec<String> {
        let shown = |problem: Problem| {
            let hint = problem.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{}: {}{hint}", problem.line, problem.what)
        };
        Config::of_text("file", text).problems.into_iter().map(shown).collect()
    }

    #[test]
    fn every_problem_is_found_with_its_line() {
        let text = "\
lisetn = \"127.0.0.1:1\"
listen = 4760
allowed_hosts = \"ask.example.org\"
token = \"ab_x\"
log = \"debug\"

[terms]
timeout = 600
quorum = \"2\"
undo = \"2m\"
parallel = \"yes\"
";
        assert_eq!(
            problems(text),
            [
                "1: there is no setting `lisetn` (did you mean `listen`?)",
                "2: `listen`: this is a number, and should be in quotes: an address with a port, like 127.0.0.1:4760",
                "3: `allowed_hosts`: this is text, and should be a list, like [\"ask.example.org\"]",
                "4: `token` does not belong in a file (an agent could read it here; set ASKBRIDGE_TOKEN where it is needed)",
                "5: `log` is a section; write [log] and its settings below it",
                "8: `terms.timeout`: this number has no unit; write \"600s\" for seconds",
                "9: `terms.quorum`: this is text, and should be a number from 1 to 16, without quotes",
                "10: `terms.undo`: `2m` is not a span of time up to 60 seconds, like 30s, 10m or 2h; or none",
                "11: `terms.parallel`: this is text, and should be true or false, without quotes",
            ]
        );
    }

    #[test]
    fn what_is_not_toml_says_where() {
        let problems = problems("listen = \"127.0.0.1:1\"\ndata = \n");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("this is not TOML"), "{problems:?}");
    }

    #[test]
    fn a_rule_says_what_it_is_for_and_what_it_wants() {
        let good = "[[rules]]\nname = \"deploys\"\nagent = \"ci\"\ntimeout = \"10m\"\n";
        assert_eq!(problems(good), [""; 0]);
        let bad = "[[rules]]\nagnet = \"ci\"\ntimeout = \"soon\"\n\n[[rules]]\nname = \"x\"\n";
        assert_eq!(
            problems(bad),
            [
                "1: the rule has no name (add a line like name = \"deploys\")",
                "2: a rule has no `agnet` (did you mean `agent`?)",
                "3: `timeout`: `soon` is not a span of time up to 366 days, like 30s, 10m or 2h; or never",
                "5: the rule `x` changes nothing (give it a term, like timeout = \"10m\")",
            ]
        );
    }
}
