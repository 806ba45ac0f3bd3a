//! Conformance of a bus.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;

use super::names::Names;
use crate::bus::{Bus, Message, Topic};

/// How long to wait for a message before it is published again.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often a message is published before the bus counts as broken.
const TRIES: usize = 100;
/// Names as agents and people choose them.
const WILD_NAMES: [&str; 6] = ["", "ada", "Ada Lovelace", "a.b.*", ">", "名前\r\nPUB x 1"];

/// Every topic, in every form of its subjects, reaches subscribers on both ends.
pub async fn every_subject_is_heard<B: Bus>(first: &B, second: &B, names: &Names) {
    for topic in Topic::ALL {
        let mut subjects = vec![topic.of_all(), topic.of_session(names.session())];
        subjects.extend(WILD_NAMES.map(|name| topic.of_name(name)));
        for subject in subjects {
            for (from, to) in [(first, second), (second, first), (first, first)] {
                let (mut of_topic, mut of_subject) = (to.subscribe(topic.into()), to.subscribe(subject.into()));
                let sent = Message { subject, body: Bytes::from(names.key("body")) };
                // It is unknown when a subscription has reached every server, so this publishes until the message
                // arrives. Repeats from an earlier round may still arrive, and are skipped.
                let mut heard = false;
                for _ in 0..TRIES {
                    from.publish(subject, sent.body.clone());
                    let both = async { hears(&mut of_topic, &sent).await && hears(&mut of_subject, &sent).await };
                    if let Ok(both) = tokio::time::timeout(PATIENCE, both).await {
                        heard = both;
                        break;
                    }
                }
                assert!(heard, "nothing is heard of `{subject}`");
            }
        }
    }
}

/// Waits for a message. Returns `false` if the bus ends first.
async fn hears(messages: &mut BoxStream<'static, Message>, sent: &Message) -> bool {
    while let Some(message) = messages.next().await {
        assert_eq!(message.subject.topic, sent.subject.topic);
        if message == *sent {
            return true;
        }
    }
    false
}
