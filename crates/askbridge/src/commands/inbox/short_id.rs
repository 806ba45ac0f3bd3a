//! Ids short enough to type: the shortest prefixes that distinguish the asks of a list.

use std::collections::HashMap;

/// The minimum, so that an id stays unique when a few more asks come in.
const CHARS_MIN: usize = 4;

/// Splits `ask_SESSION_NUMBER`.
fn parts(id: &str) -> (&str, &str) {
    let rest = id.strip_prefix("ask_").unwrap_or(id);
    rest.split_once('_').unwrap_or((rest, ""))
}

/// Returns a short id for each of these, in their order. The number is included only where a session has several.
pub(crate) fn short_ids<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let ids: Vec<_> = ids.map(parts).collect();
    let mut asks_of = HashMap::new();
    for (session, _) in &ids {
        *asks_of.entry(*session).or_insert(0) += 1;
    }
    let mut sessions: Vec<_> = asks_of.keys().copied().collect();
    sessions.sort_unstable();
    let shared = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let short = ids.iter().map(|(session, number)| {
        // In a sorted list, the longest common prefixes are with neighbours.
        let place = sessions.binary_search(session).unwrap_or_default();
        let before = place.checked_sub(1).map_or(0, |before| shared(sessions[before], session));
        let after = sessions.get(place + 1).map_or(0, |after| shared(after, session));
        let length = (before.max(after) + 1).clamp(CHARS_MIN, session.len().max(CHARS_MIN));
        let start = session.get(..length).unwrap_or(session);
        if asks_of[session] > 1 { format!("{start}_{number}") } else { start.to_owned() }
    });
    short.collect()
}

/// Does `typed` identify this ask? The prefix and the number may be left out.
pub(crate) fn matches(typed: &str, id: &str) -> bool {
    let typed = typed.strip_prefix("ask_").unwrap_or(typed).to_ascii_lowercase();
    let (session, number) = parts(id);
    match typed.split_once('_') {
        Some((start, wanted)) => !start.is_empty() && session.starts_with(start) && number == wanted,
        None => !typed.is_empty() && session.starts_with(&typed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_as_short_as_they_can_be() {
        let ids = ["ask_0abcd1_1", "ask_0abcx2_1", "ask_7zzzz3_1"];
        assert_eq!(short_ids(ids.into_iter()), ["0abcd", "0abcx", "7zzz"]);
    }

    #[test]
    fn the_number_is_shown_only_where_it_is_needed() {
        let ids = ["ask_0abcd1_1", "ask_0abcd1_2", "ask_7zzzz3_4"];
        assert_eq!(short_ids(ids.into_iter()), ["0abc_1", "0abc_2", "7zzz"]);
    }

    #[test]
    fn a_short_id_means_its_ask_and_no_other() {
        let ids = ["ask_0abcd1_1", "ask_0abcd1_12", "ask_0abcx2_1", "ask_7zzzz3_1"];
        for (short, id) in short_ids(ids.into_iter()).iter().zip(ids) {
            let meant: Vec<_> = ids.into_iter().filter(|id| matches(short, id)).collect();
            assert_eq!(meant, [id], "{short}");
        }
        assert!(matches("ask_7ZZZ", ids[3]));
        assert!(!matches("", ids[3]));
        assert!(!matches("_1", ids[3]));
    }
}
