//! Suggests the name that was probably meant.

use strsim::osa_distance;

/// Returns the most similar of these names, if one is similar at all.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase().replace('-', "_");
    let scored = names.map(|name| {
        // `timeout` means `terms.timeout`, and `mode` means `permission_mode`.
        let last = name.rsplit(['.', '_']).next().unwrap_or(name);
        (osa_distance(&typed, name).min(osa_distance(&typed, last)), name)
    });
    let (distance, name) = scored.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + typed.chars().count() / 4).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_what_was_meant_and_nonsense_finds_nothing() {
        let names = ["listen", "data", "terms.timeout", "allowed_hosts", "model", "permission_mode"];
        let of = |typed| nearest(typed, names.into_iter());
        assert_eq!(of("lisetn"), Some("listen"));
        assert_eq!(of("timeout"), Some("terms.timeout"));
        assert_eq!(of("allowed-host"), Some("allowed_hosts"));
        assert_eq!(of("mode"), Some("permission_mode"));
        assert_eq!(of("term.timeout"), Some("terms.timeout"));
        assert_eq!(of("colour_of_the_sky"), None);
    }
}
