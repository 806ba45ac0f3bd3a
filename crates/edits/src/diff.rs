//! Renders a change as a unified diff.

use similar::TextDiff;

/// Unchanged lines around each change.
const CONTEXT: usize = 3;

/// Returns the diff of two texts; a missing file counts as empty. Empty if nothing changes.
pub fn unified(file: &str, before: Option<&str>, after: Option<&str>) -> String {
    let name = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}{file}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (name("a", before), name("b", after));
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_taken_and_made_is_told_apart() {
        let diff = unified("/x", Some("{\n  \"a\": 1\n}\n"), Some("{\n  \"a\": 2\n}\n"));
        assert_eq!(diff, "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n {\n-  \"a\": 1\n+  \"a\": 2\n }\n");
        assert!(unified("/x", None, Some("{}\n")).starts_with("--- /dev/null\n+++ b/x\n"));
        assert_eq!(unified("/x", Some("{}"), Some("{}")), "");
    }
}
