//! The command with which other programs call us.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::settings::{Settings, Surroundings};

/// A command without its verb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ourselves {
    pub(super) program: String,
    flags: Vec<String>,
}

/// Who will read what we write, and in which environment they start us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A program in the person's terminal: it has the same PATH.
    Terminal,
    /// A program that is started from a menu, and may have another PATH.
    Desktop,
    /// Everyone who works on a project: nothing specific to this machine belongs there, if it can be avoided.
    Team,
}

impl Ourselves {
    pub(super) fn for_reader(reader: Reader, settings: &Settings, around: &Surroundings) -> Result<Self, Failure> {
        let running = std::env::current_exe()?;
        let on_path = on_path("askbridge", around).filter(|found| is_same(found, &running));
        let program = match (reader, on_path) {
            (Reader::Terminal | Reader::Team, Some(_)) => "askbridge".to_owned(),
            // The name on PATH outlives an upgrade; the file that it links to may not.
            (Reader::Desktop, Some(found)) => text(found)?,
            (_, None) => text(running)?,
        };
        let flags = if reader == Reader::Team { Vec::new() } else { settings.way_back.clone() };
        Ok(Self { program, flags })
    }

    /// Returns the shell command.
    pub(super) fn shell(&self, verb: &str) -> String {
        shell_line([&self.program].into_iter().chain(&self.flags).chain([&verb.to_owned()]))
    }

    pub(super) fn arguments(&self, verb: &str) -> Vec<String> {
        self.flags.iter().cloned().chain([verb.to_owned()]).collect()
    }

    /// Does it work only on this machine?
    pub(super) fn is_of_this_machine(&self) -> bool {
        self.program.contains('/')
    }
}

/// Returns the first program with this name on PATH.
pub(crate) fn on_path(name: &str, around: &Surroundings) -> Option<PathBuf> {
    let places = around.path.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    places.into_iter().find(|place| is_program(place))
}

pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

fn text(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|path| {
        Failure::new(format!("`{}` cannot be written into settings: it is not text", path.display()))
            .hint("put askbridge into a folder with an ordinary name")
    })
}

/// Quotes words for a shell.
pub(crate) fn shell_line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    words.into_iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Splits a shell command into words, as far as quotes go. Good enough to recognise our own.
pub(super) fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            (char, Some(open)) if char == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (char, Some(_)) => word.get_or_insert_default().push(char),
            ('\'' | '"', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (char, None) if char.is_whitespace() => words.extend(word.take()),
            (char, None) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

/// Do these words start askbridge with this verb? Variable assignments may precede.
pub(super) fn calls_us(words: &[String], verb: &str) -> bool {
    let is_variable = |word: &&String| word.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    let mut words = words.iter().skip_while(is_variable);
    let program = words.next().map(|word| Path::new(word).file_name().unwrap_or_default().to_owned());
    program.is_some_and(|name| name == "askbridge") && words.any(|word| word == verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_so_that_a_shell_reads_it_as_it_is() {
        let ourselves =
            Ourselves { program: "/opt/it's mine/askbridge".into(), flags: vec!["--data".into(), "/d".into()] };
        let command = ourselves.shell("hook");
        assert_eq!(command, r"'/opt/it'\''s mine/askbridge' --data /d hook");
        assert_eq!(words(&command), ["/opt/it's mine/askbridge", "--data", "/d", "hook"]);
        let shell = std::process::Command::new("sh").args(["-c", &format!("printf '%s|' {command}")]).output().unwrap();
        assert_eq!(String::from_utf8(shell.stdout).unwrap(), "/opt/it's mine/askbridge|--data|/d|hook|");
    }

    #[test]
    fn our_own_command_is_known_again_and_others_are_not() {
        let ours = |command: &str| calls_us(&words(command), "hook");
        assert!(ours("askbridge hook"));
        assert!(ours("\"/home/ada/my bin/askbridge\" hook --door codex"));
        assert!(ours("ASKBRIDGE_DATA=/x /usr/bin/askbridge --data y hook"));
        assert!(!ours("askbridge mcp") && !ours("notify askbridge hook") && !ours("/opt/askbridge/other hook"));
        assert!(!ours("") && !ours("my-askbridge hook"));
    }
}
