//! Agents that we run: finds the program, starts it so that it outlives us, reads its output, answers it, ends it.
//!
//! An agent's process is in a session of its own. Its stdin is a FIFO that it holds open itself, its stdout a file that
//! only grows. So it survives the end of the server, and the next one finds everything in one folder: its process id
//! (`.pid`), what it has said (`.out`), how far that was read (`.rest`), and how to talk to it (`.in`).
//!
//! The folder is the truth about processes; the journal is the truth about everything else. After a restart an agent's
//! output is read again. Each piece has an id of its own, or is in the entry of a decision that is made once, so
//! nothing is stored twice.

mod adopt;
mod agent_folder;
mod claude;
mod content;
mod endpoint;
mod evictions;
mod farewell;
mod folders;
mod host;
mod kind;
mod launcher;
mod machine;
mod memory;
mod need;
mod options;
mod orphans;
mod pipe;
mod pool;
mod process;
mod spool;
mod spool_watcher;
mod start;

pub use agent_folder::{RunningAgent, running_agents};
pub use askbridge_peers::doors::claude::AlwaysAsk;
pub use claude::{Cli, CliError, HoldLimit, Launch, LaunchError, find as find_claude, is_root_without_a_sandbox};
pub(crate) use farewell::ENDED_BY_ITSELF;
pub use folders::{Folder, Folders};
pub(crate) use kind::{check_mode, prepare_elsewhere};
pub use launcher::{LAUNCH_COMMAND, become_agent};
pub use options::{HostOptions, RootError, environment};
pub use orphans::adopt_orphans;
pub use pool::Hosts;
pub(crate) use process::Running;
