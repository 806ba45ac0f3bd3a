//! Limits on rule files, conditions, templates and state, each with what happens beyond it.

/// Bytes of one file. A larger one is refused.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// Files of one load. The ones after that are refused.
pub const FILES_MAX: usize = 2_000;
/// Nesting of a YAML file. A deeper one is refused.
pub const YAML_DEPTH_MAX: usize = 64;
/// Nodes of a YAML file, each alias counted with everything that it stands for. A file with more is refused.
pub const YAML_NODES_MAX: usize = 50_000;

/// Bytes of a condition, white space folded; the longest that gobby 0.4.6 ships has 2,272. A longer one is an error of its rule.
pub const CONDITION_BYTES_MAX: usize = 8_192;
/// Characters of a condition that can open another level of its tree. With more of them, it is an error of its rule.
pub const CONDITION_JOINTS_MAX: usize = 2_000;
/// Levels of a condition's tree. A deeper one is an error of its rule.
pub const CONDITION_DEPTH_MAX: usize = 64;
/// Steps of one evaluation; a look at an element of a list is one. Beyond them the condition fails.
pub const STEPS_MAX: u32 = 100_000;
/// Bytes of a text, or elements of a list, that an evaluation may make. Beyond them it fails.
pub const SIZE_MAX: usize = 1 << 20;
/// Levels of a value that is compared, printed or converted. Beyond them the evaluation fails.
pub const VALUE_DEPTH_MAX: usize = 100;

/// Bytes of a pattern. A longer one is an error of its rule.
pub const PATTERN_BYTES_MAX: usize = 4_096;
/// Steps back that a pattern with look-around may take for one text: enough for the longest command that Linux takes, at
/// forty for each character. Beyond them the answer is "undecided".
pub const PATTERN_BACKTRACKS_MAX: usize = 5_000_000;
/// Bytes that one compiled pattern may take. A larger one is an error of its rule.
pub const PATTERN_COMPILED_MAX: usize = 1 << 20;

/// Bytes of a template. A longer one is shown as it is written.
pub const TEMPLATE_BYTES_MAX: usize = 64 << 10;
/// Instructions of one template. Beyond them its text is shown as it is written.
pub const TEMPLATE_FUEL: u64 = 50_000;
/// Bytes that one template may write. Beyond them its text is shown as it is written.
pub const RENDERED_BYTES_MAX: usize = 256 << 10;

/// Variables of one session. A further one is not stored.
pub const VARIABLES_MAX: usize = 1_000;
/// Bytes of one variable as JSON. A larger value is not stored; the old one stays.
pub const VARIABLE_BYTES_MAX: usize = 64 << 10;
/// Steps that a workflow may take at one event, as in gobby 0.2.18.
pub const TRANSITIONS_MAX: usize = 10;
/// Lines of a trace. Later ones are dropped.
pub const TRACE_MAX: usize = 500;
