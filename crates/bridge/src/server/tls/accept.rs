//! What a new connection is: TLS, or plain HTTP.

use std::io;
use std::net::IpAddr;

use askbridge_core::limits;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use super::challenges::ACME_TLS;
use super::files::Tls;

/// The first byte of every TLS connection: a record of the handshake. No HTTP request begins with it.
const HANDSHAKE: u8 = 0x16;

/// A connection whose first byte was seen.
pub(in crate::server) enum Accepted {
    Encrypted(Box<TlsStream<TcpStream>>),
    /// An ACME server saw its proof in the handshake. Nothing follows.
    Proved,
    /// Plain HTTP from this machine: it crosses no network, and programs here know no certificate.
    Plain(TcpStream),
    /// Plain HTTP from elsewhere, which is sent to the encrypted address.
    Redirected(TcpStream),
}

/// Who is served without encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum PlainFor {
    ThisMachine,
    /// Not even this machine: the port is there for others.
    NoOne,
}

/// Finds out what a client speaks, and completes the handshake if it is TLS.
pub(in crate::server) async fn accept(
    tls: &Tls,
    stream: TcpStream,
    from: IpAddr,
    plain_for: PlainFor,
) -> io::Result<Accepted> {
    let mut first = [0];
    let seen = timeout(limits::HEADER_READ_MAX, stream.peek(&mut first)).await;
    if seen.map_err(|_| io::ErrorKind::TimedOut)?? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if first[0] != HANDSHAKE {
        return Ok(match from.to_canonical().is_loopback() && plain_for == PlainFor::ThisMachine {
            true => Accepted::Plain(stream),
            false => Accepted::Redirected(stream),
        });
    }
    let shaken = timeout(limits::HEADER_READ_MAX, tls.acceptor().accept(stream)).await;
    let shaken = shaken.map_err(|_| io::ErrorKind::TimedOut)??;
    if shaken.get_ref().1.alpn_protocol() == Some(ACME_TLS) {
        return Ok(Accepted::Proved);
    }
    Ok(Accepted::Encrypted(Box::new(shaken)))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    use super::*;
    use crate::server::tls::TlsFiles;

    /// What becomes of a connection from this address that begins with these bytes.
    async fn becomes(bytes: &[u8], from: &str, plain_for: PlainFor) -> &'static str {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(vec!["one.example".to_owned()]).unwrap();
        let files = TlsFiles { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
        std::fs::write(&files.certificate, made.cert.pem()).unwrap();
        std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
        let tls = Tls::open(files).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        client.write_all(bytes).await.unwrap();
        client.shutdown().await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        match accept(&tls, stream, from.parse().unwrap(), plain_for).await {
            Ok(Accepted::Encrypted(_)) => "encrypted",
            Ok(Accepted::Proved) => "proved",
            Ok(Accepted::Plain(_)) => "plain",
            Ok(Accepted::Redirected(_)) => "redirected",
            Err(_) => "closed",
        }
    }

    #[tokio::test]
    async fn plain_requests_are_served_to_this_machine_and_redirected_for_others() {
        let plain = b"GET / HTTP/1.1\r\n";
        let becomes = |bytes, from| becomes(bytes, from, PlainFor::ThisMachine);
        assert_eq!(becomes(plain, "127.0.0.1").await, "plain");
        assert_eq!(becomes(plain, "::ffff:127.0.0.1").await, "plain");
        assert_eq!(becomes(plain, "192.0.2.7").await, "redirected");
        assert_eq!(becomes(b"", "127.0.0.1").await, "closed");
        assert_eq!(becomes(b"\x16\x03\x01 not a handshake", "192.0.2.7").await, "closed");
    }

    #[tokio::test]
    async fn a_port_for_other_machines_serves_nobody_without_encryption() {
        assert_eq!(becomes(b"GET / HTTP/1.1\r\n", "127.0.0.1", PlainFor::NoOne).await, "redirected");
    }
}
