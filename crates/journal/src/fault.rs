//! The cause of a storage failure, in a form that can be shared by many waiting callers.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::sqlite;

/// The cause of a failure, cloned for each caller that gets it.
#[derive(Clone)]
pub struct Fault(Arc<dyn Error + Send + Sync>);

impl Fault {
    pub fn new(cause: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(cause))
    }
}

impl Fault {
    /// Returns the cause in words for clients, if its own text names our files: clients must not learn our paths.
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
