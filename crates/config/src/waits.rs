//! How long programs are kept waiting through the MCP door: `30s` for all, `codex=4m` for one.

use askbridge_bridge::server::mcp::Patience;
use askbridge_core::limits;
use askbridge_core::verdict::spoken;

use super::kind::items;
use super::spans;

/// Longest that a call may be held: a day, which is what the most patient program takes.
const MAX: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// Reads a list.
pub fn patience(text: &str) -> Result<Patience, String> {
    let mut patience = Patience::default();
    for item in items(text) {
        let (name, span) =
            item.rsplit_once('=').map_or((None, item.as_str()), |(name, span)| (Some(name.trim()), span));
        let wait = spans::parse(span)?;
        if wait.is_zero() || wait > MAX.min(limits::WAIT_MAX) {
            return Err(format!("`{span}` is too short or too long; a call is held for up to {}", spoken(MAX)));
        }
        match name {
            Some("") => return Err(format!("`{item}` names no program")),
            Some(name) => patience.named.push((name.to_lowercase(), wait)),
            None => patience.others = Some(wait),
        }
    }
    Ok(patience)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_span_is_for_all_and_a_name_for_one() {
        let named = vec![("codex".to_owned(), Duration::from_secs(240))];
        let expected = Patience { named, others: Some(Duration::from_secs(30)) };
        assert_eq!(patience("Codex=4m, 30s"), Ok(expected));
        assert_eq!(patience(""), Ok(Patience::default()));
        for wrong in ["codex", "codex=", "=4m", "codex=2d", "0s"] {
            assert!(patience(wrong).is_err(), "{wrong}");
        }
    }
}
