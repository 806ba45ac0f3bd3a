//! One conversation with one peer, over a socket, in a request, or without any transport.

mod connection;
mod logins;

use std::time::Duration;

use askbridge_core::limits;
use askbridge_peers::peer::{Frame, Garbled, Peer};
use tokio::sync::watch;
use tokio::time::timeout;
use tracing::warn;

use self::connection::Connection;
use super::app::App;
use super::guest::Guest;
use crate::driver::{Driver, Stepped};

/// How long a peer whose other side is gone may still wish. Beyond: what is in flight is dropped.
const FAREWELL_MAX: Duration = Duration::from_secs(5);
/// How many ready news and replies a peer is told before its frames are written.
const AT_ONCE_MAX: usize = 64;
/// Bytes of its frames. Beyond: they are written first, so that memory use is bounded by what the client takes.
const AT_ONCE_BYTES: usize = 256 * 1024;
pub(super) const REVOKED: u16 = 4401;

/// One conversation, without its transport.
pub(crate) struct Talk {
    driver: Driver<Box<dyn Peer>, Connection>,
    token_changes: watch::Receiver<u64>,
}

impl Talk {
    pub(crate) fn new(app: App, guest: Guest, peer: Box<dyn Peer>) -> Self {
        let token_changes = app.tokens.changes();
        Self { driver: Driver::new(peer, Connection::new(app, guest), None), token_changes }
    }

    pub(crate) fn app(&self) -> &App {
        &self.driver.endpoint.app
    }

    /// Passes a frame of the other side to the peer.
    pub(crate) fn hear(&mut self, frame: Frame<'_>) -> Result<(), Garbled> {
        self.driver.hear(frame)
    }

    pub(crate) fn wake(&mut self) {
        self.driver.wake();
    }

    pub(crate) fn hang_up(&mut self, code: u16, reason: impl Into<String>) {
        self.driver.hang_up(code, reason);
    }

    pub(crate) fn take_hang_up(&mut self) -> Option<(u16, String)> {
        self.driver.take_hang_up()
    }

    /// Takes the frames that the peer wants written.
    pub(crate) fn take_frames(&mut self) -> Vec<Frame<'static>> {
        self.driver.take_frames()
    }

    /// Should frames be read? Not while too many wishes are in flight, nor after a hang-up, nor before the peer knows
    /// the state of its session: it would act as if nothing had happened there.
    pub(crate) fn has_room(&self) -> bool {
        let Driver { endpoint, replies, .. } = &self.driver;
        let is_catching_up = self.driver.is_following() && endpoint.is_catching_up();
        replies.in_flight() < limits::IN_FLIGHT_MAX
            && endpoint.can_record()
            && !self.driver.hangs_up()
            && !is_catching_up
    }

    /// Will nothing happen here unless the other side sends something?
    pub(crate) fn is_idle(&self) -> bool {
        self.driver.is_idle()
    }

    /// Waits for one event that concerns the peer, and tells it. Cancel safe.
    pub(crate) async fn step(&mut self) {
        let token_changes = &mut self.token_changes;
        // First: a caller whose token was revoked or renamed gets the rest as what it is now.
        let token_changed = async {
            if token_changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        if let Stepped::First(()) = self.driver.step(token_changed, std::future::pending::<()>()).await {
            self.look_again();
        }
    }

    /// Handles what else is ready, up to a limit, without waiting.
    pub(crate) fn step_while_ready(&mut self) {
        for _ in 0..AT_ONCE_MAX {
            // A client whose token was revoked gets nothing that is ready at the same moment.
            if self.token_changes.has_changed().unwrap_or_default() {
                self.token_changes.mark_unchanged();
                self.look_again();
            }
            if self.driver.hangs_up() || self.driver.frame_bytes() > AT_ONCE_BYTES || !self.driver.step_if_ready() {
                return;
            }
        }
    }

    /// A token was revoked, a device renamed, or a page logged out. A caller left without a token or login cookie is
    /// disconnected.
    fn look_again(&mut self) {
        if let Some(why) = self.driver.endpoint.lost_its_caller() {
            self.driver.stop_following();
            self.hang_up(REVOKED, why);
        }
    }

    /// Tells the peer that the other side is gone, and grants its last wishes.
    ///
    /// An ask in flight is not dropped: its receipt reaches the peer, which can then say what is to become of it.
    pub(crate) async fn farewell(mut self, code: u16, reason: &str) {
        self.driver.stop_following();
        self.driver.endpoint.leave();
        // No client is left to report a garbled frame to.
        let _ = self.hear(Frame::Close(code, reason.into()));
        let last_wishes = async { while self.driver.finish_one().await {} };
        if timeout(FAREWELL_MAX, last_wishes).await.is_err() {
            let peer = self.driver.endpoint.guest.via;
            warn!(peer, "The last wishes of a connection took too long and were dropped");
        }
    }
}

#[cfg(test)]
mod tests;
