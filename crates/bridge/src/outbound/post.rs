//! One request to an outside server, and its response.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::limits;
use axum::http::header;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::Address;
use super::reach::{is_listed, is_public};
use super::trust::Authorities;

/// The client for outgoing calls. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outbound(Arc<Inner>);

/// Settings for outgoing calls.
#[derive(Debug, Clone)]
pub struct OutboundOptions {
    /// Private addresses that may be called all the same.
    pub private: Vec<IpNet>,
    pub authorities: Authorities,
    /// How long one call may take, from resolving the name to the last byte. Beyond: it failed.
    pub patience: Duration,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self { private: Vec::new(), authorities: Authorities::default(), patience: limits::OUTBOUND_WAIT_MAX }
    }
}

struct Inner {
    options: OutboundOptions,
    /// Made for the first call.
    connector: OnceCell<TlsConnector>,
    at_once: Semaphore,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("options", &self.options).finish_non_exhaustive()
    }
}

/// The response. A redirect is a response like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub status: u16,
    pub body: Bytes,
}

#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("only addresses that begin with https:// are called")]
    NotAnAddress,
    #[error("could not find `{host}`")]
    NoSuchHost {
        host: String,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "`{host}` is on a private network, which is called only if it is listed in `outbound.private` (it leads to {address})"
    )]
    Private { host: String, address: std::net::IpAddr },
    #[error("could not connect to `{host}`: {why}")]
    Connect { host: String, why: String },
    #[error("`{host}` did not answer: {why}")]
    NoAnswer { host: String, why: String },
    #[error("`{host}` did not answer within {} seconds", .after.as_secs_f64())]
    TooSlow { host: String, after: Duration },
    #[error("{0}")]
    NoTrust(String),
}

impl Outbound {
    pub fn new(options: OutboundOptions) -> Self {
        let at_once = Semaphore::new(limits::OUTBOUND_AT_ONCE);
        Self(Arc::new(Inner { options, connector: OnceCell::new(), at_once }))
    }

    /// Posts JSON.
    pub async fn post(&self, url: &str, body: impl Into<Bytes>) -> Result<Answered, Failed> {
        let address = Address::read(url).ok_or(Failed::NotAnAddress)?;
        let _turn = self.0.at_once.acquire().await;
        let after = self.0.options.patience;
        match timeout(after, self.exchange(&address, body.into())).await {
            Ok(answered) => answered,
            Err(_) => Err(Failed::TooSlow { host: address.host, after }),
        }
    }

    async fn exchange(&self, address: &Address, body: Bytes) -> Result<Answered, Failed> {
        let host = || address.host.clone();
        let reached = self.resolve(address).await?;
        let connector = self.0.connector.get_or_try_init(|| async {
            let authorities = self.0.options.authorities.clone();
            // Blocking: reading the machine's own authorities reads files, and takes some time.
            let made = tokio::task::spawn_blocking(move || authorities.connector()).await;
            made.map_err(|error| error.to_string()).and_then(|made| made)
        });
        let connector = connector.await.map_err(Failed::NoTrust)?;
        let connect = |why: String| Failed::Connect { host: host(), why };
        let name = ServerName::try_from(host()).map_err(|error| connect(error.to_string()))?;
        let stream = TcpStream::connect(&*reached).await.map_err(|error| connect(error.to_string()))?;
        let stream = connector.connect(name, stream).await.map_err(|error| connect(error.to_string()))?;
        let no_answer = |why: String| Failed::NoAnswer { host: host(), why };
        let (status, body) = send(address, stream, body).await.map_err(no_answer)?;
        let too_long = || no_answer(format!("it said more than {} bytes", limits::OUTBOUND_ANSWER_BYTES_MAX));
        Ok(Answered { status, body: body.ok_or_else(too_long)? })
    }

    /// Resolves a name, once. The connection goes to the returned addresses.
    async fn resolve(&self, address: &Address) -> Result<Vec<SocketAddr>, Failed> {
        let host = || address.host.clone();
        let found = lookup_host((address.host.as_str(), address.port)).await;
        let found: Vec<_> = found.map_err(|source| Failed::NoSuchHost { host: host(), source })?.collect();
        let listed = |ip| is_listed(&self.0.options.private, ip);
        match found.iter().find(|found| !is_public(found.ip()) && !listed(found.ip())) {
            // One private address disqualifies the name: its DNS server cannot be trusted with the others.
            Some(private) => Err(Failed::Private { host: host(), address: private.ip() }),
            None => Ok(found),
        }
    }
}

/// Posts JSON in the clear, to an address that the operator named. The caller sets the timeout.
pub(crate) async fn post_plain(address: &Address, body: Bytes) -> Result<(u16, Option<Bytes>), String> {
    let stream = TcpStream::connect((&*address.host, address.port)).await.map_err(|error| error.to_string())?;
    send(address, stream, body).await
}

/// Returns the status and the body; no body if it is longer than the limit.
async fn send<S>(address: &Address, stream: S, body: Bytes) -> Result<(u16, Option<Bytes>), String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    let request = Request::post(&address.target)
        .header(header::HOST, &address.authority)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, concat!("askbridge/", env!("CARGO_PKG_VERSION")))
        .body(Full::new(body))
        .map_err(|error| error.to_string())?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), limits::OUTBOUND_ANSWER_BYTES_MAX).collect().await;
        Ok((status, body.ok().map(|body| body.to_bytes())))
    };
    // The connection is polled here and not in a task, so it ends with the exchange, however that ends.
    let mut exchange = std::pin::pin!(exchange);
    tokio::select! {
        biased;
        answered = exchange.as_mut() => answered,
        ended = connection => match ended {
            Ok(()) => exchange.await,
            Err(error) => Err(error.to_string()),
        },
    }
}
