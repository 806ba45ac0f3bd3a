//! `askbridge cluster`: the nodes that share a journal on NATS. `status` shows them, `up` starts some on this machine to try
//! it out.

mod args;
mod local_nats;
mod status;
mod up;

pub(crate) use args::{Args, run};
