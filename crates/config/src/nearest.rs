//! The name that was probably meant.

/// Returns the most similar of these names, if one is similar at all.
pub(super) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase().replace('-', "_");
    let scored = names.map(|name| {
        // Whoever forgets the section means the key all the same.
        let last = name.rsplit('.').next().unwrap_or(name);
        (distance(&typed, name).min(distance(&typed, last)), name)
    });
    let (distance, name) = scored.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + typed.chars().count() / 4).then_some(name)
}

/// How many letters have to be put in, taken out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<_>, Vec<_>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_what_was_meant_and_nonsense_finds_nothing() {
        let names = ["listen", "data", "terms.timeout", "allowed_hosts"];
        let of = |typed| nearest(typed, names.into_iter());
        assert_eq!(of("lisetn"), Some("listen"));
        assert_eq!(of("timeout"), Some("terms.timeout"));
        assert_eq!(of("allowed-host"), Some("allowed_hosts"));
        assert_eq!(of("term.timeout"), Some("terms.timeout"));
        assert_eq!(of("colour_of_the_sky"), None);
    }
}
