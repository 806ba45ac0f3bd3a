//! The address of a call: a URL, parsed.

use axum::http::Uri;

/// An address. Its path may be a secret, so it is never shown.
pub(crate) struct Address {
    /// https or wss, not http or ws.
    pub(crate) encrypted: bool,
    /// Without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of the `Host` header.
    pub(crate) authority: String,
    /// The path and the query.
    pub(crate) target: String,
}

/// The schemes of one kind of call.
pub(super) struct Schemes {
    pub(super) encrypted: &'static str,
    pub(super) clear: &'static str,
}

pub(super) const HTTP: Schemes = Schemes { encrypted: "https", clear: "http" };
pub(super) const WEBSOCKET: Schemes = Schemes { encrypted: "wss", clear: "ws" };

impl Address {
    /// Parses an address. `None`: it is not one that we call.
    pub(super) fn read(url: &str, schemes: &Schemes) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let authority = uri.authority()?.as_str();
        let encrypted = match uri.scheme_str()? {
            scheme if scheme == schemes.encrypted => true,
            scheme if scheme == schemes.clear => false,
            _ => return None,
        };
        if authority.contains('@') {
            return None;
        }
        let host = uri.host().filter(|host| !host.is_empty())?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        // `https://a?x` has no path, and a request without one is none.
        let target = format!("{}{target}", if target.starts_with('/') { "" } else { "/" });
        let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });
        Some(Self { encrypted, host: host.to_owned(), port, authority: authority.to_owned(), target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        for (url, schemes, encrypted, host, port, authority, target) in [
            ("https://relay.example/push/1/s?x=y", HTTP, true, "relay.example", 443, "relay.example", "/push/1/s?x=y"),
            ("https://[::1]:8443", HTTP, true, "::1", 8443, "[::1]:8443", "/"),
            ("https://a?x=y", HTTP, true, "a", 443, "a", "/?x=y"),
            ("https://127.0.0.1:9/", HTTP, true, "127.0.0.1", 9, "127.0.0.1:9", "/"),
            ("http://ntfy.lan/topic/json", HTTP, false, "ntfy.lan", 80, "ntfy.lan", "/topic/json"),
            (
                "wss://wss-primary.slack.com/link/?ticket=1",
                WEBSOCKET,
                true,
                "wss-primary.slack.com",
                443,
                "wss-primary.slack.com",
                "/link/?ticket=1",
            ),
            ("ws://10.0.0.7:8123/api", WEBSOCKET, false, "10.0.0.7", 8123, "10.0.0.7:8123", "/api"),
        ] {
            let read = Address::read(url, &schemes).unwrap();
            let parts = (read.encrypted, &*read.host, read.port, &*read.authority, &*read.target);
            assert_eq!(parts, (encrypted, host, port, authority, target));
        }
    }

    #[test]
    fn what_has_another_scheme_a_user_or_no_host_is_not_called() {
        for url in ["https://", "https:///x", "https://me:secret@a/", "a", "", "file:///etc/passwd", "wss://a/", "/x"] {
            assert!(Address::read(url, &HTTP).is_none(), "{url}");
        }
        for url in ["https://a/", "http://a/", "wss://me@a/", "wss://"] {
            assert!(Address::read(url, &WEBSOCKET).is_none(), "{url}");
        }
    }
}
