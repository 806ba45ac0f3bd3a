//! Which addresses may be called: public ones, and private ones that are listed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Is this address listed?
pub(super) fn is_listed(listed: &[IpNet], ip: IpAddr) -> bool {
    listed.iter().any(|range| range.contains(&plain(ip)))
}

/// Is this a public address?
pub(super) fn is_public(ip: IpAddr) -> bool {
    match plain(ip) {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
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
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_protocol = (a, b, c) == (192, 0, 0);
    let is_benchmark = a == 198 && (18..20).contains(&b);
    let is_set_aside = ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_documentation();
    !(a == 0 || a >= 224 || is_set_aside || is_shared || is_protocol || is_benchmark)
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
