//! Checks the limit of open files: each connection is one.

use askbridge_platform::limits;

use super::super::finding::Finding;
use super::super::patient::Patient;

/// Below this, it is not enough for a handful of browsers and agents.
const BAD_BELOW: u64 = 128;
/// Below this, it is not enough for a team.
const WARN_BELOW: u64 = 1024;

pub(super) async fn look(_: &Patient) -> Vec<Finding> {
    vec![judge(limits::open_files())]
}

/// `None`: no limit.
fn judge(limit: Option<u64>) -> Finding {
    let Some(limit) = limit else { return Finding::good("any number of files may be open") };
    let what = format!("{limit} files may be open, and each connection is one");
    let hint = "before `askbridge`, type `ulimit -n 4096`; for a service, set LimitNOFILE";
    match limit {
        ..BAD_BELOW => Finding::bad(what, hint),
        BAD_BELOW..WARN_BELOW => Finding::warning(what, hint),
        _ => Finding::good(what),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Health;
    use super::*;

    #[test]
    fn a_low_limit_is_noticed() {
        assert_eq!(judge(Some(64)).health, Health::Bad);
        assert_eq!(judge(Some(256)).health, Health::Warning);
        assert_eq!(judge(Some(65_536)).health, Health::Good);
        assert_eq!(judge(None).health, Health::Good);
    }
}
