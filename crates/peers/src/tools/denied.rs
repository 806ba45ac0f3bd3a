//! The name of the ask about a denied call.

/// Returns the call that such an ask names, and its key: a denial is one ask, however often it is reported. Not the
/// call's own id, because a call that comes again under that is not about this ask.
pub fn asked_about(call: &str) -> String {
    format!("denied/{call}")
}
