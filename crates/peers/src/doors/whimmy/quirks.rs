//! What the plugin does that one would not expect, each with what we make of it. Seen with 0.6.0, February 2026.

use std::time::Duration;

/// How long the plugin waits for an answer unless an `agentConfig` that it got from us said otherwise.
pub(super) const WAIT: Duration = Duration::from_secs(120);

/// It says nothing when it gives up. We give up this much earlier, so that what we say then is still heard.
pub(super) const MARGIN: Duration = Duration::from_secs(2);

/// The longest that its timer can wait (`setTimeout`, 31 bits of milliseconds). Longer ones would fire at once.
pub(super) const WAIT_MAX: Duration = Duration::from_millis(i32::MAX as u64);

/// Whom people talk to who have not named an agent. Every message writes its `agentConfig` into OpenClaw's settings for that
/// agent: the model, its tools, an empty bootstrap file. So it is one of our own, which the plugin makes, and not OpenClaw's `main`.
pub(super) const AGENT: &str = "askbridge";

/// How long after a connection begins the first message waits for `models.sync`, if the account never sent one: without a
/// model, the plugin writes `undefined`. It runs a command for the list, for ten seconds at most.
pub(super) const MODELS_WAIT: Duration = Duration::from_secs(12);

/// The plugin's own name as a channel of OpenClaw's.
pub(super) const CHANNEL: &str = "whimmy";

/// Its type for `agentConfig` wants these two; there is nobody here who would set them.
pub(super) const TEMPERATURE: f64 = 1.0;
pub(super) const TOKENS_MAX: u32 = 8192;

/// Whoever is replaced by a newer connection of the same account reads this, and reports no error.
pub(super) const REPLACED: (u16, &str) = (1000, "replaced");

/// It wants to know nothing about a question that was closed, and takes `{}` for an answer. So the words go where an answer
/// would, under the text of every question.
pub(super) const SKIPPED: &str = "(skipped: the person did not answer this one; do not assume an answer)";

/// `reason` is ignored by 0.6.0, and there is no way to pass on an input that a person changed.
pub(super) const EDITED: &str =
    "Denied: the person allowed it with a changed input, which cannot be passed on. Try again with this input";

/// Takes a session's key from an event: without the prefix that tool events have and others have not. It comes back in
/// lower case, whatever was sent.
pub(super) fn key(text: &str) -> String {
    let text = text.to_lowercase();
    match text.strip_prefix("agent:") {
        Some(rest) => rest.splitn(3, ':').nth(2).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// Models come as `openclaw models list` prints them: names, or objects that have one.
pub(super) fn model(value: &serde_json::Value) -> Option<&str> {
    ["key", "id", "name"].iter().find_map(|field| value[field].as_str()).or_else(|| value.as_str())
}

/// In a messenger, a message that is nothing but an emoji is a reaction, and the plugin has a frame for it. That frame is
/// only logged, so the message goes to the agent as well.
pub(super) fn reaction(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_picture = |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    // Skin, joints and variants.
    let is_mark = |c: char| matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{20e3}' | '\u{1f3fb}'..='\u{1f3ff}');
    let is_one = text.chars().any(is_picture) && text.chars().all(|c| is_picture(c) || is_mark(c));
    (is_one && text.chars().count() <= REACTION_CHARS_MAX).then_some(text)
}

/// A family of four with all its joints has eleven.
const REACTION_CHARS_MAX: usize = 11;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_an_emoji_is_a_reaction() {
        for emoji in ["👍", " ❤️ ", "👨‍👩‍👧‍👦", "👍🏽"] {
            assert_eq!(reaction(emoji), Some(emoji.trim()));
        }
        for words in ["", "ok", "👍 thanks", "1", ":)", "—"] {
            assert_eq!(reaction(words), None, "{words}");
        }
    }

    #[test]
    fn keys_are_the_same_whichever_event_they_come_in() {
        assert_eq!(key("agent:Main:direct:ABC"), "abc");
        assert_eq!(key("agent:main:direct:a:b"), "a:b");
        assert_eq!(key("Abc"), "abc");
        assert_eq!(key("agent:main"), "");
    }
}
