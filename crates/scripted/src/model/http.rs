//! Just enough HTTP for the model's clients: requests with a length, responses that end with the connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Longer requests are refused. The CLI's own, with all its tools, are about 100 kB.
const BODY_BYTES_MAX: usize = 64 << 20;
const HEAD_LINES_MAX: usize = 200;

pub(super) struct Request {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// Reads one request; `None` if the client sent nothing.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let path = words.next().unwrap_or_default().split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut chunks) = (0, false);
    for _ in 0..HEAD_LINES_MAX {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            let body = if chunks { chunked(&mut reader)? } else { exact(&mut reader, length)? };
            return Ok(Some(Request { method, path, body }));
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
        }
        chunks |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        if line.starts_with("expect:") {
            let mut writer = stream;
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

fn exact(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > BODY_BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunked(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        if body.len() + size > BODY_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        body.extend(exact(reader, size)?);
        let mut end = String::new();
        reader.read_line(&mut end)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Writes the head of a response whose body ends with the connection.
pub(super) fn head(mut stream: &TcpStream, status: u16, content_type: &str) -> io::Result<()> {
    let name = if status < 400 { "OK" } else { "Error" };
    // Without this header the CLI waits for minutes between its retries.
    let retry = if status >= 400 { "retry-after: 0\r\n" } else { "" };
    write!(stream, "HTTP/1.1 {status} {name}\r\ncontent-type: {content_type}\r\n{retry}connection: close\r\n\r\n")
}

pub(super) fn whole(mut stream: &TcpStream, status: u16, body: &str) -> io::Result<()> {
    head(stream, status, "application/json")?;
    stream.write_all(body.as_bytes())
}
