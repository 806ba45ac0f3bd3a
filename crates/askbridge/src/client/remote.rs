//! A server at a URL: its name, its port, and TLS for https.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use askbridge_bridge::outbound::Authorities;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

/// The server's address, and how to connect.
pub(super) struct Remote {
    /// The URL as configured: `https://ask.example.org`.
    pub(super) url: String,
    /// The value of `Host`: the name, and the port if the URL has one.
    pub(super) host: String,
    name: String,
    port: u16,
    tls: Option<Tls>,
}

/// Whose word about a server's certificate counts.
#[derive(Debug, Clone)]
pub(crate) enum Trust {
    /// The authorities of this machine, and those in a PEM file, if one is named.
    Machine(Option<PathBuf>),
    /// Those in this PEM text alone.
    These(String),
}

struct Tls {
    trust: Trust,
    /// Made for the first connection and reused: loading the machine's authorities takes milliseconds.
    connector: OnceLock<TlsConnector>,
}

pub(super) enum Stream {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

/// Why there is no connection.
pub(super) enum NoWay {
    /// No server listens, or the name does not exist. A retry may help.
    Unreachable(io::Error),
    /// The server is not trusted, or does not speak TLS.
    Untrusted(String),
}

impl Remote {
    /// Parses a URL that the settings have accepted: a scheme and a name, perhaps a port.
    pub(super) fn new(url: &str, trust: Trust) -> Option<Self> {
        let (scheme, host) = url.split_once("://")?;
        let (tls, usual_port) = match scheme.to_ascii_lowercase().as_str() {
            "https" => (Some(Tls { trust, connector: OnceLock::new() }), 443),
            "http" => (None, 80),
            _ => return None,
        };
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()?),
            _ => (host, usual_port),
        };
        let name = name.trim_matches(['[', ']']).to_owned();
        Some(Self { url: url.to_owned(), host: host.to_owned(), name, port, tls })
    }

    pub(super) async fn connect(&self) -> Result<Stream, NoWay> {
        let stream = TcpStream::connect((&*self.name, self.port)).await.map_err(NoWay::Unreachable)?;
        let Some(tls) = &self.tls else { return Ok(Stream::Plain(stream)) };
        let connector = tls.connector().map_err(NoWay::Untrusted)?;
        let name = ServerName::try_from(self.name.clone()).map_err(|error| NoWay::Untrusted(error.to_string()))?;
        match connector.connect(name, stream).await {
            Ok(stream) => Ok(Stream::Encrypted(Box::new(stream))),
            // A bad certificate stays bad; a connection that broke may work the next time.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(NoWay::Untrusted(error.to_string())),
            Err(error) => Err(NoWay::Unreachable(error)),
        }
    }
}

impl Tls {
    fn connector(&self) -> Result<TlsConnector, String> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector.clone());
        }
        let connector = match &self.trust {
            Trust::Machine(None) => Authorities::default().connector()?,
            Trust::Machine(Some(path)) => {
                let wrong = |why: String| format!("could not use `{}` (`authorities`): {why}", path.display());
                let pem = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
                Authorities::read(&pem).map_err(wrong)?.connector()?
            }
            Trust::These(pem) => Authorities::read(pem.as_bytes())?.connector_of_these_alone()?,
        };
        Ok(self.connector.get_or_init(|| connector).clone())
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_host_a_port_and_whether_to_encrypt() {
        let read = |url: &str| {
            let remote = Remote::new(url, Trust::Machine(None)).unwrap();
            (remote.name, remote.port, remote.host, remote.tls.is_some())
        };
        let of = |name: &str, port, host: &str, tls| (name.to_owned(), port, host.to_owned(), tls);
        assert_eq!(read("https://ask.example.org"), of("ask.example.org", 443, "ask.example.org", true));
        assert_eq!(read("https://ask.example.org:8443"), of("ask.example.org", 8443, "ask.example.org:8443", true));
        assert_eq!(read("http://127.0.0.1:4760"), of("127.0.0.1", 4760, "127.0.0.1:4760", false));
        assert_eq!(read("https://[2001:db8::1]"), of("2001:db8::1", 443, "[2001:db8::1]", true));
        assert_eq!(read("http://[::1]:4760"), of("::1", 4760, "[::1]:4760", false));
        assert!(Remote::new("ftp://ask.example.org", Trust::Machine(None)).is_none());
        assert!(Remote::new("https://ask.example.org:port", Trust::Machine(None)).is_none());
    }
}
