//! Where a script runs: its folder and its branch.

use askbridge_bridge::hooks::branch_of;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Whereabouts {
    pub(super) folder: Option<String>,
    pub(super) branch: Option<String>,
}

impl Whereabouts {
    pub(super) fn here() -> Self {
        match std::env::current_dir() {
            Ok(folder) => Self { branch: branch_of(&folder), folder: Some(folder.display().to_string()) },
            Err(_) => Self::default(),
        }
    }
}
