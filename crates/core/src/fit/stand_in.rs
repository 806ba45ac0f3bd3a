//! Questions that stand in for bodies which a screen does not know.

/// Lets the tool run, once.
pub const ALLOW: &str = "Allow";
/// Does not let the tool run. Words of the person's own deny as well; nothing but [`ALLOW`] allows.
pub const DENY: &str = "Deny";
/// Approves the plan as it is.
pub const APPROVE: &str = "Approve";
/// Sends the plan back. Words of the person's own do as well.
pub const SEND_BACK: &str = "Send back";
/// Accepts a form without fields, such as a page that was visited.
pub const ACCEPT: &str = "Accept";
/// Declines a form without fields. Words of the person's own do as well.
pub const DECLINE: &str = "Decline";
/// Sets a flag in a form.
pub const YES: &str = "Yes";
/// Clears a flag in a form.
pub const NO: &str = "No";
