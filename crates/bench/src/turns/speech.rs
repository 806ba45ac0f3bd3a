//! How a screen says and hears the parts of a turn, in each dialect and in the tiny protocol of the floors and peers.
//!
//! Frames are searched for the few bytes that matter instead of parsed, so that the clients cost little.

use anyhow::Result;

use super::script::CHOSEN;
use crate::tongues::{QUESTION, after};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    Native,
    Prime,
    Gobby,
    /// Of the floors and the peers.
    Tiny,
}

/// What a frame means to a person who waits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A question, by the id that its answer names.
    Card(String),
    /// The answer that the agent got, as its last sentence says.
    Chosen(String),
    Ended,
    Refused(String),
    Other,
}

/// One session as the frames name it, and how many messages it has had.
#[derive(Debug, Clone)]
pub(super) struct Name {
    /// `ses_…` natively, a UUID elsewhere, and nothing where a socket is a session.
    pub(super) id: String,
    pub(super) said: usize,
}

impl Speech {
    /// Returns the frame that says `text`.
    pub(super) fn say(self, name: &Name, text: &str) -> String {
        let Name { id, said } = name;
        match self {
            Self::Native => format!(r#"{{"type":"say","tag":{said},"session":"{id}","text":"{text}"}}"#),
            Self::Prime => format!(r#"{{"type":"user_message","data":{{"message":"{text}"}}}}"#),
            Self::Gobby => format!(
                r#"{{"type":"chat_message","content":"{text}","message_id":"user-{said}","conversation_id":"{id}","request_id":"{}"}}"#,
                request(name)
            ),
            Self::Tiny => format!(r#"{{"type":"say","text":"{text}"}}"#),
        }
    }

    /// Returns the frame that answers the question on a card.
    pub(super) fn answer(self, name: &Name, card: &str, label: &str) -> String {
        let Name { id, said } = name;
        let answers = format!(r#"{{"{QUESTION}":"{label}"}}"#);
        match self {
            Self::Native => format!(r#"{{"type":"answer","tag":{said},"ask":"{card}","answers":{answers}}}"#),
            Self::Prime => {
                format!(r#"{{"type":"ask_user_response","data":{{"question_id":"{card}","answers":{answers}}}}}"#)
            }
            Self::Gobby => format!(
                r#"{{"type":"ask_user_response","conversation_id":"{id}","tool_call_id":"{card}","answers":{answers}}}"#
            ),
            Self::Tiny => format!(r#"{{"type":"answer","id":"{card}","answers":{answers}}}"#),
        }
    }

    /// Reads a frame of this session.
    pub(super) fn see(self, name: &Name, frame: &str) -> Result<Seen> {
        let has = |part: &str| frame.contains(part);
        Ok(match self {
            Self::Native if has(r#""event":{"type":"asked""#) => Seen::Card(after(frame, r#""ask":{"id":""#)?),
            Self::Native if has(r#""event":{"type":"turn_ended""#) => Seen::Ended,
            Self::Native if has(r#""ok":false"#) => Seen::Refused(frame.to_owned()),
            Self::Prime if has(r#""type":"ask_user_question""#) => Seen::Card(after(frame, r#""question_id":""#)?),
            Self::Prime if has(r#""type":"complete""#) => Seen::Ended,
            Self::Prime | Self::Gobby if has(r#""type":"error""#) || has(r#""type":"chat_error""#) => {
                Seen::Refused(frame.to_owned())
            }
            // A page accepts only frames with the id of its own message; others may repeat them without.
            Self::Gobby if !has(&format!(r#""request_id":"{}""#, request(name))) => Seen::Other,
            Self::Gobby if has(r#""status":"calling""#) => Seen::Card(after(frame, r#""tool_call_id":""#)?),
            Self::Gobby if has(r#""done":true"#) => Seen::Ended,
            Self::Tiny if has(r#"{"type":"asked""#) => Seen::Card(after(frame, r#""id":""#)?),
            Self::Tiny if has(r#"{"type":"ended""#) => Seen::Ended,
            _ if has(CHOSEN) => Seen::Chosen(after(frame, CHOSEN)?),
            _ => Seen::Other,
        })
    }

    /// The field that names a frame's session, where one socket carries them all.
    pub(super) fn session_field(self) -> &'static str {
        match self {
            Self::Gobby => r#""conversation_id":""#,
            _ => r#""session":""#,
        }
    }
}

/// The id under which a page of gobby sent its last message.
fn request(Name { id, said }: &Name) -> String {
    format!("{id}-{said}")
}
