//! Hints on what a call may do, guessed from its text.
//!
//! A hint says that something in the call looks like this. A missing hint proves nothing: a script can do anything. So
//! hints are conditions only of rules that deny, ask, park or set terms; a rule that says yes and has one matches nothing.

use std::fmt;

/// What a call may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Risk {
    /// Deletes files, data or what runs elsewhere.
    Deletes,
    /// Overwrites the history of a repository.
    RewritesHistory,
    /// Runs as another user, as a rule the administrator.
    Privileged,
    /// Reaches the network.
    Network,
    /// Runs code that it downloads.
    RunsDownloadedCode,
    /// Publishes or pushes.
    Publishes,
    /// Names keys or other secrets.
    Secrets,
    /// Writes outside of the session's folder, or names a file there.
    OutsideFolder,
    /// Writes to a device or to the system's own folders.
    System,
}

impl Risk {
    pub const ALL: [Self; 9] = [
        Self::Deletes,
        Self::RewritesHistory,
        Self::Privileged,
        Self::Network,
        Self::RunsDownloadedCode,
        Self::Publishes,
        Self::Secrets,
        Self::OutsideFolder,
        Self::System,
    ];

    /// The name in a rule file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deletes => "deletes",
            Self::RewritesHistory => "rewrites_history",
            Self::Privileged => "privileged",
            Self::Network => "network",
            Self::RunsDownloadedCode => "runs_downloaded_code",
            Self::Publishes => "publishes",
            Self::Secrets => "secrets",
            Self::OutsideFolder => "outside_folder",
            Self::System => "system",
        }
    }

    /// Is it so grave that no rule is offered to allow such a call from now on?
    pub fn is_grave(self) -> bool {
        !matches!(self, Self::Network | Self::Publishes)
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The hints on one call.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Risks(u16);

impl Risks {
    /// Every hint: of a call that cannot be read, nothing is known.
    pub fn all() -> Self {
        Risk::ALL.into_iter().collect()
    }

    pub fn add(&mut self, risk: Risk) {
        self.0 |= risk.bit();
    }

    pub fn has(self, risk: Risk) -> bool {
        self.0 & risk.bit() != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Risk> {
        Risk::ALL.into_iter().filter(move |risk| self.has(*risk))
    }
}

impl FromIterator<Risk> for Risks {
    fn from_iter<T: IntoIterator<Item = Risk>>(risks: T) -> Self {
        let mut all = Self::default();
        risks.into_iter().for_each(|risk| all.add(risk));
        all
    }
}

impl fmt::Debug for Risks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
