//! One request on a connection, and the response as it arrives. HTTP/1.1, one request for each connection.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use askbridge_core::limits;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::address::Address;
use super::call::Call;
use super::connect::Wire;
use super::failed::Failed;

pub(super) const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("askbridge/", env!("CARGO_PKG_VERSION")));

/// Headers that say where a request goes and where it ends. The connection sets them: a second one could make the
/// server see another request than we sent.
const SET_BY_US: [HeaderName; 7] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
];

/// Adds a call's own headers to those of a request.
pub(super) fn add_headers(to: &mut HeaderMap, own: Vec<(HeaderName, HeaderValue)>) -> Result<(), Failed> {
    let is_ours = |name: &HeaderName| SET_BY_US.contains(name) || name.as_str().starts_with("sec-websocket-");
    for (name, value) in own {
        if is_ours(&name) {
            return Err(Failed::Header { name: name.to_string() });
        }
        to.append(name, value);
    }
    if !to.contains_key(header::USER_AGENT) {
        to.insert(header::USER_AGENT, USER_AGENT);
    }
    Ok(())
}

pub(super) fn request(address: &Address, call: Call) -> Result<Request<Full<Bytes>>, Failed> {
    let request = Request::builder().method(call.method).uri(&address.target).header(header::HOST, &address.authority);
    let mut request = request.body(Full::new(call.body)).map_err(|_| Failed::NotAnAddress)?;
    add_headers(request.headers_mut(), call.headers)?;
    Ok(request)
}

type Connection = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

/// A response whose head has arrived.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    body: Incoming,
    /// Moves the bytes. Polled with the body and not in a task, so it ends when this value is dropped. `None`: it has
    /// ended.
    connection: Option<Connection>,
    /// The connection would end without it.
    _sender: SendRequest<Full<Bytes>>,
}

/// Why a body could not be read to its end.
pub(super) enum Cut {
    TooLarge,
    Broken(String),
}

impl Response {
    /// Sends a request and waits for the head of the response.
    pub(super) async fn begin(wire: Wire, request: Request<Full<Bytes>>) -> Result<Self, String> {
        let handshake =
            Builder::new().max_buf_size(limits::OUTBOUND_HEAD_BYTES_MAX).handshake(TokioIo::new(wire)).await;
        let (mut sender, connection) = handshake.map_err(|error| error.to_string())?;
        let mut connection: Option<Connection> = Some(Box::pin(connection));
        let response = drive(&mut connection, sender.send_request(request)).await?;
        let (head, body) = response.map_err(|error| error.to_string())?.into_parts();
        Ok(Self { status: head.status.as_u16(), headers: head.headers, body, connection, _sender: sender })
    }

    /// Returns the next bytes of the body. `None`: it has ended. Can be cancelled without losing bytes.
    pub(super) async fn bytes(&mut self) -> Option<Result<Bytes, String>> {
        loop {
            let frame = match drive(&mut self.connection, self.body.frame()).await {
                Ok(frame) => frame?,
                Err(why) => return Some(Err(why)),
            };
            match frame.map(|frame| frame.into_data()) {
                Ok(Ok(bytes)) => return Some(Ok(bytes)),
                // Trailers, which are not read.
                Ok(Err(_)) => {}
                Err(error) => return Some(Err(error.to_string())),
            }
        }
    }

    /// Reads the whole body.
    pub(super) async fn whole(&mut self) -> Result<Bytes, Cut> {
        let mut whole = BytesMut::new();
        while let Some(bytes) = self.bytes().await {
            let bytes = bytes.map_err(Cut::Broken)?;
            if whole.len() + bytes.len() > limits::OUTBOUND_ANSWER_BYTES_MAX {
                return Err(Cut::TooLarge);
            }
            whole.extend_from_slice(&bytes);
        }
        Ok(whole.freeze())
    }
}

/// Waits for `step` while the connection moves bytes.
async fn drive<T>(connection: &mut Option<Connection>, step: impl Future<Output = T>) -> Result<T, String> {
    let mut step = pin!(step);
    poll_fn(|context| {
        if let Poll::Ready(done) = step.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        let Some(moving) = connection else { return Poll::Pending };
        let Poll::Ready(ended) = moving.as_mut().poll(context) else { return Poll::Pending };
        *connection = None;
        // The connection may have passed something on before it ended.
        match (step.as_mut().poll(context), ended) {
            (Poll::Ready(done), _) => Poll::Ready(Ok(done)),
            (Poll::Pending, Err(error)) => Poll::Ready(Err(error.to_string())),
            (Poll::Pending, Ok(())) => Poll::Pending,
        }
    })
    .await
}

/// Posts JSON in the clear, to the trace collector that the operator named, wherever that is. The caller sets the
/// timeout. Returns the status and the body; no body if it is longer than the limit or was cut.
pub(crate) async fn post_plain(address: &Address, body: Bytes) -> Result<(u16, Option<Bytes>), String> {
    let stream = TcpStream::connect((&*address.host, address.port)).await.map_err(|error| error.to_string())?;
    let request = request(address, Call::post("", body)).map_err(|error| error.to_string())?;
    let mut response = Response::begin(Box::new(stream), request).await?;
    Ok((response.status, response.whole().await.ok()))
}
