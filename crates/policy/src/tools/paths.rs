//! Patterns for paths, as in `.gitignore`: `//etc/hosts`, `~/.ssh/**`, `/src/**`, `*.key`.

use std::borrow::Cow;

use askbridge_core::rules::asks::Leaning;
use globset::{GlobBuilder, GlobMatcher};

use super::spec::Yes;

#[derive(Debug)]
pub(super) struct PathPattern {
    base: Base,
    /// The path itself, and everything below it.
    matchers: [GlobMatcher; 2],
    /// The longest part without wildcards: every path that matches has it as a part, also if it begins with `~`.
    part: Option<String>,
    /// For `~` in the path of a call.
    home: Option<String>,
    /// Upper and lower case are the same: `.ENV` is `.env` on many disks. Not for rules that say yes.
    any_case: bool,
}

/// What the pattern is relative to.
#[derive(Debug)]
enum Base {
    Root,
    Home(String),
    /// The session's folder.
    Folder,
}

impl PathPattern {
    pub(super) fn read(spec: &str, yes: Yes, home: Option<&str>) -> Result<Self, String> {
        let (base, text) = match spec {
            _ if spec.starts_with("//") => (Base::Root, &spec[1..]),
            _ if spec.starts_with("~/") => {
                let home = home.ok_or_else(|| format!("`{spec}`: there is no home folder here"))?;
                (Base::Home(home.trim_end_matches('/').to_owned()), &spec[1..])
            }
            _ => (Base::Folder, spec.strip_prefix("./").map_or(spec, |_| &spec[1..])),
        };
        let text = text.strip_suffix('/').unwrap_or(text);
        if text.is_empty() {
            return Err(format!("`{spec}` names no path"));
        }
        // Without a slash inside, at any depth; with one, from the base on. And everything below what matches.
        let from_base = text.contains('/');
        let text = text.trim_start_matches('/');
        if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(format!("`{spec}` would match nothing; write it without `.`, `..` and empty parts"));
        }
        let any_case = yes == Yes::Never;
        let anywhere = if from_base { "" } else { "**/" };
        // Braces have no meaning in `.gitignore`.
        let text = text.replace('{', "[{]").replace('}', "[}]");
        let text = if any_case { text.to_lowercase() } else { text };
        let compile = |glob: String| {
            let glob = GlobBuilder::new(&glob)
                .literal_separator(true)
                .backslash_escape(true)
                .case_insensitive(any_case)
                .build();
            glob.map(|glob| glob.compile_matcher())
                .map_err(|error| format!("`{spec}` is not a pattern for paths: {}", error.kind()))
        };
        let matchers = [compile(format!("{anywhere}{text}"))?, compile(format!("{anywhere}{text}/**"))?];
        let is_literal = |part: &&str| !part.is_empty() && !part.contains(['*', '?', '[', ']', '\\', '{', '}', '!']);
        let home = home.map(|home| home.trim_end_matches('/').to_owned());
        let in_home = |part: &&str| {
            home.as_ref().is_some_and(|home| home.split('/').any(|above| above.to_lowercase() == part.to_lowercase()))
        };
        let parts = text.split('/').filter(is_literal).filter(|part| !in_home(part));
        let part = parts.max_by_key(|part| part.len()).map(str::to_owned);
        Ok(Self { base, matchers, part, home, any_case })
    }

    pub(super) fn part(&self) -> Option<&str> {
        self.part.as_deref()
    }

    fn is_match(&self, path: &str) -> bool {
        self.matchers.iter().any(|matcher| matcher.is_match(path))
    }

    fn cased<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.any_case { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
    }

    /// Does the path of an input match? A relative one is relative to the session's folder. Claude Code removes blanks
    /// around a path and reads `~` as the home folder; other tools do not. To say yes, it has to match either way.
    pub(super) fn matches(&self, path: &str, folder: Option<&str>, leaning: Leaning) -> bool {
        let trimmed = path.trim();
        let in_home = trimmed.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let from_home = in_home.zip(self.home.as_deref()).map(|(rest, home)| format!("{home}{rest}"));
        let mut readings = [Some(path), Some(trimmed), from_home.as_deref()].into_iter().flatten();
        let fits = |path: &str| self.matches_as_written(path, folder, leaning);
        match leaning {
            Leaning::Every => {
                let is_clear = !path.contains(char::is_control) && in_home.is_some() == from_home.is_some();
                is_clear && readings.all(fits)
            }
            Leaning::Any => readings.any(fits),
        }
    }

    fn matches_as_written(&self, path: &str, folder: Option<&str>, leaning: Leaning) -> bool {
        let (path, folder) = (self.cased(path), folder.map(|folder| self.cased(folder.trim_end_matches('/'))));
        let folder = folder.as_deref();
        let whole = match (path.starts_with('/'), folder) {
            (true, _) => normal(&path),
            (false, Some(folder)) => normal(&format!("{folder}/{path}")),
            // Unknown where it is. For a denial, as if it were in the folder that is meant.
            (false, None) => return leaning == Leaning::Any && self.is_match(normal(&path).trim_start_matches('/')),
        };
        let base = match (&self.base, folder) {
            (Base::Root, _) => "",
            (Base::Home(home), _) => &self.cased(home),
            (Base::Folder, Some(folder)) => &normal(folder),
            (Base::Folder, None) => {
                // Unknown folder: for a denial, any folder above the path may be it.
                let below = whole.match_indices('/').map(|(at, _)| &whole[at + 1..]);
                return leaning == Leaning::Any && below.into_iter().any(|rest| self.is_match(rest));
            }
        };
        let Some(rest) = whole.strip_prefix(base.trim_end_matches('/')) else { return false };
        rest.strip_prefix('/').is_some_and(|rest| self.is_match(rest))
    }
}

/// Resolves `.` and `..` as texts. Links are not followed: the file may not be on this machine.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
