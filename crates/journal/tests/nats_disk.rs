//! The disk of one of three NATS servers is full.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cluster;

use std::path::Path;
use std::process::Command;

use askbridge_journal::conformance::{self, Names};
use askbridge_journal::{AppendError, Guard, Journal};

use cluster::{Cluster, Setup};

/// Bytes of the small disk.
const DISK: usize = 8 * 1024 * 1024;
/// Bytes of one piece of content.
const PIECE: usize = 60 * 1024;

/// A disk of a few megabytes in memory, unmounted at the end.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None`: this process may not mount anything.
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={DISK}");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(dir.path()).output();
        mount.is_ok_and(|mount| mount.status.success()).then_some(Self(dir))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("--lazy").arg(self.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "the small disk stays mounted");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_of_one_server_stops_nothing_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("not tried: this user may not mount a small disk");
        return;
    };
    let setup = Setup { first_store: Some(disk.path().to_owned()), ..Setup::default() };
    let cluster = Cluster::with(&setup);
    let node = cluster.node(1).await;
    let index = node.index(None).await.unwrap();
    let names = Names::new(1);
    let sessions = [(); 6].map(|()| names.session());
    let piece = "x".repeat(PIECE);
    let mut written = [0; 6];
    // Twice what fits.
    for number in 0..2 * DISK / PIECE {
        let (session, written) = (sessions[number % 6], &mut written[number % 6]);
        let entry = names.noticed(session, &piece);
        // An append whose outcome is unknown is repeated with the same entry, as every writer does.
        loop {
            match node.append(entry.clone(), Guard::Unguarded).await {
                Err(AppendError::Unknown) => {}
                Ok(_) => break,
                Err(error) => panic!("{error}"),
            }
        }
        *written += 1;
    }
    for (session, written) in sessions.into_iter().zip(written) {
        let (mut found, mut after) = (0, None);
        while let Some(last) = {
            let page = node.read(session, None, after, 100).await.unwrap();
            found += page.len();
            page.last().map(|stored| stored.position)
        } {
            after = Some(last);
        }
        assert_eq!(found, written);
    }
    conformance::a_node_reads_its_own_writes(&node, &index, &names).await;
    conformance::all_of_the_watch(&node, &names).await;
    drop(cluster);
}
