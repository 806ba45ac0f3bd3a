//! Files on a real disk: links, modes, folders, receipts.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use askbridge_edits::Format::Json;
use askbridge_edits::{Error, Target, install, uninstall};
use tempfile::TempDir;

use crate::ours::{both, hooks_calling};

const TEXT: &str = "{\n  // mine\n  \"model\": \"opus\",\n  \"empty\": { }\n}\n";

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn target(&self, file: &Path) -> Target {
        Target {
            file: file.to_owned(),
            format: Json,
            parts: both(),
            plain_json: false,
            locked_by_folder: false,
            receipts: self.path("data/installed"),
        }
    }

    /// The names of all files in a folder.
    fn list(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn what_was_there_is_kept_and_given_back_to_the_byte() {
    let home = Home::new();
    let file = home.write(".claude/settings.json", TEXT);
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let change = install(&home.target(&file), false).unwrap();
    assert_eq!((change.before.as_deref(), change.after.as_deref()), (Some(TEXT), Some(read(&file).as_str())));
    assert_eq!(read(&change.backup.unwrap()), TEXT);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    assert!(install(&home.target(&file), false).unwrap().is_none(), "twice is once");
    uninstall(&home.target(&file), false).unwrap();
    assert_eq!(read(&file), TEXT);
    assert_eq!(home.list(".claude"), ["settings.json"], "nothing is left lying about");
    assert_eq!(home.list("data"), [""; 0], "no receipt is kept for what is gone");
}

#[test]
fn a_dry_run_says_what_would_change_and_changes_nothing() {
    let home = Home::new();
    let file = home.path("not/there/settings.json");
    let change = install(&home.target(&file), true).unwrap();
    assert!(change.diff().contains("+    \"PermissionRequest\": ["), "{}", change.diff());
    assert!(home.list(".").is_empty());
    let file = home.write("settings.json", TEXT);
    assert!(!install(&home.target(&file), true).unwrap().is_none());
    assert_eq!((read(&file).as_str(), home.list(".")), (TEXT, vec!["settings.json".to_owned()]));
}

#[test]
fn a_file_that_was_made_goes_with_its_folders() {
    let home = Home::new();
    let file = home.path(".claude/deep/settings.json");
    install(&home.target(&file), false).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    uninstall(&home.target(&file), false).unwrap();
    assert!(!home.path(".claude").exists());
}

#[test]
fn a_file_that_was_made_stays_if_something_else_is_in_it_now() {
    let home = Home::new();
    let file = home.path(".claude/settings.json");
    install(&home.target(&file), false).unwrap();
    let text = read(&file).replacen('{', "{\n  \"model\": \"opus\",", 1);
    fs::write(&file, text).unwrap();
    uninstall(&home.target(&file), false).unwrap();
    assert_eq!(read(&file), "{\n  \"model\": \"opus\"\n}\n");
    install(&home.target(&file), false).unwrap();
    fs::write(&file, read(&file).replacen("\"model\": \"opus\",", "", 1)).unwrap();
    uninstall(&home.target(&file), false).unwrap();
    assert_eq!(read(&file), "{}\n", "this one was there when we came the second time");
}

#[test]
fn a_renewal_still_leads_back_to_the_beginning() {
    let home = Home::new();
    let file = home.write("settings.json", TEXT);
    let mut old = home.target(&file);
    old.parts[0] = hooks_calling("/old/askbridge hook");
    install(&old, false).unwrap();
    let change = install(&home.target(&file), false).unwrap();
    assert!(!change.is_none() && read(&change.backup.unwrap()) == TEXT);
    uninstall(&home.target(&file), false).unwrap();
    assert_eq!(read(&file), TEXT);
}

#[test]
fn without_a_receipt_only_ours_is_taken_out() {
    let home = Home::new();
    let file = home.write("settings.json", TEXT);
    install(&home.target(&file), false).unwrap();
    fs::remove_dir_all(home.path("data")).unwrap();
    uninstall(&home.target(&file), false).unwrap();
    assert_eq!(read(&file), TEXT);
}

#[test]
fn a_link_stays_a_link() {
    let home = Home::new();
    let real = home.write("dotfiles/claude.json", TEXT);
    fs::create_dir(home.path(".claude")).unwrap();
    let (link, further) = (home.path(".claude/settings.json"), home.path("further.json"));
    symlink("../dotfiles/claude.json", &link).unwrap();
    symlink(&link, &further).unwrap();
    install(&home.target(&further), false).unwrap();
    assert!(read(&real).contains("askbridge hook"));
    assert!(install(&home.target(&link), false).unwrap().is_none(), "the same file by another name");
    uninstall(&home.target(&link), false).unwrap();
    assert_eq!(read(&real), TEXT);
    for link in [&link, &further] {
        assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    }
    assert_eq!((home.list(".claude").len(), home.list("dotfiles").len()), (1, 1));
}

#[test]
fn a_link_to_nothing_yet_gets_its_file_and_loses_it_again() {
    let home = Home::new();
    let link = home.path("settings.json");
    symlink("elsewhere/claude.json", &link).unwrap();
    install(&home.target(&link), false).unwrap();
    assert!(home.path("elsewhere/claude.json").is_file());
    uninstall(&home.target(&link), false).unwrap();
    assert!(!home.path("elsewhere").exists() && fs::symlink_metadata(&link).unwrap().is_symlink());
    symlink("round", home.path("round")).unwrap();
    assert!(matches!(install(&home.target(&home.path("round")), false), Err(Error::Io { doing: "follow", .. })));
}

#[test]
fn what_is_read_only_is_left_alone_even_by_root() {
    let home = Home::new();
    let file = home.write("settings.json", TEXT);
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(install(&home.target(&file), false), Err(Error::ReadOnly { .. })));
    assert!(install(&home.target(&file), true).is_ok(), "what would change can be shown");
    assert_eq!((read(&file).as_str(), home.list(".")), (TEXT, vec!["settings.json".to_owned()]));
}

#[test]
fn what_is_not_settings_is_left_alone() {
    let home = Home::new();
    let refused = |file: &Path| install(&home.target(file), false).unwrap_err();
    fs::create_dir(home.path("folder.json")).unwrap();
    assert!(matches!(refused(&home.path("folder.json")), Error::NotAFile { .. }));
    fs::write(home.path("binary.json"), b"{\"a\": \"\xff\"}").unwrap();
    assert!(matches!(refused(&home.path("binary.json")), Error::NotText { at: 7, .. }));
    let twice = home.write("twice.json", TEXT);
    fs::hard_link(&twice, home.path("other-name.json")).unwrap();
    assert!(matches!(refused(&twice), Error::HardLinks { names: 2, .. }));
    let broken = home.write("broken.json", "{\n  \"a\": \n}");
    let said = format!("{:#}", Chain(&refused(&broken)));
    assert!(said.ends_with("line 3, column 1: `}` is not a value"), "{said}");
    assert_eq!(read(&broken), "{\n  \"a\": \n}");
    assert!(!home.path("data").exists());
}

/// An error with its causes, as the command line prints it.
struct Chain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        self.0.source().map_or(Ok(()), |source| write!(f, ": {}", Chain(source)))
    }
}

#[test]
fn what_a_killed_one_left_beside_is_cleared_away() {
    let home = Home::new();
    let file = home.write("settings.json", TEXT);
    home.write(".settings.json.askbridge-Xy12ab", "{ half");
    home.write(".settings.json.mine", "not ours");
    install(&home.target(&file), false).unwrap();
    assert_eq!(home.list("."), [".settings.json.mine", "data", "settings.json"]);
}

#[test]
fn the_lock_of_the_files_own_program_is_waited_for_and_given_back() {
    let home = Home::new();
    let file = home.write("settings.json", TEXT);
    let lock = home.path("settings.json.lock");
    fs::create_dir(&lock).unwrap();
    let target = Target { locked_by_folder: true, ..home.target(&file) };
    std::thread::scope(|scope| {
        let installing = scope.spawn(|| install(&target, false));
        // Its program writes while it holds the lock; none of that may be lost.
        for number in 0..20 {
            assert!(!installing.is_finished(), "the lock is ours");
            fs::write(&file, TEXT.replace("opus", &format!("opus-{number}"))).unwrap();
        }
        fs::remove_dir(&lock).unwrap();
        installing.join().unwrap().unwrap();
    });
    assert!(read(&file).contains("opus-19") && read(&file).contains("askbridge hook"));
    assert!(!lock.exists());
}
