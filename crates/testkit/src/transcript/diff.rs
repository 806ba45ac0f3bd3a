//! A line-by-line diff of two texts.

/// Unchanged lines shown around a difference.
const AROUND: usize = 3;

/// Writes the differences: `-` is in the file, `+` is what happened.
pub(super) fn diff(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let marked = align(&old, &new);
    let changed: Vec<_> = (0..marked.len()).filter(|&i| marked[i].0 != ' ').collect();
    let mut text = String::new();
    let mut last_shown = None;
    for (i, (mark, line)) in marked.iter().enumerate() {
        if !changed.iter().any(|&c| c.abs_diff(i) <= AROUND) {
            continue;
        }
        if last_shown.is_some_and(|last| last + 1 != i) {
            text.push_str("  …\n");
        }
        last_shown = Some(i);
        text.push_str(&format!("{mark} {line}\n"));
    }
    text
}

/// Finds the longest common subsequence. Transcripts are short.
fn align<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(char, &'t str)> {
    let mut best = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            best[i][j] = if line == other { best[i + 1][j + 1] + 1 } else { best[i + 1][j].max(best[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut marked) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            marked.push((' ', old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && best[i + 1][j] >= best[i][j + 1]) {
            marked.push(('-', old[i]));
            i += 1;
        } else {
            marked.push(('+', new[j]));
            j += 1;
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_a_little_around_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(diff(old, &old.replace("b\n", "x\n")), "  a\n- b\n+ x\n  c\n  d\n  e\n");
        assert_eq!(diff(old, old), "");
        assert_eq!(diff("a\n", "a\nb\n"), "  a\n+ b\n");
    }
}
