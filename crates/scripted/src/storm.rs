//! How long a storm lasts: short in `cargo xtask test`, full under `cargo xtask soak`.

/// Set to `full` by `cargo xtask soak`.
const VARIABLE: &str = "ASKBRIDGE_STORM";

/// Returns the number of repetitions for a storm, and prints it: the soak's page quotes these lines.
pub fn count(what: &str, short: usize, full: usize) -> usize {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads how long storms last")]
    let is_full = std::env::var_os(VARIABLE).is_some_and(|value| value == "full");
    let count = if is_full { full } else { short };
    println!("storm: {count} {what}");
    count
}
