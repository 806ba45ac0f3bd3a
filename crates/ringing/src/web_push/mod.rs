//! Web Push: notifications to a browser that has the web app installed or open, over the browser maker's push service.
//!
//! - `keys.rs`: our key pair, by which a push service knows us (VAPID, RFC 8292); `vapid.rs`: the header that proves it
//! - `seal.rs`: encryption for one browser (RFC 8291 and 8188); the push service cannot read the content
//! - `payload.rs`: the JSON inside, which Safari shows without our service worker and other browsers pass to it
//! - `send.rs`: the request, and what the response means
//!
//! All of it uses `ring` alone. `ring` makes ephemeral keys and signatures only with a random generator of its own type,
//! so functions here take one, where other modules take random bytes.

mod keys;
mod payload;
mod seal;
mod send;
mod vapid;

pub use keys::Keys;
pub use payload::PAYLOAD_BYTES_MAX;
pub use send::{Push, send, sent};
pub use vapid::subject;
