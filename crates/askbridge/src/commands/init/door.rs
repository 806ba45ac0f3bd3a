//! Finds every entry in other programs' settings that calls us.

use std::fs;
use std::path::PathBuf;

use askbridge_edits::{BeyondJson, Error, Node, beyond_json, read};

use super::entries::{NAME, command_line, is_our_hook, is_our_server};
use super::program::{PROGRAMS, Program, Scope};
use super::trust::{Unrun, unrun};
use crate::settings::{Settings, Surroundings};

/// One entry that calls us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Door {
    pub(crate) program: Program,
    pub(crate) scope: Scope,
    pub(crate) file: PathBuf,
    pub(crate) method: CallMethod,
    /// The setting in the same file that turns hooks off, and its value.
    pub(crate) off: Option<(&'static str, &'static str)>,
    /// What makes its program skip the whole file.
    pub(crate) skipped: Option<BeyondJson>,
    /// Events whose hook Codex does not run, and why.
    pub(crate) unrun: Vec<(String, Unrun)>,
}

/// How it calls us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallMethod {
    /// A shell command, and the events that run it.
    Hook {
        command: String,
        events: Vec<String>,
    },
    HttpHook {
        url: String,
        bearer: String,
    },
    /// A program and its arguments, used over its stdin and stdout.
    Mcp {
        command: Vec<String>,
    },
    HttpMcp {
        url: String,
    },
}

/// Searches the settings of every program that we know. Files that cannot be read are returned as errors.
pub(crate) fn doors(settings: &Settings, around: &Surroundings) -> Vec<Result<Door, (Program, Error)>> {
    let mut found: Vec<Result<Door, (Program, Error)>> = Vec::new();
    for program in PROGRAMS {
        for scope in program.scopes() {
            let jobs = program.uninstall(*scope, settings, around).unwrap_or_default();
            for job in jobs {
                let file = job.target.file;
                let Ok(text) = fs::read_to_string(&file) else { continue };
                match read(job.target.format, &text) {
                    Ok(node) => {
                        let table = program.mcp_path(*scope, around);
                        let off = off(&node);
                        let skipped = program.reads_plain_json().then(|| beyond_json(&text)).flatten();
                        let door = |method: CallMethod| {
                            let unrun = match (program, &method) {
                                (Program::Codex, CallMethod::Hook { .. }) => {
                                    unrun(&file, &node, &program.own_file(around))
                                }
                                _ => Vec::new(),
                            };
                            Door { program, scope: *scope, file: file.clone(), method, off, skipped, unrun }
                        };
                        found.extend(methods(&node, &table).into_iter().map(door).map(Ok));
                    }
                    Err(source) => found.push(Err((program, Error::Document { file, source }))),
                }
            }
        }
    }
    // In the home folder, the project's settings and the person's own are the same file.
    let mut seen = Vec::new();
    found.retain(|door| match door {
        Ok(door) => {
            let key = (fs::canonicalize(&door.file).ok(), door.method.clone());
            let is_new = !seen.contains(&key);
            seen.push(key);
            is_new
        }
        Err(_) => true,
    });
    found
}

fn methods(node: &Node, table: &[String]) -> Vec<CallMethod> {
    let mut methods = Vec::new();
    for (event, groups) in node.get("hooks").map(Node::members).unwrap_or_default() {
        let handlers = groups.items().iter().filter_map(|group| group.get("hooks")).flat_map(Node::items);
        for handler in handlers.filter(|handler| is_our_hook(handler)) {
            add_hook(&mut methods, handler, event);
        }
    }
    let server = table.iter().try_fold(node, |node, name| node.get(name)).and_then(|table| table.get(NAME));
    let is_on = |entry: &&Node| is_our_server(entry) && (entry.get("enabled").is_none() || is_true(entry, "enabled"));
    if let Some(entry) = server.filter(is_on) {
        let url = ["url", "httpUrl"].iter().find_map(|name| entry.get(name)?.as_str());
        methods.push(match url {
            Some(url) => CallMethod::HttpMcp { url: url.to_owned() },
            None => CallMethod::Mcp { command: command_line(entry) },
        });
    }
    methods
}

/// Returns the setting that turns hooks off; both programs have one.
fn off(node: &Node) -> Option<(&'static str, &'static str)> {
    let is_without =
        node.get("features").and_then(|features| features.get("hooks")).is_some_and(|it| it.value() == false);
    match is_true(node, "disableAllHooks") {
        true => Some(("disableAllHooks", "on")),
        false => is_without.then_some(("features.hooks", "off")),
    }
}

fn is_true(node: &Node, name: &str) -> bool {
    node.get(name).is_some_and(|flag| flag.value() == serde_json::Value::Bool(true))
}

fn add_hook(methods: &mut Vec<CallMethod>, handler: &Node, event: &str) {
    let text = |name: &str| handler.get(name).and_then(Node::as_str).unwrap_or_default().to_owned();
    if text("type") == "http" {
        let header = handler.get("headers").and_then(|headers| headers.get("Authorization")).and_then(Node::as_str);
        let bearer = header.unwrap_or_default().trim_start_matches("Bearer ").to_owned();
        let method = CallMethod::HttpHook { url: text("url"), bearer };
        if !methods.contains(&method) {
            methods.push(method);
        }
        return;
    }
    let written = text("command");
    let known = methods.iter_mut().find_map(|method| match method {
        CallMethod::Hook { command, events } if *command == written => Some(events),
        _ => None,
    });
    match known {
        Some(events) => events.push(event.to_owned()),
        None => methods.push(CallMethod::Hook { command: written, events: vec![event.to_owned()] }),
    }
}
