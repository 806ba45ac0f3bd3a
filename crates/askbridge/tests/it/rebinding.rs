//! `Host` and `Origin` on a socket that really listens on IPv6.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::bridge::TestBridge;

/// Sends a head and returns the status.
fn status(address: &str, path: &str, headers: &str) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).unwrap();
    std::str::from_utf8(&line[9..]).unwrap().parse().unwrap()
}

#[test]
fn on_ipv6_a_rebound_name_and_another_site_get_nothing() {
    if let Err(error) = TcpListener::bind("[::1]:0") {
        assert_eq!(error.kind(), ErrorKind::AddrNotAvailable, "{error}");
        eprintln!("this machine has no IPv6, so nothing can be reached over it");
        return;
    }
    let mut bridge = TestBridge::stopped();
    bridge.start_with(&["--listen", "[::1]:0"]);
    let address = bridge.address();
    assert!(address.starts_with("[::1]:"), "{address}");
    let (port, token) = (address.rsplit_once(':').unwrap().1.to_owned(), bridge.person());
    let signed = format!("authorization: Bearer {token}\r\n");
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let knock = |host: &str, origin: Option<&str>| {
        let origin = origin.map(|origin| format!("origin: {origin}\r\n")).unwrap_or_default();
        let asked = status(&address, "/v1/me", &format!("host: {host}\r\n{origin}{signed}"));
        let opened = status(&address, "/v1/ws", &format!("host: {host}\r\n{origin}{upgrade}"));
        (asked, opened)
    };
    let own = format!("http://{address}");
    for (host, origin) in [
        (address.as_str(), None),
        (&address, Some(own.as_str())),
        ("[::1]", None),
        (&format!("[0:0:0:0:0:0:0:1]:{port}"), None),
        (&format!("localhost:{port}"), Some(&*format!("http://localhost:{port}"))),
    ] {
        assert_eq!(knock(host, origin), (200, 101), "{host} {origin:?}");
    }
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "[::1].evil",
        "[::1",
        "::1",
        "[evil.example]",
        "ip6-localhost",
        "",
    ] {
        assert_eq!(knock(host, None), (403, 403), "{host}");
    }
    for origin in [
        "http://evil.example",
        "null",
        "http://[::1]",
        &format!("http://[::1]:{}", port.parse::<u16>().unwrap() ^ 1),
        &format!("http://localhost:{port}"),
        &format!("http://[::1]:{port}.evil.example"),
        &format!("http://[::2]:{port}"),
    ] {
        assert_eq!(knock(&address, Some(origin)), (403, 403), "{origin}");
    }
}
