//! The address of the trace collector: `http://127.0.0.1:4318`, or a path below it.

use super::kind::{Form, Kind};

pub(crate) const fn collector() -> Kind<Option<Collector>> {
    Kind {
        form: Form::Collector,
        read: |_, text| if matches!(text, "" | "none") { Ok(None) } else { Collector::new(text).map(Some) },
    }
}

/// A collector that accepts OTLP over plain HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    /// With the brackets, and the port if it was given: the `Host` header.
    pub authority: String,
    /// Empty, or a path with a leading slash and no trailing one.
    pub base: String,
}

impl Collector {
    /// Parses an address. An unsupported one is refused with what to write instead.
    pub fn new(url: &str) -> Result<Self, String> {
        let wrong = || format!("`{url}` is not the address of a collector; write it like `http://127.0.0.1:4318`");
        if url.starts_with("https://") {
            return Err(format!(
                "`{url}` wants TLS, which is not spoken to a collector; run a collector beside askbridge, name it like `http://127.0.0.1:4318`, and let it pass spans on over https"
            ));
        }
        let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
        let (authority, base) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let printable = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#@\"<>\\".contains(&byte));
        if !printable(authority) || !printable(base) {
            return Err(wrong());
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or_else(wrong)?,
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let port = match port.strip_prefix(':') {
            Some(digits) => digits.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?,
            None if port.is_empty() => 80,
            None => return Err(wrong()),
        };
        if host.is_empty() || (authority.starts_with('[') && host.parse::<std::net::Ipv6Addr>().is_err()) {
            return Err(wrong());
        }
        let base = base.trim_end_matches('/').to_owned();
        Ok(Self { host: host.to_owned(), port, authority: authority.to_owned(), base })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_programs_of_opentelemetry_read_it() {
        for (url, host, port, authority, base) in [
            ("http://127.0.0.1:4318", "127.0.0.1", 4318, "127.0.0.1:4318", ""),
            ("http://collector/", "collector", 80, "collector", ""),
            ("http://[::1]:4318/otlp/", "::1", 4318, "[::1]:4318", "/otlp"),
        ] {
            let read = Collector::new(url).unwrap();
            assert_eq!((&*read.host, read.port, &*read.authority, &*read.base), (host, port, authority, base));
        }
    }

    #[test]
    fn what_cannot_be_spoken_to_is_refused_with_what_to_do() {
        let refused = Collector::new("https://traces.example.org").unwrap_err();
        assert!(refused.contains("run a collector beside askbridge"), "{refused}");
        for url in [
            "",
            "collector:4318",
            "http://",
            "http://:4318",
            "http://a:b",
            "http://a:0",
            "http://[::1",
            "http://[::1]x",
            "http://[x]:1",
            "http://me:secret@a:4318",
            "http://a:4318?key=1",
            "http://a b",
            "grpc://a:4317",
        ] {
            assert!(Collector::new(url).is_err_and(|why| why.contains("http://127.0.0.1:4318")), "{url}");
        }
    }
}
