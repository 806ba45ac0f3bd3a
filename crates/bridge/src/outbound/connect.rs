//! From an address to a connection: the name is resolved once, the addresses are checked, and the connection goes to
//! one of those and to no other.

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::Address;
use super::client::Outbound;
use super::failed::Failed;
use super::reach::{Barred, Reach};

/// The bytes of a connection, encrypted or not.
pub type Wire = Box<dyn Io>;

pub trait Io: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Io for T {}

/// Connects to addresses that were resolved and checked, and to no others.
pub trait Dialer: Debug + Send + Sync {
    fn dial<'a>(&'a self, reached: &'a [SocketAddr]) -> BoxFuture<'a, io::Result<Wire>>;
}

/// Connects over TCP.
#[derive(Debug)]
pub struct SystemDialer;

impl Dialer for SystemDialer {
    fn dial<'a>(&'a self, reached: &'a [SocketAddr]) -> BoxFuture<'a, io::Result<Wire>> {
        Box::pin(async move {
            let stream = TcpStream::connect(reached).await?;
            // A socket's small messages would otherwise wait for the server's acknowledgement of those before them.
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Wire)
        })
    }
}

impl Outbound {
    pub(super) async fn connect(&self, address: &Address, named_by_operator: bool) -> Result<Wire, Failed> {
        let failed = |why: String| Failed::Connect { host: address.host.clone(), why };
        let reached = self.resolve(address, named_by_operator).await?;
        if !address.encrypted {
            return self.dial(&reached).await.map_err(failed);
        }
        let connector = self.connector().await?;
        let name = ServerName::try_from(address.host.clone()).map_err(|error| failed(error.to_string()))?;
        let stream = self.dial(&reached).await.map_err(failed)?;
        let stream = connector.connect(name, stream).await.map_err(|error| failed(error.to_string()))?;
        Ok(Box::new(stream))
    }

    async fn resolve(&self, address: &Address, named_by_operator: bool) -> Result<Vec<SocketAddr>, Failed> {
        let host = || address.host.clone();
        let options = &self.0.options;
        let found = options.resolver.resolve(&address.host, address.port).await;
        let found = found.map_err(|source| Failed::NoSuchHost { host: host(), source })?;
        let reach = Reach { listed: &options.private, named_by_operator, encrypted: address.encrypted };
        let addresses: Vec<IpAddr> = found.iter().map(SocketAddr::ip).collect();
        match reach.check(&addresses) {
            Ok(()) => Ok(found),
            Err(Barred::Private(address)) => Err(Failed::Private { host: host(), address }),
            Err(Barred::InTheClear(address)) => Err(Failed::InTheClear { host: host(), address }),
        }
    }

    async fn dial(&self, reached: &[SocketAddr]) -> Result<Wire, String> {
        self.0.options.dialer.dial(reached).await.map_err(|error| error.to_string())
    }

    async fn connector(&self) -> Result<&TlsConnector, Failed> {
        let connector = self.0.connector.get_or_try_init(|| async {
            let authorities = self.0.options.authorities.clone();
            // Blocking: reading the machine's own authorities reads files, and takes some time.
            let made = tokio::task::spawn_blocking(move || authorities.connector()).await;
            made.map_err(|error| error.to_string()).and_then(|made| made)
        });
        connector.await.map_err(Failed::NoTrust)
    }
}
