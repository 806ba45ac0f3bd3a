//! A terminal with a person at it.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::patience::until;

pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    screen: Arc<Mutex<String>>,
    /// How much of the output was checked already.
    read: usize,
    master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    pub(crate) fn open(command: CommandBuilder) -> Self {
        let size = PtySize { rows: 50, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let shown = Arc::clone(&screen);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            // A read may split a character of several bytes.
            let mut rest = Vec::new();
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                rest.extend_from_slice(&bytes[..count]);
                let whole = match std::str::from_utf8(&rest) {
                    Ok(_) => rest.len(),
                    Err(error) if error.error_len().is_none() => error.valid_up_to(),
                    Err(_) => rest.len(),
                };
                let text: Vec<u8> = rest.drain(..whole).collect();
                shown.lock().unwrap().push_str(&String::from_utf8_lossy(&text));
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        Self { child, keyboard, screen, read: 0, master: pair.master }
    }

    /// Waits until a text appears after what was checked before.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) {
        let (screen, from) = (Arc::clone(&self.screen), self.read);
        let seen = || {
            let screen = screen.lock().unwrap();
            screen[from..].find(text).map(|place| from + place + text.len())
        };
        self.read = until(&format!("the terminal shows {text:?}:\n{}", self.screen()), seen);
    }

    pub(crate) fn types(&mut self, line: &str) {
        writeln!(self.keyboard, "{line}").unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Presses keys, without Enter after them.
    pub(crate) fn presses(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    pub(crate) fn resize(&self, rows: u16, cols: u16) {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().replace("\r\n", "\n")
    }

    /// Waits until the program ends, and returns its code.
    #[track_caller]
    pub(crate) fn ends(mut self) -> u32 {
        until("the program in the terminal ends", || self.child.try_wait().unwrap()).exit_code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
