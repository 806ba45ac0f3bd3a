//! The requests of `instant-acme`, over `outbound`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use askbridge_core::limits;
use axum::http::{Request, Response, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use parking_lot::Mutex;

use super::error::AcmeError;
use crate::outbound::{Call, Failed, Outbound};

const BAD_NONCE: &str = "urn:ietf:params:acme:error:badNonce";

/// Carries requests to one ACME server.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    outbound: Outbound,
    /// The host and port that the operator named. Other hosts, which the server names, are not the operator's.
    named: Option<String>,
    /// What the last refusal asked us to wait.
    wait: Arc<Mutex<Option<Duration>>>,
}

/// A refusal of `outbound`, kept whole until it is told apart from others.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Unreachable(Failed);

impl Caller {
    pub(super) fn new(outbound: &Outbound, directory: &str) -> Self {
        Self { outbound: outbound.clone(), named: authority(directory), wait: Arc::default() }
    }

    pub(super) fn call(&self, call: Call) -> Call {
        let named_by_operator = self.named.is_some() && authority(&call.url) == self.named;
        Call { named_by_operator, patience: Some(limits::ACME_CALL_MAX), ..call }
    }

    pub(super) async fn get(&self, url: &str) -> Result<(u16, Bytes), AcmeError> {
        let answered = self.outbound.call(self.call(Call::get(url))).await.map_err(AcmeError::Unreachable)?;
        Ok((answered.status, answered.body))
    }

    /// Says why something failed, in the server's words where it has any.
    pub(super) fn error(&self, error: Error) -> AcmeError {
        match error {
            Error::Api(problem) if problem.r#type.as_deref() == Some(BAD_NONCE) => AcmeError::Nonces,
            Error::Api(problem) => {
                let mut why = problem.detail.clone().or_else(|| problem.r#type.clone()).unwrap_or_default();
                for part in &problem.subproblems {
                    why = format!("{why}; {part}");
                }
                AcmeError::Refused { why, again_after: *self.wait.lock() }
            }
            Error::Other(other) => match other.downcast::<Unreachable>() {
                Ok(unreachable) => AcmeError::Unreachable(unreachable.0),
                Err(other) => AcmeError::Refused { why: other.to_string(), again_after: None },
            },
            other => AcmeError::Refused { why: other.to_string(), again_after: None },
        }
    }
}

fn authority(url: &str) -> Option<String> {
    url.parse::<Uri>().ok()?.authority().map(|authority| authority.as_str().to_ascii_lowercase())
}

impl HttpClient for Caller {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let this = self.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let headers = head.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            let call = Call { headers, body: body.to_bytes(), ..Call::new(head.method, head.uri.to_string()) };
            let answered = this.outbound.call(this.call(call)).await;
            let answered = answered.map_err(|failed| Error::Other(Box::new(Unreachable(failed))))?;
            *this.wait.lock() = answered.retry_after().filter(|_| answered.status >= 400);
            let mut response = Response::new(Full::new(answered.body));
            *response.status_mut() = answered.status.try_into().map_err(|_| Error::Str("a status"))?;
            *response.headers_mut() = answered.headers;
            Ok(BytesResponse::from(response))
        })
    }
}
