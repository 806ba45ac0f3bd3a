//! Queries of the index that may take long.

use askbridge_journal::index::{Index, IndexError};
use askbridge_peers::wish::Rejection;

use super::error::down;
use super::handle::Handle;

impl Handle {
    /// Runs a query where no other request waits behind it. It shows everything that this node was acknowledged.
    pub(crate) async fn look_up<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Index) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, Rejection> {
        self.store.caught_up_with_own_writes().await.map_err(down)?;
        self.store.index().look_up(look).await.map_err(down)
    }
}
