//! Suggests the name that was probably meant.

use strsim::osa_distance;

/// Returns the most similar of these names, if one is similar at all.
pub(crate) fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase().replace('-', "_");
    let scored = names.into_iter().map(|name| (osa_distance(&typed, name), name));
    let (distance, name) = scored.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + typed.chars().count() / 4).then_some(name)
}
