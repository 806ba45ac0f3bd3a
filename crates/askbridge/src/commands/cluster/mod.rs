//! `askbridge cluster`: the nodes that share a journal on NATS. `status` shows them, `forget` declares one gone, `up` starts some on this machine to try
//! it out.

mod args;
mod forget;
mod local_nats;
mod status;
mod up;

pub(crate) use args::{Args, run};
