//! Hints on paths: outside of the session's folder, keys and secrets, the system's own.

use askbridge_core::rules::asks::{Risk, Risks};

/// Names of files and folders that hold keys, in lower case.
const SECRETS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".kube",
    ".pgpass",
    ".git-credentials",
    "credentials",
    "secrets",
    "secret",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
];
const SECRET_ENDS: &[&str] = &[".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"];
/// Folders of the system, below the root.
const SYSTEM: &[&str] = &["etc", "boot", "usr", "bin", "sbin", "lib", "lib64", "dev", "proc", "sys"];
/// Devices that anything may be written to.
const HARMLESS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"];

/// Looks at the path that a tool for files is given.
pub(super) fn look(path: &str, folder: Option<&str>, risks: &mut Risks) {
    let path = path.trim();
    if is_secret(path) {
        risks.add(Risk::Secrets);
    }
    if is_outside(path, folder) {
        risks.add(Risk::OutsideFolder);
    }
}

/// Does a path name keys or other secrets?
pub(super) fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase();
    path.split(['/', '\\', '=', ':', '@']).any(|part| {
        let is_env = part == ".env" || (part.starts_with(".env.") && !part.ends_with(".example"));
        let is_key = SECRET_ENDS.iter().any(|end| part.ends_with(end));
        is_env || is_key || SECRETS.contains(&part) || part.contains("private_key") || part.contains("private-key")
    })
}

/// Is it outside of the folder? Links are not followed. Without a folder, nothing is known to be inside.
pub(super) fn is_outside(path: &str, folder: Option<&str>) -> bool {
    if path.is_empty() || HARMLESS.contains(&path) {
        return false;
    }
    if path.starts_with('~') {
        return true;
    }
    // Relative to a folder that is not known: it may only not leave it.
    let Some(folder) = folder else { return path.starts_with('/') || leaves(path) };
    let below = if path.starts_with('/') { String::new() } else { format!("{folder}/") };
    !parts(&format!("{below}{path}")).starts_with(&parts(folder))
}

/// Is it a device, or in a folder of the system?
pub(super) fn is_system(path: &str) -> bool {
    let folder = path.strip_prefix('/').and_then(|path| path.split_once('/')).map(|(folder, _)| folder);
    folder.is_some_and(|folder| SYSTEM.contains(&folder)) && !HARMLESS.contains(&path) && !path.starts_with("/dev/fd/")
}

fn leaves(path: &str) -> bool {
    let mut depth = 0i32;
    path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}
