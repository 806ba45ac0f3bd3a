//! Who wins: a flag, then the environment, then the file, then the default.

use std::fmt;
use std::path::PathBuf;

use askbridge_core::terms::Rules;

use super::file::read_file;
use super::flags::Flags;
use super::keys::{KEYS, Key, Whose};
use super::rules::{Ruled, wishes};

/// Everything that may say something.
pub struct Given<'a> {
    pub flags: &'a Flags,
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The file, and whether somebody named it: then it has to be there.
    pub file: Option<(PathBuf, bool)>,
    /// Defaults that depend on the machine.
    pub computed: &'a dyn Fn(&str) -> Option<String>,
}

/// Every setting, with where it came from.
#[derive(Debug, Clone)]
pub struct Config {
    /// In the order of the table.
    pub found: Vec<Found>,
    pub rules: Vec<Ruled>,
    /// Where the file is, or would be.
    pub file: Option<PathBuf>,
    pub file_is_there: bool,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct Found {
    pub key: &'static Key,
    /// As the environment would write it. `None`: there is no value and no default.
    pub text: Option<String>,
    pub source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File { path: PathBuf, line: usize },
    Env(&'static str),
    Flag(&'static str),
}

/// Something that is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `path:line`, `$NAME` or `--flag`.
    pub place: String,
    pub line: usize,
    pub what: String,
    pub hint: Option<String>,
}

impl Problem {
    pub fn at(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), line: 0, what: what.into(), hint: None }
    }
}

impl Config {
    pub fn resolve(given: &Given<'_>) -> Self {
        let mut config = Self {
            found: KEYS.iter().map(|key| default(key, given)).collect(),
            rules: Vec::new(),
            file: given.file.as_ref().map(|(path, _)| path.clone()),
            file_is_there: false,
            problems: Vec::new(),
        };
        config.take_file(given);
        for key in KEYS {
            if let Some(text) = (given.env)(key.env) {
                config.take(key, &text, Source::Env(key.env), format!("${}", key.env));
            }
        }
        for (key, text) in given.flags {
            let flag = key.flag.unwrap_or_default();
            config.take(key, text, Source::Flag(flag), format!("--{flag}"));
        }
        config
    }

    fn take_file(&mut self, given: &Given<'_>) {
        let Some((path, named)) = &given.file else { return };
        match read_file(path) {
            Ok(Some(contents)) => {
                self.file_is_there = true;
                for (key, text, line) in contents.values {
                    self.set(key, text, Source::File { path: path.clone(), line });
                }
                self.rules = contents.rules;
                self.problems.extend(contents.problems);
            }
            Ok(None) if *named => {
                let problem = Problem::at(path.display().to_string(), "there is no such file");
                let hint = "`--config` and $ASKBRIDGE_CONFIG name the file with the settings".to_owned();
                self.problems.push(Problem { hint: Some(hint), ..problem });
            }
            Ok(None) => {}
            Err(problem) => self.problems.push(problem),
        }
    }

    fn take(&mut self, key: &'static Key, text: &str, source: Source, place: String) {
        match key.kind.read(text) {
            Ok(text) => self.set(key, text, source),
            Err(why) => self.problems.push(Problem::at(place, why)),
        }
    }

    fn set(&mut self, key: &'static Key, text: String, source: Source) {
        if let Some(found) = self.found.iter_mut().find(|found| found.key.name == key.name) {
            *found = Found { key, text: Some(text), source };
        }
    }

    pub fn found(&self, name: &str) -> &Found {
        self.found.iter().find(|found| found.key.name == name).expect("every key of the table is resolved")
    }

    /// A value, or its default; empty if there is neither.
    pub fn text(&self, name: &str) -> &str {
        self.found(name).text.as_deref().unwrap_or_default()
    }

    /// What the rules of the core need.
    pub fn rules(&self) -> Rules {
        // A default of ours is no wish of the operator's: it would hide what a later release thinks best.
        let get = |name: &str| {
            let found = self.found(&format!("terms.{name}"));
            found.text.as_deref().filter(|_| found.source != Source::Default)
        };
        Rules { list: self.rules.iter().map(|ruled| ruled.rule.clone()).collect(), otherwise: wishes(get) }
    }
}

fn default(key: &'static Key, given: &Given<'_>) -> Found {
    let text = match key.whose {
        Whose::Caller => None,
        _ => (given.computed)(key.name).or_else(|| Some(key.default.to_owned())),
    };
    Found { key, text, source: Source::Default }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env(name) => write!(f, "${name}"),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}
