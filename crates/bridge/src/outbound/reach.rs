//! Which addresses may be called: public ones, and private ones that the operator listed or named.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// What is known of a call before its name is resolved.
pub(super) struct Reach<'a> {
    /// The ranges in `outbound.private`.
    pub(super) listed: &'a [IpNet],
    pub(super) named_by_operator: bool,
    pub(super) encrypted: bool,
}

/// Why a name is not called, with the address that is the reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Barred {
    Private(IpAddr),
    InTheClear(IpAddr),
}

impl Reach<'_> {
    /// May a name with these addresses be called?
    pub(super) fn check(&self, found: &[IpAddr]) -> Result<(), Barred> {
        // One private address disqualifies the name: its DNS server cannot be trusted with the others.
        let is_barred = |ip: IpAddr| !self.named_by_operator && !is_public(ip) && !is_listed(self.listed, ip);
        if let Some(private) = found.iter().find(|ip| is_barred(**ip)) {
            return Err(Barred::Private(*private));
        }
        // Nor may one be public if nothing is encrypted: we do not choose which of them is connected to.
        match found.iter().find(|ip| !self.encrypted && !is_local(**ip)) {
            Some(outside) => Err(Barred::InTheClear(*outside)),
            None => Ok(()),
        }
    }
}

/// Is this address listed?
fn is_listed(listed: &[IpNet], ip: IpAddr) -> bool {
    listed.iter().any(|range| range.contains(&plain(ip)))
}

/// Is this a public address?
fn is_public(ip: IpAddr) -> bool {
    match plain(ip) {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

/// Does this address stay on this machine or in a private network? Stricter than "not public": addresses that a
/// translator or a tunnel carries to the internet (64:ff9b::/96, 2002::/16, 198.18.0.0/15 of some proxies) do not.
fn is_local(ip: IpAddr) -> bool {
    match plain(ip) {
        IpAddr::V4(ip) => ip.is_private() || ip.is_loopback() || ip.is_link_local() || is_shared(ip),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

/// 100.64.0.0/10: networks of carriers, and of Tailscale.
fn is_shared(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    a == 100 && (64..128).contains(&b)
}

/// Turns an IPv4-mapped IPv6 address into the IPv4 address.
fn plain(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(ip, IpAddr::V4),
        IpAddr::V4(_) => ip,
    }
}

/// RFC 6890 and its registry: a block reserved for a special purpose is not public.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_protocol = (a, b, c) == (192, 0, 0);
    let is_benchmark = a == 198 && (18..20).contains(&b);
    let is_set_aside = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation();
    !(a == 0 || a >= 224 || is_set_aside || is_shared(ip) || is_protocol || is_benchmark)
}

/// Only global unicast (2000::/3), without the blocks that lead to IPv4 or are for documentation.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [first, second, ..] = ip.segments();
    let is_given_out = first & 0xe000 == 0x2000;
    let is_tunnel = first == 0x2002 || (first == 0x2001 && second == 0);
    let is_documentation = (first == 0x2001 && second == 0xdb8) || first == 0x3fff;
    is_given_out && !is_tunnel && !is_documentation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_aside_is_not_the_open_internet() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "192.0.0.8",
            "198.18.0.1",
            "203.0.113.5",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    /// What [`Reach::check`] says: `ok`, or which address bars the call.
    fn check(encrypted: bool, named_by_operator: bool, listed: &str, found: &[&str]) -> String {
        let listed: Vec<IpNet> = listed.split_whitespace().map(|range| range.parse().unwrap()).collect();
        let found: Vec<IpAddr> = found.iter().map(|ip| ip.parse().unwrap()).collect();
        match (Reach { listed: &listed, named_by_operator, encrypted }).check(&found) {
            Ok(()) => "ok".to_owned(),
            Err(Barred::Private(ip)) => format!("private {ip}"),
            Err(Barred::InTheClear(ip)) => format!("clear {ip}"),
        }
    }

    #[test]
    fn a_private_address_is_called_if_it_is_listed_or_named() {
        for (named, listed, found, expected) in [
            (false, "", &["1.1.1.1"][..], "ok"),
            (false, "", &["10.0.0.7"], "private 10.0.0.7"),
            (false, "10.0.0.0/8", &["10.0.0.7"], "ok"),
            (true, "", &["10.0.0.7"], "ok"),
            (false, "", &["1.1.1.1", "10.0.0.7"], "private 10.0.0.7"),
            (false, "", &["10.0.0.7", "1.1.1.1"], "private 10.0.0.7"),
            (false, "10.0.0.0/8", &["10.0.0.7", "127.0.0.1"], "private 127.0.0.1"),
            // A server at home often has a private IPv4 address and a public IPv6 address.
            (true, "", &["192.168.1.5", "2606:4700::1111"], "ok"),
            (false, "192.168.0.0/16", &["192.168.1.5", "2606:4700::1111"], "ok"),
        ] {
            assert_eq!(check(true, named, listed, found), expected, "{named} {listed} {found:?}");
        }
    }

    #[test]
    fn nothing_leaves_for_the_open_internet_in_the_clear() {
        for (named, listed, found, expected) in [
            (false, "", &["1.1.1.1"][..], "clear 1.1.1.1"),
            (true, "0.0.0.0/0 ::/0", &["1.1.1.1"], "clear 1.1.1.1"),
            (false, "", &["10.0.0.7"], "private 10.0.0.7"),
            (false, "10.0.0.0/8", &["10.0.0.7"], "ok"),
            (true, "", &["10.0.0.7", "::1", "fd00::7", "fe80::1", "169.254.1.1", "100.100.1.1"], "ok"),
            (true, "", &["10.0.0.7", "1.1.1.1"], "clear 1.1.1.1"),
            (true, "", &["1.1.1.1", "10.0.0.7"], "clear 1.1.1.1"),
            (true, "", &["::ffff:1.1.1.1"], "clear ::ffff:1.1.1.1"),
            (true, "", &["64:ff9b::101:101"], "clear 64:ff9b::101:101"),
            (true, "", &["2002:101:101::"], "clear 2002:101:101::"),
            (true, "", &["198.18.0.1"], "clear 198.18.0.1"),
        ] {
            assert_eq!(check(false, named, listed, found), expected, "{named} {listed} {found:?}");
        }
    }

    #[test]
    fn a_range_holds_what_begins_like_it() {
        for (range, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("127.0.0.1/32", "127.0.0.1", "127.0.0.2"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("0.0.0.0/0", "9.9.9.9", "::1"),
            ("127.0.0.1/32", "::ffff:127.0.0.1", "::1"),
        ] {
            let listed = [range.parse().unwrap()];
            let [inside, outside] = [inside, outside].map(|ip| is_listed(&listed, ip.parse().unwrap()));
            assert!(inside && !outside, "{range}");
        }
    }
}
