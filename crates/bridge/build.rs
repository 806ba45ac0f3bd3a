//! The web app is embedded in the binary, so a new build of it triggers a rebuild of this crate.

fn main() {
    println!("cargo::rerun-if-changed=../../web/app/dist");
}
