//! The address of a call: an https URL, parsed.

use axum::http::Uri;

/// An address. Its path may be a secret, so it is never shown.
pub(crate) struct Address {
    /// Without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of the `Host` header.
    pub(crate) authority: String,
    /// The path and the query.
    pub(crate) target: String,
}

impl Address {
    /// Parses an address. `None`: it is not one that we call.
    pub(super) fn read(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let authority = uri.authority()?.as_str();
        if uri.scheme_str() != Some("https") || authority.contains('@') {
            return None;
        }
        let host = uri.host().filter(|host| !host.is_empty())?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let target = uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let port = uri.port_u16().unwrap_or(443);
        Some(Self { host: host.to_owned(), port, authority: authority.to_owned(), target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        for (url, host, port, authority, target) in [
            ("https://relay.example/push/1/s?x=y", "relay.example", 443, "relay.example", "/push/1/s?x=y"),
            ("https://[::1]:8443", "::1", 8443, "[::1]:8443", "/"),
            ("https://127.0.0.1:9/", "127.0.0.1", 9, "127.0.0.1:9", "/"),
        ] {
            let read = Address::read(url).unwrap();
            assert_eq!((&*read.host, read.port, &*read.authority, &*read.target), (host, port, authority, target));
        }
    }

    #[test]
    fn what_is_not_https_is_not_called() {
        for url in ["http://a", "https://", "https:///x", "https://me:secret@a/", "a", "", "file:///etc/passwd"] {
            assert!(Address::read(url).is_none(), "{url}");
        }
    }
}
