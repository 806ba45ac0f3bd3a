//! A minimal blocking HTTP client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::Value;

pub(crate) fn call(address: &str, token: &str, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
    speak(TcpStream::connect(address).ok()?, token, method, path, body)
}

/// Calls over the local socket, where no token is needed.
pub(crate) fn call_local(socket: &Path, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
    speak(UnixStream::connect(socket).ok()?, "", method, path, body)
}

fn speak(mut stream: impl Read + Write, token: &str, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let token = if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{token}connection: close\r\n");
    stream.write_all(format!("{head}content-length: {length}\r\n\r\n{body}").as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.get(9..12)?.parse().ok()?;
    Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}
