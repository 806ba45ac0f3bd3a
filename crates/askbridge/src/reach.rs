//! The base of printed links, and a hint for when the other device cannot open them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use crate::client::dialable;

/// The base of a link to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) base: String,
    /// Why no other machine can open it, and what to type. `None`: others can.
    pub(crate) hint: Option<String>,
    /// Does the server listen for other machines at an address that we cannot determine?
    pub(crate) is_guessed: bool,
}

impl Reach {
    /// For a server that listens on `address`, and that people open at `public` if it is behind a proxy.
    pub(crate) fn of(address: SocketAddr, public: Option<&str>) -> Self {
        Self::seen(address, public, seen_from_outside)
    }

    fn seen(address: SocketAddr, public: Option<&str>, outside: impl Fn(IpAddr) -> Option<IpAddr>) -> Self {
        let port = address.port();
        let plain = |ip: IpAddr| format!("http://{}", SocketAddr::new(ip, port));
        if let Some(public) = public {
            return Self { base: public.to_owned(), hint: None, is_guessed: false };
        }
        if !address.ip().is_unspecified() {
            let hint = address.ip().is_loopback().then(|| {
                format!(
                    "only this machine can open it; `askbridge expose` lets a phone in over https, and `askbridge --listen \
                     0.0.0.0:{port}` your own network, unencrypted"
                )
            });
            return Self { base: plain(address.ip()), hint, is_guessed: false };
        }
        match outside(address.ip()) {
            Some(ip) => Self { base: plain(ip), hint: None, is_guessed: false },
            None => Self {
                base: plain(dialable(address).ip()),
                hint: Some(format!(
                    "only this machine can open it like this: it has no default route, so there is no telling which of its \
                     addresses others reach. Put that address in front, as in `http://ADDRESS:{port}/`, or serve with \
                     `askbridge --public-url http://ADDRESS:{port}`"
                )),
                is_guessed: true,
            },
        }
    }
}

/// Replaces the unspecified address, which a browser cannot open, by the one that the network sees. Sends nothing.
pub(crate) fn seen_from_outside(everywhere: IpAddr) -> Option<IpAddr> {
    let routed = |any: &str, far: &str| {
        let socket = UdpSocket::bind(any).ok()?;
        socket.connect(far).ok()?;
        Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_unspecified() && !ip.is_loopback())
    };
    let v4 = || routed(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)).to_string(), "192.0.2.1:9");
    match everywhere {
        IpAddr::V4(_) => v4(),
        // A socket on `[::]` accepts IPv4 connections as well.
        IpAddr::V6(_) => routed("[::]:0", "[2001:db8::1]:9").or_else(v4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(address: &str, public: Option<&str>, seen: Option<&str>) -> Reach {
        Reach::seen(address.parse().unwrap(), public, |_| seen.map(|ip| ip.parse().unwrap()))
    }

    #[test]
    fn a_public_address_is_what_people_open_wherever_the_server_listens() {
        for address in ["127.0.0.1:4801", "0.0.0.0:4801", "[::]:4801"] {
            let base = "https://ask.example.org:8443".to_owned();
            let wanted = Reach { base, hint: None, is_guessed: false };
            assert_eq!(reach(address, Some("https://ask.example.org:8443"), None), wanted);
        }
    }

    #[test]
    fn everywhere_is_named_by_the_address_that_others_see() {
        assert_eq!(reach("0.0.0.0:4801", None, Some("192.0.2.7")).base, "http://192.0.2.7:4801");
        assert_eq!(reach("[::]:4801", None, Some("2001:db8::7")).base, "http://[2001:db8::7]:4801");
        assert_eq!(reach("192.0.2.7:4801", None, None).hint, None);
    }

    #[test]
    fn what_others_cannot_open_says_so_and_names_the_port_that_is_served() {
        let here = reach("127.0.0.1:4801", None, Some("192.0.2.7"));
        assert_eq!(here.base, "http://127.0.0.1:4801");
        assert!(here.hint.is_some_and(|hint| hint.contains("`askbridge --listen 0.0.0.0:4801`")));
        let lost = reach("0.0.0.0:4801", None, None);
        assert_eq!((lost.base.as_str(), lost.is_guessed), ("http://127.0.0.1:4801", true));
        assert!(lost.hint.is_some_and(|hint| hint.contains("http://ADDRESS:4801/") && !hint.contains("--listen")));
    }
}
