//! A person's home with a server, and the settings that `expose` changes there.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use crate::bridge::{Ran, Running, TestBridge};
use crate::nginx::free_port;
use crate::patience::until;

/// A server that reads its settings from the usual file.
pub(crate) struct Home {
    pub(crate) bridge: TestBridge,
    pub(crate) listen: String,
}

impl Home {
    pub(crate) fn start() -> Self {
        let mut home = Self { bridge: TestBridge::stopped(), listen: format!("127.0.0.1:{}", free_port()) };
        home.start_server();
        home
    }

    pub(crate) fn start_server(&mut self) {
        self.bridge.start_with(&["--listen", &self.listen]);
    }

    /// As a person does who is told to.
    pub(crate) fn start_again(&mut self) {
        self.bridge.kill();
        self.start_server();
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.bridge.dir.path().join(".config/askbridge/config.toml")
    }

    /// The settings file. Empty: there is none.
    pub(crate) fn settings(&self) -> String {
        fs::read_to_string(self.file()).unwrap_or_default()
    }

    pub(crate) fn write_settings(&self, text: &str) {
        fs::create_dir_all(self.file().parent().unwrap()).unwrap();
        fs::write(self.file(), text).unwrap();
    }

    fn script(line: &str) -> String {
        format!("export PATH=\"$HOME/bin:$PATH\"; exec askbridge {line}")
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        self.bridge.bash(&Self::script(line))
    }

    pub(crate) fn begin(&self, line: &str) -> Running {
        self.bridge.spawn_bash(&Self::script(line))
    }

    /// Runs `expose`, starts the server again when it is told to, and returns what was printed to the end.
    #[track_caller]
    pub(crate) fn expose(&mut self, line: &str) -> Ran {
        let mut exposing = self.begin(&format!("expose {line} --yes-i-am-a-person"));
        until("it says to start askbridge again", || {
            let said = exposing.stderr().contains("start askbridge again");
            assert!(said || !exposing.is_over(), "{}{}", exposing.stdout(), exposing.stderr());
            said.then_some(())
        });
        self.start_again();
        let ran = exposing.ended();
        ran.good();
        ran
    }
}

/// Where other machines, and an ACME server, reach `localhost`: over IPv6 too, if this machine has it.
pub(crate) fn everywhere(port: u16) -> String {
    match TcpListener::bind("[::1]:0") {
        Ok(_) => format!("[::]:{port}"),
        Err(_) => format!("0.0.0.0:{port}"),
    }
}

/// The link that pairs a phone, from what was printed.
#[track_caller]
pub(crate) fn pairing_secret<'a>(ran: &'a Ran, url: &str) -> &'a str {
    let begin = format!("{url}/#pair=");
    let link = ran.stdout.lines().find_map(|line| line.strip_prefix(begin.as_str()));
    link.unwrap_or_else(|| panic!("no link to {url}: {}{}", ran.stdout, ran.stderr))
}
