//! Where a script runs: its folder and its branch.

use askbridge_bridge::hooks::branch_of;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    pub(crate) folder: Option<String>,
    pub(crate) branch: Option<String>,
}

impl Whereabouts {
    pub(crate) fn here() -> Self {
        match std::env::current_dir() {
            Ok(folder) => Self { branch: branch_of(&folder), folder: Some(folder.display().to_string()) },
            Err(_) => Self::default(),
        }
    }
}
