//! Outgoing calls, against a real server with a certificate of an authority of our own.

#![expect(clippy::unwrap_used, reason = "helpers of a test may fail the test")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use askbridge_bridge::outbound::{Answered, Authorities, Failed, Outbound, OutboundOptions};
use askbridge_core::limits;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// An outside server with the same response to everything.
struct Outside {
    address: SocketAddr,
    authority: String,
    heard: mpsc::Receiver<String>,
}

impl Outside {
    /// `None`: it never responds.
    async fn saying(answer: Option<String>) -> Self {
        let mut issuer = CertificateParams::default();
        issuer.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(issuer, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let own = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![own.der().clone()], key).unwrap();
        let (acceptor, authority) = (TlsAcceptor::from(Arc::new(config)), issuer.pem());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, heard) = mpsc::channel(16);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A client that does not trust our certificate disconnects here.
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut read = Vec::new();
                while !is_whole(&read) && stream.read_buf(&mut read).await.is_ok_and(|count| count > 0) {}
                let _ = sender.send(String::from_utf8_lossy(&read).into_owned()).await;
                let Some(answer) = &answer else { std::future::pending().await };
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { address, authority, heard }
    }

    fn url(&self) -> String {
        format!("https://localhost:{}/push/1/secret?x=y", self.address.port())
    }

    fn options(&self) -> OutboundOptions {
        let private = vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let authorities = Authorities::read(self.authority.as_bytes()).unwrap();
        OutboundOptions { private, authorities, ..OutboundOptions::default() }
    }
}

fn is_whole(read: &[u8]) -> bool {
    let text = String::from_utf8_lossy(read).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    length.is_none_or(|length| body.len() >= length)
}

fn response(status: &str, more: &str, body: &str) -> Option<String> {
    Some(format!("HTTP/1.1 {status}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()))
}

#[tokio::test]
async fn somebody_outside_is_told_and_heard() {
    let mut outside = Outside::saying(response("200 OK", "", r#"{"queued":true}"#)).await;
    let outbound = Outbound::new(outside.options());
    let answered = outbound.post(&outside.url(), r#"{"title":"Hello"}"#).await.unwrap();
    assert_eq!(answered, Answered { status: 200, body: r#"{"queued":true}"#.into() });
    let heard = outside.heard.recv().await.unwrap();
    assert!(heard.starts_with("POST /push/1/secret?x=y HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains(&format!("host: localhost:{}\r\n", outside.address.port())), "{heard}");
    assert!(heard.ends_with("\r\n\r\n{\"title\":\"Hello\"}"), "{heard}");
}

#[tokio::test]
async fn a_private_address_is_not_called_unless_it_is_listed_and_the_secret_is_not_told() {
    let mut outside = Outside::saying(response("200 OK", "", "{}")).await;
    let outbound = Outbound::new(OutboundOptions { private: Vec::new(), ..outside.options() });
    let failed = outbound.post(&outside.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::Private { .. }), "{failed}");
    assert!(failed.to_string().contains("`outbound.private`") && !failed.to_string().contains("secret"), "{failed}");
    assert!(outside.heard.try_recv().is_err(), "nothing was sent");
}

#[tokio::test]
async fn whoever_cannot_show_who_they_are_is_told_nothing() {
    let mut outside = Outside::saying(response("200 OK", "", "{}")).await;
    let other = Outside::saying(None).await;
    let authorities = Authorities::read(other.authority.as_bytes()).unwrap();
    let outbound = Outbound::new(OutboundOptions { authorities, ..outside.options() });
    let failed = outbound.post(&outside.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::Connect { .. }), "{failed}");
    assert!(outside.heard.try_recv().is_err(), "nothing was sent");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut outside = Outside::saying(response("302 Found", "location: https://elsewhere.example/\r\n", "")).await;
    let answered = Outbound::new(outside.options()).post(&outside.url(), "{}").await.unwrap();
    assert_eq!(answered.status, 302);
    outside.heard.recv().await.unwrap();
    assert!(outside.heard.try_recv().is_err(), "it called once");
}

#[tokio::test]
async fn whoever_says_too_much_or_nothing_at_all_has_failed() {
    let endless = "x".repeat(limits::OUTBOUND_ANSWER_BYTES_MAX + 1);
    let outside = Outside::saying(response("200 OK", "", &endless)).await;
    let failed = Outbound::new(outside.options()).post(&outside.url(), "{}").await.unwrap_err();
    assert!(failed.to_string().contains("more than 65536 bytes"), "{failed}");

    let mut silent = Outside::saying(None).await;
    let outbound = Outbound::new(OutboundOptions { patience: Duration::from_millis(500), ..silent.options() });
    let failed = outbound.post(&silent.url(), "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::TooSlow { .. }), "{failed}");
    silent.heard.try_recv().ok();
}

#[tokio::test]
async fn only_https_is_called_and_only_names_that_exist() {
    let outbound = Outbound::new(OutboundOptions::default());
    for url in ["http://localhost/", "https://", "ftp://a/", "nonsense"] {
        assert!(matches!(outbound.post(url, "{}").await.unwrap_err(), Failed::NotAnAddress), "{url}");
    }
    let failed = outbound.post("https://nobody.invalid/secret", "{}").await.unwrap_err();
    assert!(matches!(failed, Failed::NoSuchHost { .. }), "{failed}");
}

#[test]
fn a_file_without_a_certificate_is_refused_in_words() {
    assert_eq!(Authorities::read(b"").unwrap_err(), "there is no certificate in it");
    let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(Authorities::read(broken).unwrap_err().contains("cannot be used"));
}
