//! From when until when a certificate is valid: the two dates in it.
//!
//! webpki checks them, and does not show them. Only the way to them is read here (RFC 5280, 4.1), in a certificate that
//! webpki has parsed.

use askbridge_core::ids::Timestamp;

/// The dates of a certificate, with what is left of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    pub from: Timestamp,
    pub until: Timestamp,
}

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

impl Validity {
    /// Reads the dates of a certificate in DER form. `None`: this is no certificate.
    pub(super) fn of(certificate: &[u8]) -> Option<Self> {
        let mut certificate = Der(Der(certificate).take(SEQUENCE)?);
        let mut signed = Der(certificate.take(SEQUENCE)?);
        // Version 1 is not written.
        if signed.0.first() == Some(&VERSION) {
            signed.any()?;
        }
        let (_serial, _algorithm, _issuer) = (signed.any()?, signed.any()?, signed.any()?);
        let mut dates = Der(signed.take(SEQUENCE)?);
        Some(Self { from: dates.date()?, until: dates.date()? })
    }

    /// Milliseconds from one date to the other.
    pub fn lifetime_ms(self) -> i64 {
        self.until.0.saturating_sub(self.from.0).max(0)
    }

    /// When a certificate is renewed: once a third of its time is left.
    pub fn renewed_at(self) -> Timestamp {
        Timestamp(self.until.0.saturating_sub(self.lifetime_ms() / 3))
    }
}

/// What is left of a text in DER form.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// Takes the next value. Returns its tag and its content.
    fn any(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            short @ 0..0x80 => (usize::from(short), rest),
            // The number of bytes in which the length is written. Nobody needs more than four.
            long => {
                let (bytes, rest) = rest.split_at_checked(usize::from(long & 0x7f)).filter(|(it, _)| it.len() <= 4)?;
                (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
            }
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    fn take(&mut self, wanted: u8) -> Option<&'a [u8]> {
        self.any().filter(|(tag, _)| *tag == wanted).map(|(_, content)| content)
    }

    fn date(&mut self) -> Option<Timestamp> {
        let (tag, text) = self.any()?;
        let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
        let (year, rest) = match tag {
            UTC_TIME => {
                let (year, rest) = text.split_at_checked(2)?;
                let year: i32 = year.parse().ok()?;
                // RFC 5280, 4.1.2.5.1.
                (year + if year < 50 { 2000 } else { 1900 }, rest)
            }
            GENERALIZED_TIME => {
                let (year, rest) = text.split_at_checked(4)?;
                (year.parse().ok()?, rest)
            }
            _ => return None,
        };
        let part = |at: usize| rest.get(at..at + 2)?.parse::<u8>().ok();
        let date = time::Date::from_calendar_date(year, part(0)?.try_into().ok()?, part(2)?).ok()?;
        let at = date.with_hms(part(4)?, part(6)?, part(8)?).ok().filter(|_| rest.len() == 10)?;
        Some(Timestamp(at.assume_utc().unix_timestamp().checked_mul(1000)?))
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn made(from: (i32, u8, u8), until: (i32, u8, u8)) -> Vec<u8> {
        let mut params = CertificateParams::new(vec!["one.example".to_owned()]).unwrap();
        params.not_before = date_time_ymd(from.0, from.1, from.2);
        params.not_after = date_time_ymd(until.0, until.1, until.2);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn the_dates_of_a_certificate_are_found_in_either_form() {
        let read = |from, until| Validity::of(&made(from, until)).unwrap();
        let near = read((2026, 11, 19), (2027, 2, 17));
        assert_eq!((near.from, near.until), (Timestamp(1_795_046_400_000), Timestamp(1_802_822_400_000)));
        assert_eq!(near.renewed_at(), Timestamp(1_800_230_400_000), "30 days before its end");
        let far = read((1975, 1, 1), (4096, 1, 1));
        assert_eq!((far.from, far.until), (Timestamp(157_766_400_000), Timestamp(67_090_118_400_000)));
    }

    #[test]
    fn what_is_cut_short_or_no_certificate_has_no_dates() {
        let whole = made((2026, 11, 19), (2027, 2, 17));
        for length in 0..whole.len() {
            // The dates come early: a certificate without its end is not one, wherever it is cut.
            assert_eq!(Validity::of(&whole[..length]), None, "{length}");
        }
        for other in [&b"\x30\x84\xff\xff\xff\xff"[..], b"\x30\x80", b"\x30\x88aaaaaaaa", b"not a certificate"] {
            assert_eq!(Validity::of(other), None, "{other:?}");
        }
    }
}
