//! What cannot be asked at the moment: the journal does not answer, or too much came at once.
//!
//! The plugin waits meanwhile, so it is asked again until the plugin has given up. Always with the same key: the journal may have
//! stored it without saying so, and a person may see it already. An agent that was told that its question could not be shown would
//! then never hear the answer.

use std::time::Duration;

use askbridge_core::ids::{Key, Timestamp};
use askbridge_core::terms::Wait;

use super::peer::{Awaited, Whimmy};
use super::quirks;
use crate::peer::Cx;
use crate::wish::{AskWish, Rejection, Wish};

/// How long to wait before it is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// An ask that was put off at least once.
pub(super) struct Again {
    /// When the plugin began to wait.
    pub(super) since: Timestamp,
    /// `None`: it is being asked, or was.
    at: Option<Timestamp>,
    /// The session that it needs first, where that could not be started.
    room: Option<Wish>,
    wish: Box<AskWish>,
}

impl Again {
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        self.at
    }

    /// When the plugin no longer waits.
    fn given_up_at(&self) -> Timestamp {
        let wait = match self.wish.wishes.wait {
            Some(Wait::For(wait)) => wait,
            _ => quirks::WAIT,
        };
        self.since.plus(wait)
    }
}

/// When to ask again, if this may be over in a moment.
fn pause(why: &Rejection) -> Option<Duration> {
    match why {
        Rejection::Down(_) => Some(PAUSE),
        Rejection::TooFast { retry_after } => Some(*retry_after),
        _ => None,
    }
}

impl Whimmy {
    /// Puts off an ask that may be asked in a moment. `Err`: it never will be.
    pub(super) fn put_off(
        &mut self,
        wish: Box<AskWish>,
        room: Option<Wish>,
        why: &Rejection,
        cx: &mut Cx<'_>,
    ) -> Result<(), Box<AskWish>> {
        let (Some(pause), Some(key)) = (pause(why), wish.key.clone()) else { return Err(wish) };
        let since = self.again.get(&key).map_or(cx.now, |before| before.since);
        self.again.insert(key, Again { since, at: Some(cx.now.plus(pause)), room, wish });
        cx.out.wake_at = Some(self.next(cx.now));
        Ok(())
    }

    /// Asks what is due. What the plugin no longer waits for is left.
    pub(super) fn ask_again(&mut self, cx: &mut Cx<'_>) {
        let now = cx.now;
        self.again.retain(|_, it| it.given_up_at() > now);
        let due: Vec<Key> =
            self.again.iter().filter(|(_, it)| it.at.is_some_and(|at| at <= now)).map(|(key, _)| key.clone()).collect();
        for key in due {
            let Some(again) = self.again.get_mut(&key) else { continue };
            again.at = None;
            let (wish, room) = (again.wish.clone(), again.room.clone());
            match room {
                Some(room) => self.wish(Awaited::AskRoom(wish, Box::new(room.clone())), room, cx.out),
                None => self.ask(wish, cx.out),
            }
        }
    }
}
