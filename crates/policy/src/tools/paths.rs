//! Patterns for paths, as in `.gitignore`: `//etc/hosts`, `~/.ssh/**`, `/src/**`, `*.key`.

use std::borrow::Cow;

use askbridge_core::rules::asks::{Leaning, Need};

use super::globs::PathGlob;
use super::spec::Yes;

#[derive(Debug)]
pub(super) struct PathPattern {
    base: Base,
    glob: PathGlob,
    /// The parts without wildcards, and the literal texts in others: every path that matches has them, also if it begins
    /// with `~`.
    literal: Vec<Need>,
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
        let glob = PathGlob::read(text, !from_base, any_case)
            .map_err(|why| format!("`{spec}` is not a pattern for paths: {why}"))?;
        let text = if any_case { text.to_lowercase() } else { text.to_owned() };
        let home = home.map(|home| home.trim_end_matches('/').to_owned());
        let literal = literal(&text, home.as_deref().unwrap_or_default());
        Ok(Self { base, glob, literal, home, any_case })
    }

    /// What every call has whose path matches.
    pub(super) fn needs(&self) -> &[Need] {
        &self.literal
    }

    fn is_match(&self, path: &str) -> bool {
        self.glob.is_match(path)
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
        let trimmed = Some(trimmed).filter(|trimmed| *trimmed != path);
        let mut readings = [Some(path), trimmed, from_home.as_deref()].into_iter().flatten();
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

/// What has to be in a path or its folder as it is written. What may come from the home folder instead, of a path that
/// begins with `~`, need not.
fn literal(pattern: &str, home: &str) -> Vec<Need> {
    let home = home.to_lowercase();
    let in_home = |text: &str, whole: bool| {
        let text = text.to_lowercase();
        home.split('/').any(|above| if whole { above == text } else { above.contains(&text) })
    };
    let parts = pattern.split('/').filter(|part| !part.is_empty() && !part.contains(['[', ']', '\\', '{', '}', '!']));
    let needs = parts.flat_map(|part| match part.contains(['*', '?']) {
        false => vec![Need::Word(part.to_owned())].into_iter().filter(|_| !in_home(part, true)).collect::<Vec<_>>(),
        true => {
            let texts = part.split(['*', '?']).filter(|text| !text.is_empty() && !in_home(text, false));
            texts.map(|text| Need::Text(text.to_owned())).collect()
        }
    });
    needs.collect()
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
