//! HTTPS without a proxy: a certificate and its key from two files, read again when they change.
//!
//! `certificate.rs` reads and checks the files (`validity.rs`: its dates), `files.rs` keeps the certificate in force and
//! follows the files, `accept.rs` finds out what a new connection is, `responses.rs` has what differs in the responses:
//! browsers are told to come back encrypted, and plain HTTP from elsewhere is redirected.
//!
//! Where the files come from is not this server's matter, unless it is told to renew them (`renewal.rs`): from an ACME
//! server (`acme/`, `challenges.rs`), from an authority of our own (`authority.rs`, which devices get as `offer.rs`
//! says), or from Tailscale. `proving.rs` serves the proofs before there is a certificate.

mod accept;
mod acme;
mod authority;
mod certificate;
mod challenges;
mod files;
mod keep;
mod offer;
mod proving;
mod renewal;
mod responses;
mod validity;

pub(super) use accept::{Accepted, PlainFor, accept};
pub use acme::{Acme, AcmeError, ChallengeKind, LETS_ENCRYPT, LETS_ENCRYPT_STAGING};
pub use authority::{Authority, AuthorityError};
pub use certificate::CertificateError;
pub use challenges::Challenges;
pub use files::{Tls, TlsFiles};
pub use offer::{Offer, PROFILE_PATH, ROOT_PATH};
pub use proving::prove;
pub(super) use renewal::renew;
pub use renewal::{CertificateSource, RenewalError, RenewalState, Tailscale};
pub(super) use responses::{Encrypted, redirecting, strict};
pub use validity::Validity;
