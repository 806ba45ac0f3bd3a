use std::fs;

use super::*;

fn rule(name: &str, rest: &str) -> String {
    format!("rules:\n  {name}:\n    event: before_tool\n    enabled: true\n    effects: [{rest}]\n")
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const BLOCK: &str = "{type: block, tools: [Bash], reason: No.}";

#[test]
fn a_folder_is_read_with_the_places_of_its_rules() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    write(folder, "rules/a.yaml", &rule("no-push", BLOCK));
    write(folder, "notes.txt", "not a rule");
    let steps = "name: own\nsteps:\n  - {name: look, allowed_tools: [Read]}\n";
    write(folder, "own.yml", steps);
    let loaded = load(folder, Bounds::OPERATOR).unwrap();
    assert_eq!((loaded.report.totals.files, loaded.report.totals.active), (2, 2));
    let place = |line, file: &str| RulePlace { file: folder.join(file).display().to_string(), line };
    assert_eq!(loaded.place("no-push"), Some(place(2, "rules/a.yaml")));
    assert_eq!(loaded.place("own/look"), Some(place(3, "own.yml")));
    assert_eq!(loaded.place("own/look/on_enter/1"), Some(place(3, "own.yml")));
    assert_eq!(loaded.place("own"), Some(place(1, "own.yml")));
    assert_eq!(loaded.place("nothing"), None);
}

#[test]
fn a_file_that_breaks_counts_as_before_and_the_others_as_they_are() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    write(folder, "a.yaml", &rule("a", BLOCK));
    write(folder, "b.yaml", &rule("b", BLOCK));
    let roots = [folder.to_owned()];
    let first = Loaded::read(folder, &roots, Bounds::OPERATOR, None).unwrap();
    write(folder, "a.yaml", "rules: [\n");
    write(folder, "b.yaml", &rule("c", BLOCK));
    let second = Loaded::read(folder, &roots, Bounds::OPERATOR, Some(&first)).unwrap();
    let names = |loaded: &Loaded| -> Vec<String> {
        let rules = loaded.report.files.iter().flat_map(|file| &file.rules);
        rules.filter(|rule| rule.status == RuleStatus::Active).map(|rule| rule.name.clone()).collect()
    };
    assert_eq!(names(&second), ["a", "c"]);
    let errors: Vec<_> = second.report.findings.iter().filter(|it| it.kind == FindingKind::Error).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].file, "a.yaml");
    assert!(errors[0].what.ends_with("; its last good version stays in force"), "{}", errors[0].what);
    // The last good version outlives several broken ones, and the file is read again once it is mended.
    let third = Loaded::read(folder, &roots, Bounds::OPERATOR, Some(&second)).unwrap();
    assert_eq!(names(&third), ["a", "c"]);
    write(folder, "a.yaml", &rule("d", BLOCK));
    let mended = Loaded::read(folder, &roots, Bounds::OPERATOR, Some(&third)).unwrap();
    assert_eq!((names(&mended), mended.report.is_good()), (vec!["d".to_owned(), "c".to_owned()], true));
    // At first, a file that is broken has no good version.
    write(folder, "a.yaml", "rules: [\n");
    let fresh = Loaded::read(folder, &roots, Bounds::OPERATOR, None).unwrap();
    assert_eq!((names(&fresh), fresh.report.is_good()), (vec!["c".to_owned()], false));
}

#[test]
fn only_rules_that_can_let_an_agent_do_more_need_agreement() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let first = rule("a", BLOCK);
    let rewrites = "  b:\n    event: before_tool\n    enabled: true\n    effects: [{type: rewrite_input, tools: [Bash], input_updates: {command: ls}}]\n";
    write(
        folder,
        "a.yaml",
        &format!("{first}{rewrites}  c:\n    event: stop\n    enabled: true\n    effects: [{BLOCK}]\n"),
    );
    let loaded = load(folder, Bounds::OPERATOR).unwrap();
    assert_eq!(loaded.loosening(), [format!("# a.yaml:6\n{}", rewrites.trim_end())]);
    let findings: Vec<_> = loaded.loosening_findings().collect();
    assert_eq!(findings.len(), 1);
    assert_eq!(
        findings[0].to_string(),
        "a.yaml:6: b: its effect does not count, because it can let an agent do more: rewrite_input"
    );
    let digest = loaded.digest().to_owned();
    write(folder, "z.yaml", &rule("z", BLOCK));
    assert_ne!(load(folder, Bounds::OPERATOR).unwrap().digest(), digest, "the agreement is for all files as they are");
}

#[test]
fn what_is_too_much_is_refused_file_by_file() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    write(folder, "a.yaml", &rule("a", BLOCK));
    write(folder, "b.yaml", &format!("# {}\n{}", "x".repeat(2 << 20), rule("b", BLOCK)));
    let loaded = load(folder, Bounds::OPERATOR).unwrap();
    assert_eq!((loaded.report.totals.files, loaded.report.totals.active), (2, 1));
    assert!(loaded.report.findings[0].what.starts_with("the file is too large"), "{:?}", loaded.report.findings);
    let tight = load(folder, Bounds { bytes_max: 10 }).unwrap();
    assert!(tight.report.findings.iter().any(|finding| finding.what.contains("more than 10 bytes together")));
    assert!(load(&folder.join("none"), Bounds::OPERATOR).is_err());
}
