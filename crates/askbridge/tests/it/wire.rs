//! A plain HTTP client over TCP, like a monitor, a proxy or a phone.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::bridge::TestBridge;

/// A response.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl TestBridge {
    pub(crate) fn address(&self) -> String {
        std::fs::read_to_string(self.data().join("run/address")).unwrap().trim().to_owned()
    }

    /// Fetches over TCP, with extra headers: `name: value\r\n`.
    pub(crate) fn get(&self, path: &str, headers: &str) -> Answered {
        self.send("GET", path, headers, "")
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answered {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head[9..12].parse().unwrap();
        Answered { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns one metric, by its name and labels.
    #[track_caller]
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let line = self.body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("there is no {name} in\n{}", self.body)).parse().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

pub(crate) fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}\r\n")
}
