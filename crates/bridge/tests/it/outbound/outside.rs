//! An outside server on loopback, in the clear or with a certificate of an authority of our own.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use askbridge_bridge::outbound::{Authorities, OutboundOptions, Resolver};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

pub(super) trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// A server that treats every connection alike, each in a task of its own.
pub(super) struct Outside {
    pub(super) address: SocketAddr,
    /// The certificate of its authority, as PEM. `None`: it speaks in the clear.
    pub(super) authority: Option<String>,
    /// What it was told, one text for each request that was read.
    pub(super) heard: mpsc::Receiver<String>,
}

/// One connection to the server.
pub(super) struct Visit {
    pub(super) wire: Box<dyn Io>,
    heard: mpsc::Sender<String>,
}

impl Visit {
    /// Reads one request, and reports it.
    pub(super) async fn request(&mut self) -> String {
        let mut read = Vec::new();
        while !is_whole(&read) && self.wire.read_buf(&mut read).await.is_ok_and(|count| count > 0) {}
        let text = String::from_utf8_lossy(&read).into_owned();
        let _ = self.heard.send(text.clone()).await;
        text
    }

    /// Sends some bytes. A client that has left is no error.
    pub(super) async fn say(&mut self, text: &str) {
        let _ = self.wire.write_all(text.as_bytes()).await;
        let _ = self.wire.flush().await;
    }

    pub(super) async fn end(mut self) {
        let _ = self.wire.shutdown().await;
    }

    /// Waits until the client has closed the connection.
    pub(super) async fn left(&mut self) {
        while self.wire.read_u8().await.is_ok() {}
    }

    pub(super) async fn report(&mut self, text: &str) {
        let _ = self.heard.send(text.to_owned()).await;
    }
}

impl Outside {
    /// A server with TLS and the same response to everything.
    pub(super) async fn saying(answer: String) -> Self {
        Self::encrypted(move |mut visit| {
            let answer = answer.clone();
            async move {
                visit.request().await;
                visit.say(&answer).await;
                visit.end().await;
            }
        })
        .await
    }

    /// The same without TLS.
    pub(super) async fn saying_in_the_clear(answer: String) -> Self {
        Self::clear(move |mut visit| {
            let answer = answer.clone();
            async move {
                visit.request().await;
                visit.say(&answer).await;
                visit.end().await;
            }
        })
        .await
    }

    /// A server without TLS that reads requests and never responds.
    pub(super) async fn silent() -> Self {
        Self::clear(|mut visit| async move {
            visit.request().await;
            visit.left().await;
        })
        .await
    }

    pub(super) async fn clear<F, D>(talk: F) -> Self
    where
        F: Fn(Visit) -> D + Send + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        Self::start(None, talk).await
    }

    pub(super) async fn encrypted<F, D>(talk: F) -> Self
    where
        F: Fn(Visit) -> D + Send + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        Self::start(Some(certificate()), talk).await
    }

    async fn start<F, D>(certificate: Option<(TlsAcceptor, String)>, talk: F) -> Self
    where
        F: Fn(Visit) -> D + Send + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, heard) = mpsc::channel(256);
        let (acceptor, authority) = certificate.unzip();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let wire: Box<dyn Io> = match &acceptor {
                    None => Box::new(stream),
                    // A client that does not trust our certificate disconnects here.
                    Some(acceptor) => match acceptor.accept(stream).await {
                        Ok(stream) => Box::new(stream),
                        Err(_) => continue,
                    },
                };
                tokio::spawn(talk(Visit { wire, heard: sender.clone() }));
            }
        });
        Self { address, authority, heard }
    }

    /// An address below this server. Its path is a secret, which no error may tell.
    pub(super) fn url(&self) -> String {
        self.url_of(if self.authority.is_some() { "https" } else { "http" })
    }

    pub(super) fn url_of(&self, scheme: &str) -> String {
        format!("{scheme}://localhost:{}/push/1/secret?x=y", self.address.port())
    }

    /// Settings with which this server is called: its address is listed, its authority is trusted.
    pub(super) fn options(&self) -> OutboundOptions {
        let private = vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let authority = self.authority.as_ref().map(|pem| Authorities::read(pem.as_bytes()).unwrap());
        OutboundOptions { private, authorities: authority.unwrap_or_default(), ..OutboundOptions::default() }
    }

    /// The same, but no private address is listed.
    pub(super) fn unlisted(&self) -> OutboundOptions {
        OutboundOptions { private: Vec::new(), ..self.options() }
    }
}

fn certificate() -> (TlsAcceptor, String) {
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
    (TlsAcceptor::from(Arc::new(config)), issuer.pem())
}

fn is_whole(read: &[u8]) -> bool {
    let text = String::from_utf8_lossy(read).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    length.is_none_or(|length| body.len() >= length)
}

/// A whole response.
pub(super) fn response(status: &str, more: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

/// A DNS server of which every answer is known beforehand. Asked once more than that, it finds nothing.
#[derive(Debug, Clone)]
pub(super) struct Names(Arc<Mutex<VecDeque<Vec<SocketAddr>>>>);

impl Names {
    pub(super) fn answering<const N: usize>(answers: [Vec<SocketAddr>; N]) -> Self {
        Self(Arc::new(Mutex::new(answers.into())))
    }

    /// How many answers were not asked for.
    pub(super) fn left(&self) -> usize {
        self.0.lock().len()
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, _: &'a str, _: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        let answer = self.0.lock().pop_front();
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such name")) })
    }
}
