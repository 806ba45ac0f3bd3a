//! The kinds of agents that we run: one per hosted door of the listing.

use std::sync::Arc;

use askbridge_core::event::Settings;
use askbridge_core::ids::SessionId;
use askbridge_peers::listing::usual_hosted_door;
use askbridge_peers::wish::Rejection;
use futures_util::future::BoxFuture;

use super::claude::ClaudeCode;
use super::host::ProcessEnd;
use super::options::HostOptions;
use super::pool::HostPool;
use super::start::StartError;

/// How a session gets a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartMode {
    /// Start its process.
    Start,
    /// Take over the process that an earlier askbridge started.
    Adopt,
}

/// A kind of agent: how its sessions are checked, and its processes started and taken over.
pub(super) trait Kind: Send + Sync {
    /// The door's name in the listing.
    fn door(&self) -> &'static str;

    /// Checks what the agent would refuse at its start, and completes the settings. The session does not exist yet.
    fn prepare<'a>(
        &'a self,
        options: &'a HostOptions,
        settings: &'a mut Settings,
    ) -> BoxFuture<'a, Result<(), Rejection>>;

    /// The same, as far as a node can tell that is not to run the agent. The one that is completes the settings.
    fn prepare_elsewhere(&self, settings: &mut Settings) -> Result<(), Rejection>;

    /// Checks whether the agent could change to this permission mode. Without `options`, no agents run here, and the mode
    /// need only exist.
    fn check_mode(&self, options: Option<&HostOptions>, mode: &str) -> Result<(), Rejection>;

    /// Hosts one process of one session, from its start to its end.
    fn host(
        &self,
        pool: Arc<HostPool>,
        session: SessionId,
        mode: StartMode,
    ) -> BoxFuture<'static, Result<ProcessEnd, StartError>>;
}

pub(super) const KINDS: &[&dyn Kind] = &[&ClaudeCode];

/// Returns the kind of agent whose sessions have this door.
pub(super) fn kind_of(door: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.door() == door)
}

/// Checks the settings of a session whose agent another node is to run.
pub(crate) fn prepare_elsewhere(door: &str, settings: &mut Settings) -> Result<(), Rejection> {
    kind_of(door).expect("every hosted door has a kind").prepare_elsewhere(settings)
}

/// Checks whether an agent of this door could change to a permission mode. A session of another door, whose agent we do
/// not run, takes the modes of the agent that we would run.
pub(crate) fn check_mode(door: &str, options: Option<&HostOptions>, mode: &str) -> Result<(), Rejection> {
    let kind = kind_of(door).or_else(|| kind_of(usual_hosted_door()));
    kind.expect("every hosted door has a kind").check_mode(options, mode)
}

#[cfg(test)]
mod tests {
    use askbridge_peers::listing::hosted_doors;

    use super::*;

    #[test]
    fn every_hosted_door_of_the_listing_has_a_kind_and_no_other_has() {
        assert_eq!(KINDS.iter().map(|kind| kind.door()).collect::<Vec<_>>(), hosted_doors().collect::<Vec<_>>());
        assert!(kind_of("http").is_none());
    }
}
