//! Unexpected behaviour of the plugin, and what we do about it. Seen with 0.6.0, February 2026.

use std::time::Duration;

/// How long the plugin waits for an answer, unless an `agentConfig` from us says otherwise.
pub(super) const WAIT: Duration = Duration::from_secs(120);

/// The plugin gives up silently. We give up this much earlier, so that what we say then is still heard.
pub(super) const MARGIN: Duration = Duration::from_secs(2);

/// The longest time for its timer (`setTimeout`, 31 bits of milliseconds). Longer ones would fire at once.
pub(super) const WAIT_MAX: Duration = Duration::from_millis(i32::MAX as u64);

/// The agent for people who have not named one. Every message writes its `agentConfig` into OpenClaw's settings for
/// that agent: the model, its tools, an empty bootstrap file. So it is one of our own, which the plugin makes, and not
/// OpenClaw's `main`.
pub(super) const AGENT: &str = "askbridge";

/// How long the first message of a connection waits for `models.sync`, if the account never sent one: without a model,
/// the plugin writes `undefined`. It runs a command for the list, for ten seconds at most.
pub(super) const MODELS_WAIT: Duration = Duration::from_secs(12);

/// The plugin's name as an OpenClaw channel.
pub(super) const CHANNEL: &str = "whimmy";

/// Its type for `agentConfig` requires these two, and we have no setting for them.
pub(super) const TEMPERATURE: f64 = 1.0;
pub(super) const TOKENS_MAX: u32 = 8192;

/// A connection that is replaced by a newer one of the same account gets this, and reports no error.
pub(super) const REPLACED: (u16, &str) = (1000, "replaced");

/// It has no frame for a dismissed question, and takes `{}` for an answer. So the words take the place of an answer,
/// for every question.
pub(super) const SKIPPED: &str = "(skipped: the person did not answer this one; do not assume an answer)";

/// `reason` is ignored by 0.6.0, and there is no way to pass on an input that a person changed.
pub(super) const EDITED: &str =
    "Denied: the person allowed it with a changed input, which cannot be passed on. Try again with this input";

/// A message has no id, and the plugin runs each copy of it. So a copy that may be the second one says so to the agent,
/// which has the first in the same conversation.
pub(super) const SENT_BEFORE: &str = "(The connection was lost while this message was sent, so this may be its second copy. \
     If you have received it before, do not act on it again.)";

/// Reads a session's key from an event, without the prefix of tool events. The plugin returns keys in lower case.
pub(super) fn key(text: &str) -> String {
    let text = text.to_lowercase();
    match text.strip_prefix("agent:") {
        Some(rest) => rest.splitn(3, ':').nth(2).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// Models come as `openclaw models list` prints them: names, or objects with a name.
pub(super) fn model(value: &serde_json::Value) -> Option<&str> {
    ["key", "id", "name"].iter().find_map(|field| value[field].as_str()).or_else(|| value.as_str())
}

/// In a messenger, a message of a single emoji is a reaction, and the plugin has a frame for it. That frame is only
/// logged, so the message goes to the agent as well.
pub(super) fn reaction(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_picture = |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    // Skin tones, joiners and variation selectors.
    let is_mark = |c: char| matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{20e3}' | '\u{1f3fb}'..='\u{1f3ff}');
    let is_one = text.chars().any(is_picture) && text.chars().all(|c| is_picture(c) || is_mark(c));
    (is_one && text.chars().count() <= REACTION_CHARS_MAX).then_some(text)
}

/// A family of four with all its joiners has eleven.
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
