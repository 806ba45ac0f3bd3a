//! Refusals as responses: `application/problem+json`.

use askbridge_peers::json::Problem;
use askbridge_peers::wish::Rejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The code of a refusal: an extension of the response, for the metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refused(pub(crate) &'static str);

/// A problem as a response.
#[derive(Debug)]
pub struct Trouble(pub(crate) Box<Problem>);

impl Trouble {
    pub(crate) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self(Box::new(Problem::plain(status, code, detail)))
    }
}

impl From<Rejection> for Trouble {
    fn from(rejection: Rejection) -> Self {
        Self(Box::new(Problem::of(&rejection)))
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.0).expect("a problem has text keys");
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(secs) = self.0.retry_after_secs {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(secs));
        }
        if self.0.status == 408 {
            // The rest of the body would be read as the next request.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(Refused(self.0.code));
        let headers = response.headers_mut();
        if self.0.status == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
