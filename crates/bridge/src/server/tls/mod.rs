//! HTTPS without a proxy: a certificate and its key from two files, read again when they change.
//!
//! `certificate.rs` reads and checks the files, `files.rs` keeps the certificate in force and follows the files,
//! `accept.rs` finds out what a new connection is, `responses.rs` has what differs in the responses: browsers are told to
//! come back encrypted, and plain HTTP from elsewhere is redirected.

mod accept;
mod certificate;
mod files;
mod responses;

pub(super) use accept::{Accepted, accept};
pub use certificate::CertificateError;
pub use files::{Tls, TlsFiles};
pub(super) use responses::{redirecting, strict};
