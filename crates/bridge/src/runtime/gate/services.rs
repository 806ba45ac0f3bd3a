//! What the gate needs of the server, as a trait, so that the runtime does not depend on it.

use askbridge_core::event::Settings;
use askbridge_core::ids::StableNodeId;
use askbridge_peers::wish::{Called, OutboundCall, Rejection};
use futures_util::future::BoxFuture;

use crate::auth::Caller;

/// What the gate needs of the server. Only `pace` is on the hot path; the others may allocate.
pub(crate) trait Services: Send + Sync {
    /// Counts one wish against a caller's rate, or says how long to wait.
    fn pace(&self, caller: &Caller) -> Result<(), Rejection>;

    /// Counts one ask, if the caller is a connected machine: those may ask only so often.
    fn pace_ask(&self, caller: &Caller) -> Result<(), Rejection>;

    /// Chooses the node that runs an agent of this hosted door, and checks whether it could run there with these settings.
    /// If that is this node, completes them: the full path of its folder, what the operator adds. Another node does so
    /// itself, before the agent starts. `host` is the node that is wished for, and becomes the one that was chosen.
    fn prepare<'a>(
        &'a self,
        door: &'a str,
        settings: &'a mut Settings,
        host: &'a mut Option<String>,
    ) -> BoxFuture<'a, Result<(), Rejection>>;

    /// Returns the full path of a folder, if agents of that node may run there.
    fn allow(&self, folder: &str, host: Option<StableNodeId>) -> Result<String, Rejection>;

    /// Checks whether an agent of this door could run in this permission mode.
    fn check_mode(&self, door: &str, mode: &str) -> Result<(), Rejection>;

    /// Finds all callers with this name that hold a token, or need none.
    fn readers(&self, name: &str) -> Vec<Caller>;

    /// A language has stored or deleted a small item of its own.
    fn kept<'a>(&'a self, dialect: &'a str, name: &'a str) -> BoxFuture<'a, ()>;

    /// Posts to an address outside.
    fn post<'a>(&'a self, call: &'a OutboundCall) -> BoxFuture<'a, Result<Called, Rejection>>;
}
