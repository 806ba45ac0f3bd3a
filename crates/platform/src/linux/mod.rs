//! The implementation for Linux 5.3 or newer, with `/proc`.

pub mod disk;
pub mod families;
pub mod fifo;
pub mod files;
pub mod launch;
pub mod limits;
pub mod local_socket;
pub mod local_time;
pub mod loopback;
pub mod orphans;
pub mod ourselves;
pub mod pinned;
pub mod processes;
pub mod running;
pub mod service_manager;
pub mod terminal;
pub mod watch;
