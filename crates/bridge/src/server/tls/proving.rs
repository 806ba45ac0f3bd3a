//! Shows proofs to an ACME server before there is a certificate, on a port that is opened for this alone.

use std::net::SocketAddr;
use std::sync::Arc;

use askbridge_core::limits;
use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::acme::ChallengeKind;
use super::challenges::{Challenges, WELL_KNOWN};
use super::files::config;

/// Opens the port, and shows proofs there until the returned task is aborted.
pub async fn prove(
    kind: ChallengeKind,
    address: SocketAddr,
    challenges: Challenges,
) -> std::io::Result<tokio::task::JoinHandle<()>> {
    let listener = TcpListener::bind(address).await?;
    Ok(match kind {
        ChallengeKind::TlsAlpn01 => tokio::spawn(in_handshakes(listener, challenges)),
        ChallengeKind::Http01 => tokio::spawn(over_http(listener, challenges)),
    })
}

/// Handshakes of ACME servers, and no others.
#[derive(Debug)]
struct OnlyProofs(Challenges);

impl ResolvesServerCert for OnlyProofs {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.in_handshake(hello.server_name()?)
    }
}

async fn in_handshakes(listener: TcpListener, challenges: Challenges) {
    let acceptor = TlsAcceptor::from(Arc::new(config(Arc::new(OnlyProofs(challenges)))));
    while let Ok((stream, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        // A server that waits keeps only its own connection.
        tokio::spawn(async move { drop(timeout(limits::HEADER_READ_MAX, acceptor.accept(stream)).await) });
    }
}

async fn over_http(listener: TcpListener, challenges: Challenges) {
    let proof = |Path(token): Path<String>| async move {
        let found: Response = match challenges.file(&token) {
            Some(proof) => proof.into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        };
        found
    };
    let router = Router::new().route(WELL_KNOWN, get(proof));
    // Ends with the task: what is in hand then is of no use to anyone.
    let _ = axum::serve(listener, router).await;
}
