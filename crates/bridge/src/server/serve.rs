//! Accepts connections, and stops gracefully: no new ones, finish requests in progress, close sockets with 1001.

use std::net::IpAddr;
use std::sync::Arc;

use askbridge_core::limits;
use askbridge_platform::local_socket::{self, PeerProcess};
use askbridge_platform::ourselves;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tracing::{debug, warn};

use super::app::{App, Seat};
use super::identify::{LocalPeer, Remote, address_of};
use super::listen::Listeners;
use super::tls::{self, Accepted, CertificateSource, Encrypted, PlainFor, Tls, redirecting, renew, strict};
use crate::auth::Pinned;

/// A server that accepts connections.
#[derive(Debug)]
pub struct Server {
    app: App,
    unix_path: Option<std::path::PathBuf>,
}

const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Serves on both sockets until [`Server::stop`].
pub fn serve(app: App, router: Router, listeners: Listeners, user: String) -> Server {
    let Listeners { tcp, unix, unix_path } = listeners;
    let own_uid = ourselves::user();
    let (router, user) = (Arc::new(router), Arc::<str>::from(user));
    app.tasks.spawn(accept(app.clone(), Arc::clone(&router), tcp, PlainFor::ThisMachine));
    if let Some(tls) = app.tls() {
        let (tls, stop) = (Arc::clone(tls), app.stop.clone());
        app.tasks.spawn(async move { tls.follow_files(stop).await });
    }
    let accepting = app.clone();
    app.tasks.spawn(async move {
        loop {
            let accepted = tokio::select! {
                () = accepting.stop.cancelled() => return,
                accepted = unix.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let Ok(PeerProcess { user: uid, pid }) = local_socket::peer(&stream) else { continue };
                    let (true, Some(pid)) = (uid == own_uid, pid) else {
                        warn!(uid, "Refused another user on the local socket");
                        continue;
                    };
                    // Held at once, so that the connection belongs to this process, even if its id is reused later.
                    let Some(process) = Pinned::hold(pid) else { continue };
                    let peer = LocalPeer::new(process, Arc::clone(&user));
                    connection(&accepting, &router, stream, Remote::Local(peer));
                }
                Err(error) => backoff(&error).await,
            }
        }
    });
    Server { app, unix_path }
}

/// Serves another router on a port of its own, until the server of this app stops.
pub fn serve_port(app: &App, router: Router, tcp: TcpListener) {
    app.tasks.spawn(accept(app.clone(), Arc::new(router), tcp, PlainFor::ThisMachine));
}

/// Serves a router on a port that other machines reach: encrypted, and not otherwise, wherever a connection comes from.
/// Nothing is served without a certificate.
pub fn serve_encrypted(app: &App, router: Router, tcp: TcpListener) {
    if app.tls().is_some() {
        app.tasks.spawn(accept(app.clone(), Arc::new(router), tcp, PlainFor::NoOne));
    }
}

/// Sends browsers that come to this port without encryption to https on `port`, and shows ACME servers their proofs.
pub fn serve_redirects(app: &App, tcp: TcpListener, port: u16) {
    let router = Arc::new(redirecting(app, Encrypted::OnPort(port)));
    let app = app.clone();
    app.clone().tasks.spawn(async move {
        loop {
            let accepted = tokio::select! {
                () = app.stop.cancelled() => return,
                accepted = tcp.accept() => accepted,
            };
            match accepted {
                Ok((stream, address)) => {
                    connection(&app, &router, stream, Remote::Address { ip: address.ip(), port: None });
                }
                Err(error) => backoff(&error).await,
            }
        }
    });
}

/// Renews the certificate of this app from `source`, until the server stops.
pub fn keep_renewed(app: &App, source: CertificateSource) {
    let Some(tls) = app.tls().cloned() else { return };
    let time_and_chance = (app.handle.clock.clone(), app.handle.chance.clone());
    app.tasks.spawn(renew(source, tls, time_and_chance, app.stop.clone()));
}

async fn accept(app: App, router: Arc<Router>, tcp: TcpListener, plain_for: PlainFor) {
    let encryption = app.tls().map(|tls| Encryption {
        tls: Arc::clone(tls),
        plain_for,
        encrypted: Arc::new(strict(&router)),
        plain: Arc::clone(&router),
        elsewhere: Arc::new(redirecting(&app, Encrypted::OnTheSamePort)),
    });
    loop {
        let accepted = tokio::select! {
            () = app.stop.cancelled() => return,
            accepted = tcp.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                // Responses are small and awaited: nothing is gained by delaying them.
                let _ = stream.set_nodelay(true);
                let remote = Remote::Address { ip: address.ip(), port: Some(address.port()) };
                match &encryption {
                    None => connection(&app, &router, stream, remote),
                    Some(encryption) => encryption.connection(&app, stream, remote),
                }
            }
            Err(error) => backoff(&error).await,
        }
    }
}

impl Server {
    /// Stops accepting, gives requests in progress some time to finish, then returns.
    pub async fn stop(self) {
        self.app.stop.cancel();
        self.app.tasks.close();
        if timeout(limits::SHUTDOWN_MAX, self.app.tasks.wait()).await.is_err() {
            warn!("Some connections did not close in time and were cut");
        }
        if let Some(path) = &self.unix_path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Usually out of file descriptors: waiting lets some of them be closed.
async fn backoff(error: &std::io::Error) {
    warn!(%error, "Could not accept a connection");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
}

/// Serves a connection that was accepted elsewhere.
pub fn serve_one<S>(app: &App, router: &Arc<Router>, stream: S, from: IpAddr)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    connection(app, router, stream, Remote::Address { ip: from, port: None });
}

fn connection<S>(app: &App, router: &Arc<Router>, mut stream: S, remote: Remote)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Some(seat) = app.seat() else {
        app.tasks.spawn(async move { stream.write_all(FULL).await });
        return;
    };
    app.tasks.spawn(served(app.stop.clone(), Arc::clone(router), stream, remote, seat));
}

/// A certificate, and the routers for the kinds of connections where it is used.
#[derive(Clone)]
struct Encryption {
    tls: Arc<Tls>,
    plain_for: PlainFor,
    encrypted: Arc<Router>,
    /// For this machine.
    plain: Arc<Router>,
    /// For plain requests from other machines.
    elsewhere: Arc<Router>,
}

impl Encryption {
    /// Serves a connection of which it is not known yet whether it is encrypted.
    fn connection(&self, app: &App, stream: TcpStream, remote: Remote) {
        // Beyond the limit the connection is closed: without a handshake there is no way to say why.
        let Some(seat) = app.seat() else { return };
        let (this, stop) = (self.clone(), app.stop.clone());
        app.tasks.spawn(async move {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = tls::accept(&this.tls, stream, address_of(Some(&remote)), this.plain_for) => accepted,
            };
            match accepted {
                Ok(Accepted::Encrypted(stream)) => served(stop, this.encrypted, *stream, remote, seat).await,
                Ok(Accepted::Proved) => debug!("An ACME server looked at its proof"),
                Ok(Accepted::Plain(stream)) => served(stop, this.plain, stream, remote, seat).await,
                Ok(Accepted::Redirected(stream)) => served(stop, this.elsewhere, stream, remote, seat).await,
                Err(error) => debug!(%error, "A connection ended before it was encrypted"),
            }
        });
    }
}

async fn served<S>(stop: CancellationToken, router: Arc<Router>, stream: S, remote: Remote, seat: Seat)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let seat = Arc::new(seat);
    let service = service_fn(|request: Request<hyper::body::Incoming>| {
        let (mut request, router) = (request.map(Body::new), (*router).clone());
        request.extensions_mut().insert(remote.clone());
        // A WebSocket outlives the request that upgraded it; it keeps its slot.
        request.extensions_mut().insert(Arc::clone(&seat));
        router.oneshot(request)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEADER_READ_MAX)
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        debug!(%error, "A connection ended early");
    }
}
