//! How a host's name becomes addresses.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;

use futures_util::future::BoxFuture;
use tokio::net::lookup_host;

/// Finds the addresses of a host. Asked once for each call.
pub trait Resolver: Debug + Send + Sync {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;
}

/// Asks the operating system: its files, then DNS.
#[derive(Debug)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(lookup_host((host, port)).await?.collect()) })
    }
}
