//! Sessions driven by gobby's rule files: those of the operator's folder, and those of the project an agent works in.
//!
//! `crates/workflows` says what the files make of an event. Here is what needs a machine: the files and their reloading
//! (`folder`, `loaded`, `in_force`, `follow`, `projects`), the state of each session on the shelf (`state`), what is changed
//! in the repository (`dirty`, `private_git`), whether gobby's own hooks are there (`own_hooks`), the event itself (`advise`), and a permission that is asked for (`permission`). Step
//! workflows are started and ended by `steps`. Why so: `docs/design/0013-gobby-rules.md`.

mod advise;
mod advised;
mod dirty;
mod folder;
mod follow;
mod in_force;
mod loaded;
mod own_hooks;
mod permission;
mod private_git;
mod projects;
mod state;
mod steps;

pub use follow::{GobbySource, follow};
pub use loaded::{Bounds, Loaded, load};

pub(crate) use advise::Happening;
pub(crate) use advised::{Advised, Ruled};
pub(crate) use in_force::{FolderState, WorkflowsInForce};
pub(crate) use steps::StepNow;
