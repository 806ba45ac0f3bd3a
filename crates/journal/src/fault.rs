//! What went wrong underneath, in a form that can be handed to many waiting callers.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::sqlite;

/// The cause of a failure, shared by everyone who has to hear of it.
#[derive(Clone)]
pub struct Fault(Arc<dyn Error + Send + Sync>);

impl Fault {
    pub fn new(cause: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(cause))
    }
}

impl Fault {
    /// The cause in words for clients, if what it says of itself names our files: where those are is none of their business.
    pub fn told(&self) -> Option<String> {
        self.0.downcast_ref::<sqlite::Error>().map(sqlite::Error::told)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Error for Fault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
