//! Looking at what people will look at first, before they do, so that they do not wait for the disk.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::timeout;
use tracing::debug;

use super::app::App;
use super::v1::asks::first_page;
use crate::auth::Caller;
use crate::runtime::Interest;

/// People whose inboxes are looked at. Beyond: what they see lies close to what others see.
const PEOPLE_MAX: usize = 8;
/// How long a start waits for this. Somebody to whom little is addressed among a great many has to be looked for long.
const PATIENCE: Duration = Duration::from_millis(200);

impl App {
    /// Looks at everybody's inbox, as a list and as a page on a socket begin.
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
            // Whoever asks for it is told why.
            debug!("Could not look at what waits");
        }
    }
}
