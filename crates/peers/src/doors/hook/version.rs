//! Claude Code's version, as it writes it in its records.

/// A version of three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32, u32, u32);

/// The oldest version seen to run its `PermissionRequest` hooks while the dialog is on screen. Older ones may do the
/// same; untested, they count as versions that only have `PreToolUse`.
const ASKS_BESIDE: Version = Version(2, 1, 197);

impl Version {
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = text.trim().split('.').map(|part| {
            let digits = part.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            digits.parse::<u32>().ok()
        });
        Some(Self(numbers.next()??, numbers.next()??, numbers.next()??))
    }

    /// Whether the dialog stays on screen while the hook waits.
    pub fn asks_beside_the_dialog(self) -> bool {
        self >= ASKS_BESIDE
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(major, minor, patch) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(Version::read("2.1.325").unwrap().asks_beside_the_dialog());
        assert!(!Version::read("2.1.99").unwrap().asks_beside_the_dialog());
        assert_eq!(Version::read("2.1.325-beta.1"), Some(Version(2, 1, 325)));
        assert_eq!(Version::read("two"), None);
    }
}
