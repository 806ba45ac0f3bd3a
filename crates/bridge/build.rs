//! The web app is part of the binary: a new build of it is a reason to build us again.

fn main() {
    println!("cargo::rerun-if-changed=../../web/app/dist");
}
