//! A terminal with a program in it: its output, without colours and spaces, and a keyboard.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    shown: Arc<Mutex<Vec<u8>>>,
    /// Kept open: closing it would send SIGHUP.
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    pub(crate) fn open(command: CommandBuilder) -> Self {
        let size = PtySize { rows: 50, cols: 140, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keyboard = pair.master.take_writer().unwrap();
        let shown = Arc::new(Mutex::new(Vec::new()));
        let showing = Arc::clone(&shown);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                showing.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Self { child, keyboard, shown, _master: pair.master }
    }

    /// Returns all that was ever shown, as far as it is readable text.
    pub(crate) fn text(&self) -> String {
        readable(&String::from_utf8_lossy(&self.shown.lock().unwrap()))
    }

    /// Was this shown? Spaces are ignored: a screen is drawn in pieces.
    pub(crate) fn has_shown(&self, text: &str) -> bool {
        self.text().contains(&text.split_whitespace().collect::<String>())
    }

    pub(crate) fn press(&mut self, keys: &str) {
        // The program may have ended meanwhile; then the keys have no effect.
        let _ = self.keyboard.write_all(keys.as_bytes());
        let _ = self.keyboard.flush();
    }

    /// Is its program gone?
    #[allow(dead_code, reason = "the tests of Codex's hooks need it")]
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|ended| ended.is_some())
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Removes spaces and escape sequences: cursor movement, colours, titles.
fn readable(raw: &str) -> String {
    let mut text = String::new();
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|char| !('@'..='~').contains(&char)) {},
                Some(']') => while chars.next().is_some_and(|char| char != '\u{7}' && char != '\u{1b}') {},
                _ => {}
            },
            char if char.is_whitespace() || char.is_control() => {}
            char => text.push(char),
        }
    }
    text
}
