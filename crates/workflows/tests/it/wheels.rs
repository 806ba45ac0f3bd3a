//! Both generations of gobby's own files are loaded.

use std::collections::BTreeSet;

use askbridge_workflows::{FileKind, FindingKind, RuleStatus, Workflows};

use crate::tools::{FIRST, SECOND, files};

fn load(version: &str) -> (Workflows, Vec<askbridge_workflows::Finding>) {
    Workflows::load(files(version).into_iter())
}

fn kinds(workflows: &Workflows, kind: FileKind) -> usize {
    workflows.report().files.iter().filter(|file| file.kind == kind).count()
}

#[test]
fn every_file_of_the_first_generation_is_understood() {
    let (workflows, findings) = load(FIRST);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.kind == FindingKind::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(kinds(&workflows, FileKind::Lifecycle), 2);
    assert_eq!(kinds(&workflows, FileKind::Unreadable), 0);
    assert_eq!(kinds(&workflows, FileKind::NamedRules), 1);
    assert!(kinds(&workflows, FileKind::Steps) >= 7, "{}", kinds(&workflows, FileKind::Steps));
}

#[test]
fn every_file_of_the_second_generation_is_understood() {
    let (workflows, findings) = load(SECOND);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.kind == FindingKind::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(kinds(&workflows, FileKind::Rules), 91);
    assert_eq!(kinds(&workflows, FileKind::Agent), 24);
    assert_eq!(kinds(&workflows, FileKind::Pipeline), 16);
    assert_eq!(kinds(&workflows, FileKind::Variables), 1);
    let rules =
        workflows.report().files.iter().filter(|file| file.kind == FileKind::Rules).flat_map(|file| &file.rules);
    assert_eq!(rules.count(), 129);
}

#[test]
fn what_has_no_effect_here_is_listed_once() {
    let (_, findings) = load(SECOND);
    let without = findings.iter().filter(|finding| finding.kind == FindingKind::WithoutEffect);
    let names: Vec<&str> = without.map(|finding| finding.what.split(": without").next().unwrap_or_default()).collect();
    let distinct: BTreeSet<&&str> = names.iter().collect();
    assert_eq!(names.len(), distinct.len());
    for effect in ["effect `mcp_call`", "effect `load_skill`", "pipeline"] {
        assert!(names.iter().any(|name| name.starts_with(effect)), "{effect} is not in {names:#?}");
    }
}

#[test]
fn a_rule_that_needs_the_daemon_is_inactive_and_names_what_it_needs() {
    let (workflows, findings) = load(SECOND);
    let rules = workflows.report().files.iter().flat_map(|file| &file.rules);
    let inactive: Vec<_> = rules.filter(|rule| rule.status == RuleStatus::Inactive).collect();
    assert!(inactive.len() >= 15, "{inactive:#?}");
    let skill = inactive.iter().find(|rule| rule.name == "require-python-skill").expect("it asks for a skill");
    assert_eq!(skill.why.as_deref(), Some("it needs `skill_loaded()`, which only gobby's daemon knows"));
    for rule in &inactive {
        let listed = |finding: &&askbridge_workflows::Finding| finding.rule.as_deref() == Some(&rule.name);
        assert!(findings.iter().any(|finding| listed(&finding)), "{} is not listed", rule.name);
    }
}

#[test]
fn a_rewrite_that_needs_a_program_of_gobbys_does_not_act() {
    let (workflows, _) = load(SECOND);
    let mut rules = workflows.report().files.iter().flat_map(|file| &file.rules);
    let compress = rules.find(|rule| rule.name == "compress-bash-output").expect("0.4.6 has it");
    assert_eq!((compress.status, compress.acts.len()), (RuleStatus::WithoutEffect, 0));
}

#[test]
fn the_report_can_be_printed_as_json() {
    let (workflows, _) = load(SECOND);
    let json = serde_json::to_value(workflows.report()).expect("a report is plain data");
    assert_eq!(json["totals"]["files"], 138);
    assert_eq!(json["totals"]["wrong"], 0);
    assert!(json["totals"]["active"].as_u64().is_some_and(|active| active > 60), "{}", json["totals"]);
}
