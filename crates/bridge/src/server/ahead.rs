//! Reads the first pages of people's inboxes into the caches at start, so that people do not wait for the disk.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::timeout;
use tracing::debug;

use super::app::App;
use super::v1::asks::first_page;
use crate::auth::Caller;
use crate::runtime::Interest;

/// People whose inboxes are read. Beyond: theirs is stored close to what others see.
const PEOPLE_MAX: usize = 8;
/// How long the start waits for this. A person with few asks among a great many takes long to read.
const PATIENCE: Duration = Duration::from_millis(200);

impl App {
    /// Reads each person's inbox in both ways: as a list, and as the snapshot of a socket.
    pub async fn look_ahead(&self) {
        let (mut names, mut people) = (BTreeSet::new(), self.tokens.holders());
        people.retain(|person| person.is_person() && names.insert(person.name.clone()));
        people.truncate(PEOPLE_MAX);
        let looking = async {
            for person in people {
                self.look_ahead_as(person).await;
            }
        };
        if timeout(PATIENCE, looking).await.is_err() {
            debug!("What waits for people is not looked at any longer");
        }
    }

    async fn look_ahead_as(&self, person: Caller) {
        let page = self.handle.follow(Interest::Inbox(person.clone()), None).next().await;
        let list = first_page(self, &person).await;
        if list.is_err() || page.is_err() {
            // The person's own request will report why.
            debug!("Could not look at what waits");
        }
    }
}
