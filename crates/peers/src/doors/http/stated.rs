//! A digest of the terms that a request states, to detect an idempotency key that is reused with other terms.

use std::fmt::Write;

use askbridge_core::terms::{OnExpiry, Wait, Wishes};

/// Returns a digest of a request's wishes. It is stored with the ask and compared by later releases, so it never
/// changes: a new kind of wish appends to the text below, and where it is left out the digest stays the same.
pub fn stated(wishes: &Wishes) -> u32 {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_down(wishes, &mut text);
    digest(text.as_bytes())
}

fn write_down(wishes: &Wishes, out: &mut String) -> std::fmt::Result {
    match &wishes.wait {
        None => {}
        Some(Wait::Forever) => out.write_str("wait for ever;")?,
        Some(Wait::For(span)) => write!(out, "wait {};", span.as_millis())?,
    }
    match &wishes.on_expiry {
        None => {}
        Some(OnExpiry::Tell) => out.write_str("tell;")?,
        Some(OnExpiry::TellAndStop) => out.write_str("stop;")?,
        Some(OnExpiry::Assume(picks)) => {
            for pick in picks {
                out.write_str("assume")?;
                pick.chosen.iter().try_for_each(|option| write!(out, " {option}"))?;
                for words in [&pick.text, &pick.note].into_iter().flatten() {
                    write!(out, " {}:{words}", words.len())?;
                }
                out.write_str(";")?;
            }
        }
    }
    if let Some(undo) = wishes.undo {
        write!(out, "undo {};", undo.as_millis())?;
    }
    if let Some(quorum) = wishes.quorum {
        write!(out, "quorum {quorum};")?;
    }
    Ok(())
}

/// FNV-1a. It need not be strong: a caller that knows the key may ask anyway.
fn digest(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |digest, byte| (digest ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doors::http::{Asking, ask};

    fn of(terms: &str) -> u32 {
        let body = format!(r#"{{"questions":[{{"question":"Go?","options":["Yes","No"]}}]{terms}}}"#);
        stated(&ask(&body, &Asking { key: Some("k") }).unwrap().wishes)
    }

    #[test]
    fn every_term_that_can_be_stated_makes_a_difference() {
        let all = [
            "",
            r#","timeout_seconds":60"#,
            r#","timeout_seconds":61"#,
            r#","undo_seconds":60"#,
            r#","quorum":1"#,
            r#","quorum":2"#,
            r#","on_expiry":"tell""#,
            r#","on_expiry":"stop""#,
            r#","on_expiry":{"assume":{"Go?":"Yes"}}"#,
            r#","on_expiry":{"assume":{"Go?":"No"}}"#,
        ];
        for (one, first) in all.iter().enumerate() {
            for (two, second) in all.iter().enumerate() {
                assert_eq!(of(first) == of(second), one == two, "{first} {second}");
            }
        }
        assert_eq!(of(r#","timeout_seconds":60"#), of(r#","timeout_seconds":60.0,"agent":"other""#));
    }

    #[test]
    fn what_is_stored_never_changes() {
        assert_eq!(of(""), 0x811c_9dc5);
        assert_eq!(of(r#","timeout_seconds":60,"on_expiry":"stop","quorum":2"#), digest(b"wait 60000;stop;quorum 2;"));
        assert_eq!(digest(b"foobar"), 0xbf9c_f968);
    }
}
