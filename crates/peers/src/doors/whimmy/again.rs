//! Retries asks that could not be made: the journal was down, or the rate limit was exceeded.
//!
//! The plugin waits meanwhile, so the ask is retried until the plugin has given up. Always with the same key: the
//! journal may have stored it without confirming, and a person may see it already. If the agent were told that its
//! question could not be shown, it would never get that answer.

use std::time::Duration;

use askbridge_core::ids::{Key, Timestamp};
use askbridge_core::terms::Wait;

use super::peer::{PendingReply, Whimmy};
use super::quirks;
use crate::peer::Cx;
use crate::wish::{AskWish, Rejection, Wish};

/// Pause before a retry.
const PAUSE: Duration = Duration::from_secs(1);

/// An ask that failed at least once.
pub(super) struct Again {
    /// When the plugin began to wait.
    pub(super) since: Timestamp,
    /// When to retry. `None`: a try is under way, or has succeeded.
    at: Option<Timestamp>,
    /// The session that has to be started first, where that failed.
    start: Option<Wish>,
    wish: Box<AskWish>,
}

impl Again {
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        self.at
    }

    /// When the plugin stops waiting.
    fn given_up_at(&self) -> Timestamp {
        let wait = match self.wish.wishes.wait {
            Some(Wait::For(wait)) => wait,
            _ => quirks::WAIT,
        };
        self.since.plus(wait)
    }
}

/// How long to wait before a retry, if the rejection is temporary.
fn pause(why: &Rejection) -> Option<Duration> {
    match why {
        Rejection::Down(_) => Some(PAUSE),
        Rejection::TooFast { retry_after } => Some(*retry_after),
        _ => None,
    }
}

impl Whimmy {
    /// Schedules a retry. `Err`: the rejection is permanent.
    pub(super) fn put_off(
        &mut self,
        wish: Box<AskWish>,
        start: Option<Wish>,
        why: &Rejection,
        cx: &mut Cx<'_>,
    ) -> Result<(), Box<AskWish>> {
        let (Some(pause), Some(key)) = (pause(why), wish.key.clone()) else { return Err(wish) };
        let since = self.again.get(&key).map_or(cx.now, |before| before.since);
        self.again.insert(key, Again { since, at: Some(cx.now.plus(pause)), start, wish });
        cx.out.wake_at = Some(self.next(cx.now));
        Ok(())
    }

    /// Retries what is due, and drops what the plugin no longer waits for.
    pub(super) fn ask_again(&mut self, cx: &mut Cx<'_>) {
        let now = cx.now;
        self.again.retain(|_, it| it.given_up_at() > now);
        let due: Vec<Key> =
            self.again.iter().filter(|(_, it)| it.at.is_some_and(|at| at <= now)).map(|(key, _)| key.clone()).collect();
        for key in due {
            let Some(again) = self.again.get_mut(&key) else { continue };
            again.at = None;
            let (wish, start) = (again.wish.clone(), again.start.clone());
            match start {
                Some(start) => self.wish(PendingReply::AskStart(wish, Box::new(start.clone())), start, cx.out),
                None => self.ask(wish, cx.out),
            }
        }
    }
}
