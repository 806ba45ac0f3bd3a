//! What the gate needs of the server, so that the runtime need not know it.

use askbridge_core::event::Settings;
use askbridge_core::ids::PartyId;
use askbridge_peers::wish::{Call, Called, Rejection};
use futures_util::future::BoxFuture;

use crate::auth::Caller;

/// What the gate needs of the server. Only the rate is asked for on the hot path; the others may allocate.
pub(crate) trait Services: Send + Sync {
    /// Counts one wish against a party's rate, or says how long to wait.
    fn pace(&self, party: &PartyId) -> Result<(), Rejection>;

    /// Checks whether an agent of this hosted door could be run with these settings, and completes them: its folder in full, what
    /// the operator adds.
    fn prepare<'a>(&'a self, door: &'a str, settings: &'a mut Settings) -> BoxFuture<'a, Result<(), Rejection>>;

    /// Returns a folder in full, if agents may be run there.
    fn allow(&self, folder: &str) -> Result<String, Rejection>;

    /// Checks whether an agent could be run in this permission mode.
    fn check_mode(&self, mode: &str) -> Result<(), Rejection>;

    /// Finds everyone who holds a token under this name, or needs none.
    fn readers(&self, name: &str) -> Vec<Caller>;

    /// Posts something to an address outside.
    fn post<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Called, Rejection>>;
}
