//! The change of the settings file: only what is ours, and nothing that the person has set.

use std::fs;
use std::path::PathBuf;

use askbridge_config::{Config, Source};
use askbridge_edits::{Change, Error, Format, Node, Part, Target, install, read, uninstall};

use super::plan::{OURS, Plan, full_name, node};
use super::record::Record;
use crate::failure::Failure;
use crate::output::{print, visible};
use crate::settings::Settings;

/// Refuses a plan that would overwrite what a person has set, or that has no effect because something else wins.
pub(super) fn look_ahead(config: &Config, plan: &Plan, record: Option<&Record>) -> Result<(), Failure> {
    let file = file_of(config)?;
    let text = fs::read_to_string(&file).unwrap_or_default();
    let now = read(Format::Toml, &text).unwrap_or(Node::Object(Vec::new()));
    for (section, name) in OURS {
        let full = full_name(section, name);
        let set = if section.is_empty() { now.get(name) } else { now.get(section).and_then(|table| table.get(name)) };
        let wanted = plan.wants(section, name);
        if let Some(set) = set.map(Node::value) {
            let is_ours = record.is_some_and(|record| record.wrote(&full, &set));
            if !is_ours && wanted != Some(&set) {
                let what = format!("`{full}` is already set in `{}`, and not by `askbridge expose`", file.display());
                return Err(Failure::new(what).hint(match wanted {
                    Some(wanted) => format!("take that line out, or set it to {wanted} yourself, and try again"),
                    None => "take that line out, because it belongs to another way of being reached".to_owned(),
                }));
            }
        }
        let shown = config.shown().find(|shown| shown.key.name == full);
        if let (Some(shown), Some(_)) = (shown, wanted)
            && let source @ (Source::Env(_) | Source::Flag(_)) = shown.source
        {
            let what = format!("`{full}` is set by {source}, which wins over the settings file");
            return Err(Failure::new(what).hint("leave that out, here and where the server is started"));
        }
    }
    Ok(())
}

/// The change as a person reads it, without making it.
pub(super) fn diff(
    config: &Config,
    settings: &Settings,
    plan: &Plan,
    record: Option<&Record>,
) -> Result<String, Failure> {
    let change = install(&target(config, settings, plan, record)?, true).map_err(failed)?;
    Ok(if change.is_none() { String::new() } else { visible(&change.diff()).trim_end().to_owned() })
}

/// Writes the settings and the record. Returns whether the settings have changed.
pub(super) fn write(
    config: &Config,
    settings: &Settings,
    plan: &Plan,
    record: Option<&Record>,
) -> Result<bool, Failure> {
    let target = target(config, settings, plan, record)?;
    // Another file was named then: what is ours there would stay for ever.
    if let Some(record) = record.filter(|record| record.file != target.file) {
        take_out(settings, record, false)?;
    }
    // First, so that what is in the settings is never without it.
    Record::of(plan, target.file.clone()).write(settings)?;
    let change = install(&target, false).map_err(failed)?;
    tell_change(&change)?;
    Ok(!change.is_none())
}

/// Takes what we wrote out of the settings.
pub(super) fn take_out(settings: &Settings, record: &Record, dry: bool) -> Result<Change, Failure> {
    let ours = OURS.iter().filter(|(section, name)| record.has(&full_name(section, name)));
    let parts = ours.map(|(section, name)| part(section, name, None)).collect();
    let change = uninstall(&Target { parts, ..empty(settings, record.file.clone()) }, dry).map_err(failed)?;
    if !dry {
        tell_change(&change)?;
    }
    Ok(change)
}

fn target(config: &Config, settings: &Settings, plan: &Plan, record: Option<&Record>) -> Result<Target, Failure> {
    let mut parts = Vec::new();
    for (section, name) in OURS {
        match plan.wants(section, name) {
            Some(wanted) => parts.push(part(section, name, Some(node(wanted)))),
            None if record.is_some_and(|record| record.has(&full_name(section, name))) => {
                parts.push(part(section, name, None));
            }
            None => {}
        }
    }
    Ok(Target { parts, ..empty(settings, file_of(config)?) })
}

fn empty(settings: &Settings, file: PathBuf) -> Target {
    let receipts = settings.data.join("installed");
    Target { file, format: Format::Toml, parts: Vec::new(), plain_json: false, locked_by_folder: false, receipts }
}

fn part(section: &str, name: &str, wanted: Option<Node>) -> Part {
    let table = if section.is_empty() { Vec::new() } else { vec![section.to_owned()] };
    // What is not ours was refused before.
    Part::Entry { table, name: name.to_owned(), wanted, former: &[], is_ours: |_| true }
}

fn file_of(config: &Config) -> Result<PathBuf, Failure> {
    let none = || Failure::new("there is no telling where the settings file lies").hint("name it with `--config FILE`");
    let file = config.file.as_ref().ok_or_else(none)?;
    Ok(std::path::absolute(file)?)
}

fn tell_change(change: &Change) -> Result<(), Failure> {
    let file = change.file.display();
    if change.is_none() {
        return Ok(print(&format!("{file}: nothing to change"))?);
    }
    print(&format!("{file}: changed"))?;
    print(visible(&change.diff()).trim_end())?;
    if let Some(backup) = &change.backup {
        print(&format!("  what was there before: {}", backup.display()))?;
    }
    Ok(())
}

fn failed(error: Error) -> Failure {
    let file = match &error {
        Error::Document { .. } => "nothing was changed; correct the file, or write the lines of `--dry-run` yourself",
        Error::ReadOnly { .. } => "nothing was changed; write the lines of `--dry-run` as the user who may",
        _ => "nothing was changed",
    };
    Failure::from(anyhow::Error::from(error)).hint(file)
}
