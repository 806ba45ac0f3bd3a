//! How to reach a journal on NATS: addresses, secrets, certificates. Nothing here prints a secret.

use std::fmt;
use std::path::PathBuf;

use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;

use super::error::Error;

/// How to reach a journal.
#[derive(Clone)]
pub struct Options {
    /// Addresses, separated by commas: `nats://HOST:PORT`, or `tls://HOST:PORT`, which refuses an unencrypted connection.
    /// An address may contain a user and a password, or a token (`nats://TOKEN@HOST`); [`Options::auth`] wins over both.
    pub url: String,
    /// The first word of streams, subjects and bucket.
    pub name: String,
    /// How many streams sessions are spread over, if this creates the journal. A journal that exists says it itself.
    pub streams: usize,
    /// How many servers keep a copy of each entry. A journal with fewer copies is refused, one with more is not.
    pub replicas: usize,
    /// The id of the journal, if this creates one: a random number, so that cursors of another journal are recognised.
    pub identity: u64,
    /// A number that no other client has or had: it marks the items that this one puts on the shelf.
    pub client: u64,
    pub auth: Auth,
    pub tls: Tls,
    /// Addresses of the servers' monitoring pages, such as `http://HOST:8222`. Only they say whether the servers sync
    /// each message to disk before they acknowledge it ([`super::Nats::check_sync`]).
    pub monitors: Vec<String>,
}

/// How to prove who we are.
#[derive(Debug, Clone, Default)]
pub enum Auth {
    /// With what is in the address, if anything.
    #[default]
    Address,
    Password {
        user: String,
        password: Secret,
    },
    Token(Secret),
    /// The seed of an nkey, which begins with `SU`.
    Nkey(Secret),
    /// A file with such a seed.
    NkeyFile(PathBuf),
    /// A file with a user's JWT and seed, as `nsc` makes it (`.creds`).
    CredentialsFile(PathBuf),
}

/// Which servers to believe, and what to show them.
#[derive(Debug, Clone, Default)]
pub struct Tls {
    /// A PEM file with the authorities to trust. `None`: those of the operating system.
    pub authority: Option<PathBuf>,
    /// PEM files with our certificate and its key, for servers that ask for one.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Refuse a connection that is not encrypted, also to `nats://`. Implied by either of the above.
    pub required: bool,
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Options {
    /// What most journals need: 16 streams, three copies of each entry.
    pub fn new(url: impl Into<String>, identity: u64, client: u64) -> Self {
        Self {
            url: url.into(),
            name: "ab".to_owned(),
            streams: 16,
            replicas: 3,
            identity,
            client,
            auth: Auth::default(),
            tls: Tls::default(),
            monitors: Vec::new(),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("url", &without_secrets(&self.url))
            .field("name", &self.name)
            .field("streams", &self.streams)
            .field("replicas", &self.replicas)
            .field("auth", &self.auth)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

impl Tls {
    pub(super) fn is_required(&self) -> bool {
        self.required || self.authority.is_some() || self.certificate.is_some()
    }
}

/// Returns an address, or several with commas between them, without users, passwords and tokens: for logs and messages.
pub fn without_secrets(url: &str) -> String {
    let one = |address: &str| {
        let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
        // A password may contain an unencoded `@` or `/`; what is behind the last `@` is the host.
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") }
    };
    split(url).map(one).collect::<Vec<_>>().join(",")
}

fn split(url: &str) -> impl Iterator<Item = &str> {
    url.split(',').map(str::trim).filter(|address| !address.is_empty())
}

/// Addresses without secrets, and the secrets that were in them.
#[derive(Debug)]
pub(super) struct Addresses {
    pub(super) servers: Vec<ServerAddr>,
    pub(super) auth: Auth,
}

/// Takes the secrets out of the addresses: the client library logs addresses, and may log these.
pub(super) fn addresses(url: &str) -> Result<Addresses, Error> {
    let mut servers = Vec::new();
    let mut auth: Option<(String, Option<String>)> = None;
    for (number, address) in split(url).enumerate() {
        // The text is not shown: a password with an unencoded comma would be cut in two, and half of it shown.
        let not = || Error::Address { number: number + 1 };
        let parsed: ServerAddr = address.parse().map_err(|_| not())?;
        let decode = |text: &str| percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| not());
        if let Some(user) = parsed.username() {
            let named = (decode(user)?, parsed.password().map(decode).transpose()?);
            if auth.as_ref().is_some_and(|auth| *auth != named) {
                return Err(Error::TwoUsers);
            }
            auth = Some(named);
        }
        if parsed.host().is_empty() {
            return Err(not());
        }
        let host = if parsed.host().contains(':') { format!("[{}]", parsed.host()) } else { parsed.host().to_owned() };
        let plain = format!("{}://{host}:{}", parsed.scheme(), parsed.port());
        servers.push(plain.parse().map_err(|_| not())?);
    }
    if servers.is_empty() {
        return Err(Error::Address { number: 1 });
    }
    let auth = match auth {
        None => Auth::Address,
        Some((user, Some(password))) => Auth::Password { user, password: Secret(password) },
        Some((token, None)) => Auth::Token(Secret(token)),
    };
    Ok(Addresses { servers, auth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_of_addresses() {
        let found = addresses("nats://ada:s3%40cret@one:4333, nats://ada:s3%40cret@two").unwrap();
        let servers: Vec<_> = found.servers.iter().map(ServerAddr::as_url_str).collect();
        assert_eq!(servers, ["nats://one:4333", "nats://two:4222"]);
        assert!(matches!(&found.auth, Auth::Password { user, password } if user == "ada" && password.0 == "s3@cret"));
        assert!(matches!(addresses("tls://t0ken@one").unwrap().auth, Auth::Token(token) if token.0 == "t0ken"));
        assert!(matches!(addresses("one,[::1]:4223").unwrap().auth, Auth::Address));
    }

    #[test]
    fn nothing_prints_a_secret() {
        let mut options = Options::new("nats://ada:s3cret@one,nats://t0ken@two", 1, 2);
        options.auth = Auth::Password { user: "ada".to_owned(), password: Secret::new("s3cret") };
        let mut all = format!("{options:?} {}", without_secrets("ada:p/w@x:s3cret@one"));
        let two = "nats://ada:s3cret@one,nats://t0ken@two";
        for bad in ["nats://ada:s3cret@", "http://ada:s3cret@one", "nats://ada:s3cret,x@one", two] {
            let error = addresses(bad).map(|_| ()).unwrap_err();
            all.push_str(&format!(" {error} {error:?}"));
        }
        assert!(!all.contains("s3cret") && !all.contains("t0ken"), "{all}");
        assert!(all.contains("nats://one"), "{all}");
    }
}
