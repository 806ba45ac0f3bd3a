//! Resolves the settings: a flag wins, then the environment, then the file, then the default.

use std::fmt;
use std::path::{Path, PathBuf};

use askbridge_core::terms::Rules;

use super::file;
use super::flags::Flags;
use super::rules::{Ruled, wishes};
use super::settings::Settings;
use super::table::{KEYS, Key, Machine, Shown, Source};

/// All sources of settings.
pub struct SettingSources<'a> {
    pub flags: &'a Flags,
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The file, and whether the operator named it: then it must exist.
    pub file: Option<(PathBuf, bool)>,
    pub machine: Machine,
}

/// Every setting with its source, and all problems.
#[derive(Debug, Clone)]
pub struct Config {
    pub settings: Settings,
    pub rules: Vec<Ruled>,
    /// The path of the file, which need not exist.
    pub file: Option<PathBuf>,
    pub file_is_there: bool,
    pub problems: Vec<Problem>,
}

/// A problem with a setting.
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
    fn defaults(machine: &Machine, file: Option<PathBuf>) -> Self {
        let (settings, rules, problems) = (Settings::of(machine), Vec::new(), Vec::new());
        Self { settings, rules, file, file_is_there: false, problems }
    }

    pub fn resolve(given: &SettingSources<'_>) -> Self {
        let mut config = Self::defaults(&given.machine, given.file.as_ref().map(|(path, _)| path.clone()));
        if let Some((path, named)) = &given.file {
            config.take_file(path, *named);
        }
        for key in KEYS.iter() {
            if let Some(text) = (given.env)(&key.env) {
                config.take(key, &text, Source::Env(&key.env));
            }
        }
        for (key, text) in given.flags {
            config.take(key, text, Source::Flag(key.flag.as_deref().unwrap_or_default()));
        }
        config
    }

    /// Resolves a file alone.
    pub fn of_file(path: &Path) -> Self {
        let mut config = Self::defaults(&Machine::default(), Some(path.to_owned()));
        config.take_file(path, true);
        config
    }

    /// Resolves a file with this text.
    pub fn of_text(name: &str, text: &str) -> Self {
        let mut config = Self::defaults(&Machine::default(), None);
        file::take_text(Path::new(name), text, &mut config);
        config
    }

    fn take_file(&mut self, path: &Path, named: bool) {
        match file::take(path, self) {
            Ok(is_there) => self.file_is_there = is_there,
            Err(problem) => self.problems.push(problem),
        }
        if named && !self.file_is_there && self.problems.is_empty() {
            let problem = Problem::at(path.display().to_string(), "there is no such file");
            let hint = "`--config` and $ASKBRIDGE_CONFIG name the file with the settings".to_owned();
            self.problems.push(Problem { hint: Some(hint), ..problem });
        }
    }

    fn take(&mut self, key: &'static Key, text: &str, source: Source) {
        let place = source.to_string();
        if let Err(why) = (key.set)(&mut self.settings, text, source) {
            self.problems.push(Problem::at(place, why));
        }
    }

    /// Every setting as `config show` prints it, in the order of the structure.
    pub fn shown(&self) -> impl Iterator<Item = Shown<'_>> {
        KEYS.iter().map(|key| {
            let (text, source) = (key.get)(&self.settings);
            Shown { key, text, source }
        })
    }

    /// The rules for the core.
    pub fn rules(&self) -> Rules {
        let list = self.rules.iter().map(|ruled| ruled.rule.clone()).collect();
        Rules { list, otherwise: wishes(&self.settings.terms) }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}
