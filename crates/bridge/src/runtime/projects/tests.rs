use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

const DENY: &str = "[[rules]]\nname = \"no pushes\"\ndo = \"deny\"\nwords = \"No.\"\ntool = \"Bash(git push *)\"\n";
const ALLOW: &str = "[[rules]]\nname = \"all\"\ndo = \"allow\"\ntool = \"Bash\"\n";

fn at(number: i64) -> Timestamp {
    Timestamp(number * 10_000)
}

fn write(folder: &TempDir, below: &str, text: &str) {
    let folder = folder.path().join(below).join(".askbridge");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("rules.toml"), text).unwrap();
}

fn on() -> Projects {
    let projects = Projects::default();
    projects.switch_on(ProjectOptions::default());
    projects
}

async fn look(projects: &Projects, folder: &Path, now: Timestamp) -> Option<Arc<ProjectFile>> {
    match projects.known(folder.to_str(), now) {
        Ok(known) => known,
        Err(first) => projects.look_for(first, now).await,
    }
}

#[tokio::test]
async fn the_nearest_file_counts_up_to_the_root_of_the_repository() {
    let (scratch, projects) = (tempfile::tempdir().unwrap(), on());
    let deep = scratch.path().join("repo/a/b");
    fs::create_dir_all(&deep).unwrap();
    write(&scratch, "", DENY);
    assert!(look(&projects, &deep, at(0)).await.is_none(), "without a repository, further up is another project");
    assert!(look(&projects, scratch.path(), at(0)).await.is_some(), "the folder itself counts always");
    fs::create_dir(scratch.path().join("repo/.git")).unwrap();
    assert!(look(&projects, &deep, at(1)).await.is_none(), "above the repository is another project");
    write(&scratch, "repo", DENY);
    let found = look(&projects, &deep, at(2)).await.unwrap();
    assert_eq!(Path::new(&found.folder), scratch.path().join("repo"));
    write(&scratch, "repo/a", DENY);
    let found = look(&projects, &deep, at(3)).await.unwrap();
    assert_eq!(Path::new(&found.folder), scratch.path().join("repo/a"));
}

#[tokio::test]
async fn a_broken_version_leaves_the_last_good_one_in_force_and_a_file_that_is_gone_does_not() {
    let (scratch, projects, ours) = (tempfile::tempdir().unwrap(), on(), RuleSet::default());
    write(&scratch, "", DENY);
    let good = look(&projects, scratch.path(), at(0)).await.unwrap();
    assert_eq!((good.rules(&ours).set().len(), good.problems(&ours).count()), (1, 0));
    write(&scratch, "", "[[rules]]\nname = \"x\"\ndo = \"dent\"\n");
    assert_eq!(look(&projects, scratch.path(), at(0)).await.unwrap().problems(&ours).count(), 0, "within a second");
    let broken = look(&projects, scratch.path(), at(1)).await.unwrap();
    let problem = broken.problems(&ours).next().unwrap();
    assert_eq!((problem.line, problem.column, &*problem.what), (3, 6, "a rule cannot `dent`"));
    assert_eq!(broken.rules(&ours).set().len(), 1, "the last good one");
    fs::remove_file(scratch.path().join(PROJECT_FILE)).unwrap();
    assert!(look(&projects, scratch.path(), at(2)).await.is_none());
}

#[tokio::test]
async fn a_rule_that_loosens_is_refused_with_its_place_and_the_others_count_unless_the_folder_is_trusted() {
    let (scratch, projects) = (tempfile::tempdir().unwrap(), on());
    write(&scratch, "", &format!("{DENY}{ALLOW}"));
    let found = look(&projects, scratch.path(), at(0)).await.unwrap();
    let ours = RuleSet::default();
    assert_eq!(found.rules(&ours).set().len(), 1);
    let problem = found.problems(&ours).next().unwrap();
    assert_eq!(
        (problem.line, problem.column, &*problem.what),
        (8, 6, "a project's rules cannot `allow`, only `deny` and `ask`")
    );
    assert!(problem.hint.as_ref().unwrap().contains("the operator can trust the folder"), "{problem:?}");
    let trusting = RuleSet::default().trusting(vec![scratch.path().display().to_string()]);
    assert_eq!((found.rules(&trusting).set().len(), found.problems(&trusting).count()), (2, 0));
}

#[tokio::test]
async fn links_folders_fifos_and_long_files_are_refused_and_nothing_is_waited_for() {
    let ours = RuleSet::default();
    type Make = fn(&Path);
    let make: [(&str, Make); 4] = [
        ("it is not a regular file", |file| symlink("/etc/hostname", file).unwrap()),
        ("it is not a regular file", |file| fs::create_dir(file).unwrap()),
        ("it is not a regular file", |file| {
            assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
        }),
        ("file too large", |file| fs::write(file, "#".repeat(limits::PROJECT_RULES_BYTES_MAX + 1)).unwrap()),
    ];
    for (why, make) in make {
        let (scratch, projects) = (tempfile::tempdir().unwrap(), on());
        fs::create_dir(scratch.path().join(".askbridge")).unwrap();
        make(&scratch.path().join(PROJECT_FILE));
        let found = look(&projects, scratch.path(), at(0)).await.unwrap();
        let what = &found.problems(&ours).next().unwrap().what;
        assert_eq!(*what, format!("could not read the project's rules: {why}"));
    }
}

#[tokio::test]
async fn only_so_many_files_and_folders_are_kept() {
    let (scratch, projects) = (tempfile::tempdir().unwrap(), on());
    for number in 0..limits::PROJECT_FILES_MAX + 3 {
        write(&scratch, &number.to_string(), DENY);
        assert!(look(&projects, &scratch.path().join(number.to_string()), at(number as i64)).await.is_some());
    }
    assert_eq!(projects.files().len(), limits::PROJECT_FILES_MAX);
    for number in 0..limits::PROJECT_FOLDERS_MAX + 3 {
        look(&projects, &scratch.path().join(format!("none/{number}")), at(number as i64)).await;
    }
    assert_eq!(projects.known.lock().folders.len(), limits::PROJECT_FOLDERS_MAX);
}

#[tokio::test]
async fn what_is_no_plain_path_is_not_looked_at() {
    let (scratch, projects) = (tempfile::tempdir().unwrap(), on());
    write(&scratch, "", DENY);
    for folder in [scratch.path().join("a/.."), PathBuf::from("relative"), PathBuf::from("")] {
        assert!(look(&projects, &folder, at(0)).await.is_none(), "{folder:?}");
    }
    let off = Projects::default();
    assert!(off.known(scratch.path().to_str(), at(0)).is_ok_and(|found| found.is_none()), "before rules are read");
}
