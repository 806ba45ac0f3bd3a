//! `cargo xtask deny`: checks our dependencies against `deny.toml`, and that each of them is used.
//!
//! Our own instead of `cargo-deny`, which takes minutes to build and is not available as a package: licences, banned
//! crates and sources are all in the output of `cargo metadata`. The file has the format of `cargo-deny`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::run::{output, root};
use crate::tidy::{names, sources};

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// The platform of the published build; dependencies of other platforms are not checked.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

pub(crate) fn run() -> Result<()> {
    let file = fs::read_to_string(root().join("deny.toml"))?;
    let rules = Rules::read(&file).context("could not make sense of deny.toml")?;
    let manifest = root().join("Cargo.toml");
    let metadata = output(
        env!("CARGO"),
        &[
            "metadata",
            "--format-version=1",
            "--locked",
            &format!("--filter-platform={PLATFORM}"),
            &format!("--manifest-path={}", manifest.display()),
        ],
    )?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut complaints = Vec::new();
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let libraries = libraries(packages);
    for package in packages {
        rules.look(package, &mut complaints);
        if package["source"].is_null() {
            unused(package, &libraries, &mut complaints)?;
        }
    }
    unwanted(&metadata, &mut complaints)?;
    if complaints.is_empty() {
        eprintln!("dependencies are as deny.toml wants them, and each is used");
        return Ok(());
    }
    bail!("dependencies:\n  {}", complaints.join("\n  "));
}

struct Rules {
    licenses: Vec<String>,
    banned: Vec<String>,
}

impl Rules {
    fn read(text: &str) -> Result<Self> {
        let table = DeTable::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let list = |section: &str, key: &str| -> Result<Vec<DeValue<'_>>> {
            let section = table.get_ref().get(section).and_then(|section| section.get_ref().as_table());
            let list = section.and_then(|section| section.get(key)?.get_ref().as_array());
            let list = list.with_context(|| format!("there is no list `{key}`"))?;
            Ok(list.iter().map(|item| item.get_ref().clone()).collect())
        };
        let licenses = list("licenses", "allow")?.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect();
        let banned = list("bans", "deny")?;
        let name = |item: &DeValue<'_>| Some(item.as_table()?.get("crate")?.get_ref().as_str()?.to_owned());
        Ok(Self { licenses, banned: banned.iter().filter_map(name).collect() })
    }

    fn look(&self, package: &Value, complaints: &mut Vec<String>) {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let (name, license, source) = (text("name"), text("license"), text("source"));
        if !is_allowed(license, &self.licenses) {
            complaints.push(format!("{name} has the licence `{license}`, which deny.toml does not allow"));
        }
        if self.banned.iter().any(|banned| banned == name) {
            complaints.push(format!("{name} is banned by deny.toml"));
        }
        if !source.is_empty() && source != CRATES_IO {
            complaints.push(format!("{name} comes from `{source}`, which is not crates.io"));
        }
        let wild = |dependency: &&Value| dependency["req"] == "*" && dependency["path"].is_null();
        for dependency in package["dependencies"].as_array().into_iter().flatten().filter(wild) {
            if source.is_empty() {
                complaints.push(format!("{name} takes any version of {}", dependency["name"]));
            }
        }
    }
}

/// Does a licence expression (`MIT OR (Apache-2.0 AND ISC)`, or with a slash) leave a choice that is allowed?
fn is_allowed(license: &str, allowed: &[String]) -> bool {
    let spaced = license.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "_WITH_");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let good = either(&mut rest, allowed);
    good && rest.is_empty()
}

fn either(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut good = both(rest, allowed);
    while let Some((&"OR", tail)) = rest.split_first() {
        *rest = tail;
        good |= both(rest, allowed);
    }
    good
}

fn both(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut good = one(rest, allowed);
    while let Some((&"AND", tail)) = rest.split_first() {
        *rest = tail;
        good &= one(rest, allowed);
    }
    good
}

fn one(rest: &mut &[&str], allowed: &[String]) -> bool {
    let Some((word, tail)) = rest.split_first() else { return false };
    *rest = tail;
    if *word != "(" {
        return allowed.iter().any(|allowed| *allowed == word.replace("_WITH_", " WITH "));
    }
    let good = either(rest, allowed);
    let Some((&")", tail)) = rest.split_first() else { return false };
    *rest = tail;
    good
}

/// Returns the name that code uses for each package whose library is called differently: `webpki` of `rustls-webpki`.
fn libraries(packages: &[Value]) -> BTreeMap<&str, &str> {
    fn library(package: &Value) -> Option<(&str, &str)> {
        let targets = package["targets"].as_array()?.iter();
        let mut libraries =
            targets.filter(|target| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"lib".into())));
        Some((package["name"].as_str()?, libraries.next()?["name"].as_str()?))
    }
    packages.iter().filter_map(library).collect()
}

/// Finds dependencies of one of our crates that its code never names.
fn unused(package: &Value, libraries: &BTreeMap<&str, &str>, complaints: &mut Vec<String>) -> Result<()> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().context("a manifest is in a folder")?;
    let code = |folder: &Path| -> Result<String> {
        let files = if folder.is_dir() { sources(folder)? } else { Vec::new() };
        files.iter().map(|file| Ok(fs::read_to_string(file)?)).collect()
    };
    let (of_itself, all) = (code(&folder.join("src"))?, code(folder)?);
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let name = dependency["name"].as_str().unwrap_or_default();
        let code = if dependency["kind"].is_null() { &of_itself } else { &all };
        let word = dependency["rename"].as_str().or(libraries.get(name).copied()).unwrap_or(name).replace('-', "_");
        if !code.lines().any(|line| names(line, &word)) {
            complaints.push(format!("{} does not use its dependency {name}", package["name"]));
        }
    }
    Ok(())
}

/// Finds versions pinned by the workspace that none of its crates uses.
fn unwanted(metadata: &Value, complaints: &mut Vec<String>) -> Result<()> {
    let ours = metadata["packages"].as_array().into_iter().flatten().filter(|package| package["source"].is_null());
    let dependencies = ours.flat_map(|package| package["dependencies"].as_array().into_iter().flatten());
    let wanted: BTreeSet<_> =
        dependencies.filter_map(|dependency| dependency["rename"].as_str().or(dependency["name"].as_str())).collect();
    let text = fs::read_to_string(root().join("Cargo.toml"))?;
    let table = DeTable::parse(&text).map_err(|error| anyhow::anyhow!("{error}"))?;
    let pinned = table.get_ref().get("workspace").and_then(|it| it.get_ref().as_table()?.get("dependencies"));
    let pinned = pinned.and_then(|pinned| pinned.get_ref().as_table()).context("the workspace pins nothing")?;
    for name in pinned.keys().map(|name| name.get_ref()).filter(|name| !wanted.contains(&***name)) {
        complaints.push(format!("the workspace pins {name}, which no crate of it uses"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_licence_of_several_is_enough_and_all_of_several_are_needed() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for good in ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "MIT AND ISC", "(GPL-3.0 OR MIT) AND ISC"] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception OR GPL-3.0", &allowed));
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "(MIT", "MIT ISC", "Apache-2.0"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn a_rule_that_is_broken_is_named() {
        let rules =
            Rules::read("[licenses]\nallow = [\"MIT\"]\n[bans]\ndeny = [{ crate = \"openssl-sys\" }]\n").unwrap();
        let package = serde_json::json!({
            "name": "openssl-sys",
            "license": "GPL-3.0",
            "source": "git+https://example.org/x",
            "dependencies": [],
        });
        let mut complaints = Vec::new();
        rules.look(&package, &mut complaints);
        assert_eq!(complaints.len(), 3, "{complaints:?}");
    }
}
