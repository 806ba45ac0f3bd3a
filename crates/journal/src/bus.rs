//! The bus: lossy messages between nodes, such as deltas, drafts and seats. What must not be lost goes through the
//! journal.

use std::fmt;
use std::str::FromStr;

use askbridge_core::ids::SessionId;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use sha2::{Digest as _, Sha256};
use tokio::sync::broadcast;

/// The kind of a message: everything that the bridge publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// Streaming text of a session.
    Delta,
    /// A half-written answer.
    Draft,
    /// Which cards a page shows, for the node that rings.
    Eyes,
    /// Sessions were forgotten.
    Gone,
    /// Which session a screen shows, for the other connections of its token.
    Look,
    /// A person's snoozes and devices, for their other devices.
    Own,
    /// A connection took the only seat of a session.
    Seat,
    /// A message between the connections of one dialect in a session.
    Whisper,
}

/// Which part of a topic a message belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum About {
    Session(SessionId),
    Name(NameDigest),
}

/// A person or a party, by a digest of the name. Names may contain anything, subjects may not; and a server's log shows
/// subjects, but must not show names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameDigest(u128);

/// The address of a message. Its text form, such as `delta.ses_…`, is valid on every backend: two words at most, both
/// made of lowercase letters, digits and underscores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    pub topic: Topic,
    pub about: Option<About>,
}

/// Which messages a subscriber receives: those of one topic, or only those of one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Topic(Topic),
    Subject(Subject),
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub subject: Subject,
    pub body: Bytes,
}

/// Publish and subscribe, without storage or guarantees. Publishing never waits.
pub trait Bus: fmt::Debug + Send + Sync + 'static {
    /// Sends a message to all subscribers of all nodes, this one included.
    fn publish(&self, subject: Subject, body: Bytes);

    /// Receives what is published from now on and passes the filter. A slow subscriber misses messages.
    fn subscribe(&self, filter: Filter) -> BoxStream<'static, Message>;
}

/// The text is not a subject that this release knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a subject of the bus")]
pub struct NotASubject;

/// Marks the digest of a name in the text form of a subject.
const NAME_PREFIX: &str = "name_";

impl Topic {
    pub const ALL: [Self; 8] =
        [Self::Delta, Self::Draft, Self::Eyes, Self::Gone, Self::Look, Self::Own, Self::Seat, Self::Whisper];

    /// The first word of its subjects.
    pub fn word(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::Draft => "draft",
            Self::Eyes => "eyes",
            Self::Gone => "gone",
            Self::Look => "look",
            Self::Own => "own",
            Self::Seat => "seat",
            Self::Whisper => "whisper",
        }
    }

    /// The subject for messages about a session.
    pub fn of_session(self, session: SessionId) -> Subject {
        Subject { topic: self, about: Some(About::Session(session)) }
    }

    /// The subject for messages about a person or a party.
    pub fn of_name(self, name: &str) -> Subject {
        Subject { topic: self, about: Some(About::Name(NameDigest::of(name))) }
    }

    /// The subject for messages that are about more than one session or person.
    pub fn of_all(self) -> Subject {
        Subject { topic: self, about: None }
    }
}

impl NameDigest {
    pub fn of(name: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(name).into();
        let (first, _) = digest.split_first_chunk().expect("a SHA-256 digest has more than 16 bytes");
        Self(u128::from_be_bytes(*first))
    }
}

impl Filter {
    fn passes(self, subject: Subject) -> bool {
        match self {
            Self::Topic(topic) => subject.topic == topic,
            Self::Subject(only) => subject == only,
        }
    }
}

impl From<Topic> for Filter {
    fn from(topic: Topic) -> Self {
        Self::Topic(topic)
    }
}

impl From<Subject> for Filter {
    fn from(subject: Subject) -> Self {
        Self::Subject(subject)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.topic.word())?;
        match self.about {
            None => Ok(()),
            Some(About::Session(session)) => write!(f, ".{session}"),
            Some(About::Name(NameDigest(digest))) => write!(f, ".{NAME_PREFIX}{digest:032x}"),
        }
    }
}

impl FromStr for Subject {
    type Err = NotASubject;

    fn from_str(text: &str) -> Result<Self, NotASubject> {
        let (first, about) = match text.split_once('.') {
            None => (text, None),
            Some((first, word)) => (first, Some(About::read(word).ok_or(NotASubject)?)),
        };
        let topic = Topic::ALL.into_iter().find(|topic| topic.word() == first).ok_or(NotASubject)?;
        Ok(Self { topic, about })
    }
}

impl About {
    fn read(word: &str) -> Option<Self> {
        match word.strip_prefix(NAME_PREFIX) {
            None => word.parse().ok().map(Self::Session),
            Some(digest) if digest.len() == 32 => u128::from_str_radix(digest, 16).ok().map(NameDigest).map(Self::Name),
            Some(_) => None,
        }
    }
}

/// Messages that are queued for one subscriber. Beyond: it misses the oldest.
const WAITING_MAX: usize = 1024;

/// The bus of a single node.
#[derive(Debug, Clone)]
pub struct LocalBus(broadcast::Sender<Message>);

impl Default for LocalBus {
    fn default() -> Self {
        Self(broadcast::Sender::new(WAITING_MAX))
    }
}

impl Bus for LocalBus {
    fn publish(&self, subject: Subject, body: Bytes) {
        // An error means that there is no subscriber, which is not a failure here.
        let _ = self.0.send(Message { subject, body });
    }

    fn subscribe(&self, filter: Filter) -> BoxStream<'static, Message> {
        listen(self.0.subscribe(), filter)
    }
}

/// Turns a receiver into a stream that skips what was missed and what the filter rejects.
pub(crate) fn listen(receiver: broadcast::Receiver<Message>, filter: Filter) -> BoxStream<'static, Message> {
    stream::unfold(receiver, move |mut receiver| async move {
        loop {
            match receiver.recv().await {
                Ok(message) if filter.passes(message.subject) => return Some((message, receiver)),
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What NATS accepts as a subject to publish under: words joined by dots, none of them empty, without spaces and
    /// wildcards.
    fn is_valid_for_nats(text: &str) -> bool {
        let is_plain = |letter: char| letter.is_ascii_graphic() && !matches!(letter, '*' | '>');
        text.split('.').all(|word| !word.is_empty() && word.chars().all(is_plain))
    }

    proptest! {
        #[test]
        fn every_subject_is_valid_and_reads_back(number in any::<u128>(), name in "\\PC*|[ .*>\\t\\r\\n]{0,9}") {
            for topic in Topic::ALL {
                for subject in [topic.of_all(), topic.of_session(SessionId(number)), topic.of_name(&name)] {
                    let text = subject.to_string();
                    prop_assert!(is_valid_for_nats(&text) && text.len() < 64, "{text}");
                    prop_assert_eq!(text.parse(), Ok(subject));
                }
            }
        }

        #[test]
        fn other_texts_are_not_subjects(text in "\\PC{0,20}|(delta|draft)?\\.?(name_|ses_)?[0-9a-g*>.]{0,40}") {
            if let Ok(subject) = text.parse::<Subject>() {
                prop_assert_eq!(subject.to_string().to_lowercase(), text.to_lowercase());
            }
        }
    }

    #[test]
    fn two_names_have_two_subjects() {
        assert_ne!(Topic::Draft.of_name("ada"), Topic::Draft.of_name("Ada"));
        assert_ne!(Topic::Draft.of_name(""), Topic::Draft.of_all());
    }

    #[tokio::test]
    async fn a_subscriber_receives_one_topic_or_one_subject() {
        let bus = LocalBus::default();
        let one = Topic::Delta.of_session(SessionId(1));
        let (mut deltas, mut ones) = (bus.subscribe(Topic::Delta.into()), bus.subscribe(one.into()));
        bus.publish(Topic::Seat.of_session(SessionId(1)), Bytes::from_static(b"a"));
        bus.publish(Topic::Delta.of_session(SessionId(2)), Bytes::from_static(b"b"));
        bus.publish(one, Bytes::from_static(b"c"));
        assert_eq!(deltas.next().await.unwrap().body, "b");
        assert_eq!(ones.next().await.unwrap().body, "c");
    }
}
