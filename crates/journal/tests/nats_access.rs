//! Who may connect to a journal on NATS, and which streams it accepts: real servers with users, keys and certificates.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cluster;

use std::path::PathBuf;
use std::time::Duration;

use askbridge_core::ids::Timestamp;
use askbridge_journal::nats::{Auth, Error, Options, Secret, SyncAlways, Tls};
use askbridge_journal::{Cursor, Expect, Health, Journal, Nats, Shelf};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};

use cluster::{Cluster, Setup};

/// Made for tests alone; the key is a digest of its name.
const CREDENTIALS: &str = include_str!("cluster/user.creds");
const PUBLIC: &str = include_str!("cluster/user.pub");

/// The seed in the credentials.
fn seed() -> &'static str {
    CREDENTIALS.lines().find(|line| line.starts_with("SU")).unwrap()
}

fn one(more: &str) -> Cluster {
    Cluster::with(&Setup { servers: 1, more: more.to_owned(), ..Setup::default() })
}

/// Writes to the journal and reads it back.
async fn works(options: &Options) {
    let node = Nats::connect(options).await.unwrap();
    node.put("device", b"phone", Expect::Any, None, Timestamp(0)).await.unwrap();
    assert!(node.get("device", Timestamp(0)).await.unwrap().is_some());
}

async fn refused(options: &Options) {
    match Nats::connect(options).await.map(drop) {
        Err(error @ Error::Refused { .. }) => assert!(!error.to_string().contains("s3cret"), "{error}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_needs_the_password() {
    let cluster = one("authorization { user: ada, password: \"s3cret@,\" }");
    let plain = cluster.options(1);
    refused(&plain).await;
    works(&Options { url: cluster.url_as("ada:s3cret%40%2C"), ..plain.clone() }).await;
    let password = |text| Auth::Password { user: "ada".to_owned(), password: Secret::new(text) };
    works(&Options { auth: password("s3cret@,"), ..plain.clone() }).await;
    // What is given apart from the address wins.
    let wrong = Options { url: cluster.url_as("ada:s3cret%40%2C"), auth: password("s3cret"), ..plain };
    refused(&wrong).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_enough() {
    let cluster = one("authorization { token: \"s3cret\" }");
    works(&Options { url: cluster.url_as("s3cret"), ..cluster.options(1) }).await;
    works(&Options { auth: Auth::Token(Secret::new("s3cret")), ..cluster.options(1) }).await;
    refused(&Options { auth: Auth::Token(Secret::new("s3cre")), ..cluster.options(1) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_nkey_proves_itself() {
    let cluster = one(&format!("authorization {{ users: [{{ nkey: {} }}] }}", PUBLIC.trim()));
    works(&Options { auth: Auth::Nkey(Secret::new(seed())), ..cluster.options(1) }).await;
    let file = cluster.dir().join("user.nk");
    std::fs::write(&file, format!("# made for this test\n{}\n", seed())).unwrap();
    works(&Options { auth: Auth::NkeyFile(file.clone()), ..cluster.options(1) }).await;
    refused(&cluster.options(1)).await;
    std::fs::write(&file, "nothing").unwrap();
    let error = Nats::connect(&Options { auth: Auth::NkeyFile(file), ..cluster.options(1) }).await.map(drop);
    assert!(matches!(error, Err(Error::File { .. })), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_credentials_file_proves_its_user() {
    let cluster = one(include_str!("cluster/operator.conf"));
    let file = cluster.dir().join("user.creds");
    std::fs::write(&file, CREDENTIALS).unwrap();
    works(&Options { auth: Auth::CredentialsFile(file), ..cluster.options(1) }).await;
    refused(&cluster.options(1)).await;
    let missing = cluster.dir().join("nothing.creds");
    let error = Nats::connect(&Options { auth: Auth::CredentialsFile(missing), ..cluster.options(1) }).await.map(drop);
    assert!(matches!(error, Err(Error::File { .. })), "{error:?}");
}

/// An authority, and a certificate of it for the server and one for a client, as PEM files.
struct Certificates {
    authority: PathBuf,
    dir: tempfile::TempDir,
}

impl Certificates {
    fn make() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let authority = dir.path().join("authority.pem");
        std::fs::write(&authority, issuer.pem()).unwrap();
        for (name, purpose) in
            [("server", ExtendedKeyUsagePurpose::ServerAuth), ("client", ExtendedKeyUsagePurpose::ClientAuth)]
        {
            let key = KeyPair::generate().unwrap();
            let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
            params.extended_key_usages = vec![purpose];
            let certificate = params.signed_by(&key, &issuer).unwrap();
            std::fs::write(dir.path().join(format!("{name}.pem")), certificate.pem()).unwrap();
            std::fs::write(dir.path().join(format!("{name}.key")), key.serialize_pem()).unwrap();
        }
        Self { authority, dir }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_and_clients_prove_themselves_with_certificates() {
    let made = Certificates::make();
    let [certificate, key] = ["server.pem", "server.key"].map(|name| made.file(name));
    let cluster = one(&format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\", ca_file: \"{}\", verify: true }}",
        certificate.display(),
        key.display(),
        made.authority.display(),
    ));
    let certificate = Some((made.file("client.pem"), made.file("client.key")));
    let tls = Tls { authority: Some(made.authority.clone()), certificate: certificate.clone(), required: false };
    works(&Options { tls: tls.clone(), ..cluster.options(1) }).await;
    // Another authority did not make the server's certificate.
    let other = Certificates::make();
    let wrong = Tls { authority: Some(other.authority.clone()), certificate, required: false };
    let error = Nats::connect(&Options { tls: wrong, ..cluster.options(1) }).await.map(drop);
    assert!(matches!(error, Err(Error::Tls { .. })), "{error:?}");
    // A plain server is refused if encryption is required.
    let plain = Cluster::alone();
    let error = Nats::connect(&Options { tls, ..plain.options(1) }).await.map(drop);
    assert!(matches!(error, Err(Error::Tls { .. } | Error::Connect { .. })), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stands_alone_cannot_keep_three_copies() {
    let cluster = Cluster::alone();
    let three = Options { replicas: 3, ..cluster.options(1) };
    let error = Nats::connect(&three).await.map(drop);
    assert!(matches!(error, Err(Error::StandsAlone { replicas: 3, .. })), "{error:?}");
    works(&cluster.options(1)).await;
    let error = Nats::connect(&three).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("`nats stream edit ab-0 --replicas 3`"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_says_itself_how_many_streams_it_has() {
    let cluster = Cluster::alone();
    let first = Nats::connect(&Options { streams: 5, ..cluster.options(1) }).await.unwrap();
    let second = Nats::connect(&Options { streams: 2, identity: 8, ..cluster.options(2) }).await.unwrap();
    assert_eq!((first.streams(), second.streams()), (5, 5));
    assert_eq!(first.start(), second.start());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_an_older_release_are_counted() {
    let cluster = Cluster::alone();
    let context = cluster.stranger().await;
    for number in 0..4 {
        let config = async_nats::jetstream::stream::Config {
            name: format!("ab-{number}"),
            subjects: vec![format!("ab.{number}.>")],
            description: Some("askbridge journal 000000000000feed".to_owned()),
            duplicate_window: Duration::from_secs(30),
            ..Default::default()
        };
        context.create_stream(config).await.unwrap();
    }
    let node = Nats::connect(&cluster.options(1)).await.unwrap();
    assert_eq!(node.streams(), 4);
    assert_eq!(node.start(), "cur_000000000000feed_0_0_0_0".parse::<Cursor>().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_that_lose_messages_are_refused() {
    let cluster = Cluster::alone();
    drop(Nats::connect(&cluster.options(1)).await.unwrap());
    let context = cluster.stranger().await;
    let stream = context.get_stream("ab-1").await.unwrap();
    let mut config = stream.cached_info().config.clone();
    config.max_age = Duration::from_secs(3600);
    context.update_stream(&config).await.unwrap();
    let error = Nats::connect(&cluster.options(1)).await.map(drop).unwrap_err().to_string();
    assert!(error.contains("`nats stream edit ab-1 --max-age 0s`"), "{error}");
    let other = Options { name: "KV_ab".to_owned(), ..cluster.options(1) };
    context
        .create_stream(async_nats::jetstream::stream::Config { name: "KV_ab-0".to_owned(), ..Default::default() })
        .await
        .unwrap();
    let error = Nats::connect(&other).await.map(drop);
    assert!(matches!(error, Err(Error::NotOurs { .. })), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_say_whether_they_sync_before_they_acknowledge() {
    let cluster = Cluster::start();
    let node = cluster.node(1).await;
    let mut monitors = cluster.monitors();
    assert_eq!(Nats::check_sync(&monitors).await, SyncAlways::Verified);
    monitors.pop();
    let SyncAlways::Unknown { why } = Nats::check_sync(&monitors).await else { panic!("one was not asked") };
    assert_eq!(why, "the cluster has 3 servers, 2 of them were asked");
    assert!(matches!(Nats::check_sync(&[]).await, SyncAlways::Unknown { .. }));
    let not_one = [cluster.url().replace("nats://", "http://").split(',').next().unwrap().to_owned()];
    assert!(matches!(Nats::check_sync(&not_one).await, SyncAlways::Unknown { .. }));
    let lax = Cluster::with(&Setup { servers: 1, syncs_always: false, ..Setup::default() });
    drop(Nats::connect(&lax.options(1)).await.unwrap());
    assert_eq!(Nats::check_sync(&lax.monitors()).await, SyncAlways::NotSet { servers: vec!["n0".to_owned()] });
    assert!(matches!(node.health(), Health::Following));
}
