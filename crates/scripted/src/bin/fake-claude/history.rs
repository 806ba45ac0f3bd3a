//! The conversation, and the transcript file that keeps it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::brain::Brain;
use crate::settings::{Settings, VERSION};
use crate::wire::{LineWriter, tool_result};

pub(crate) struct History {
    /// In the form that the model gets.
    messages: Vec<Value>,
    /// Keep only the newest messages: a script needs no others, and a long conversation costs no more than a short one.
    forgetful: bool,
    /// How many messages the model has sent.
    pub(crate) spoken: usize,
    /// Calls without a result.
    open: Vec<Value>,
    file: Option<File>,
    path: PathBuf,
    cwd: PathBuf,
    last: Value,
    /// The call that was deferred last and has no result yet.
    pub(crate) parked: Option<Value>,
    /// The text for calls that turn out to have no result.
    missing: &'static str,
}

const CUT_SHORT: &str = "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is \
    unknown. Check whether it took effect before relying on it or running it again.]";
const MISSING: &str = "[Tool result missing due to internal error]";

impl History {
    /// Opens the session's file: a new one, or the one to resume, in any project folder.
    pub(crate) fn open(settings: &Settings, session: &str) -> io::Result<Self> {
        let projects = settings.home.join(".claude/projects");
        let name = format!("{session}.jsonl");
        let slug = settings.cwd.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let mut history = Self {
            messages: Vec::new(),
            forgetful: matches!(settings.brain, Brain::Script(_)),
            spoken: 0,
            open: Vec::new(),
            file: None,
            path: projects.join(slug).join(&name),
            cwd: settings.cwd.clone(),
            last: Value::Null,
            parked: None,
            missing: MISSING,
        };
        if settings.resume.is_some() {
            let found = std::fs::read_dir(&projects)?.flatten().map(|folder| folder.path().join(&name));
            history.path = found.into_iter().find(|path| path.is_file()).ok_or(io::ErrorKind::NotFound)?;
            history.missing = CUT_SHORT;
            history.load()?;
        }
        Ok(history)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn messages(&self) -> &[Value] {
        &self.messages
    }

    fn load(&mut self) -> io::Result<()> {
        for line in std::fs::read_to_string(&self.path)?.lines() {
            let record: Value = serde_json::from_str(line).map_err(io::Error::other)?;
            if record["type"] == "attachment" && record["attachment"]["type"] == "hook_deferred_tool" {
                let call = &record["attachment"];
                self.parked = Some(json!({
                    "id": call["toolUseID"], "name": call["toolName"], "input": call["toolInput"],
                }));
            } else if record["message"].is_object() {
                self.put(&record["message"]);
            }
            self.last = record["uuid"].clone();
        }
        self.parked = self.parked.take().filter(|call| self.open.contains(&call["id"]));
        Ok(())
    }

    /// Adds a message and writes it to the file.
    pub(crate) fn add(&mut self, message: Value, writer: &mut LineWriter) {
        self.put(&message);
        let kind = message["role"].clone();
        self.write(json!({"type": kind, "message": message}), writer);
    }

    pub(crate) fn park(&mut self, call: &Value, mode: &str, writer: &mut LineWriter) {
        self.parked = Some(call.clone());
        self.missing = MISSING;
        let attachment = json!({
            "type": "hook_deferred_tool", "toolUseID": call["id"], "toolName": call["name"], "toolInput": call["input"],
            "hookName": "settings", "hookEvent": "PreToolUse", "permissionMode": mode,
        });
        self.write(json!({"type": "attachment", "attachment": attachment}), writer);
    }

    /// Adds a result to every call that has none; it says why.
    pub(crate) fn repair(&mut self, writer: &mut LineWriter) {
        self.parked = None;
        let lost = |id: &Value| tool_result(id.as_str().unwrap_or_default(), self.missing, true);
        let results: Vec<Value> = self.open.iter().map(lost).collect();
        if !results.is_empty() {
            self.add(json!({"role": "user", "content": results}), writer);
        }
    }

    /// Merges messages: the API wants one per role, the file has one per block.
    fn put(&mut self, message: &Value) {
        let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        self.open.extend(blocks.iter().filter(|block| block["type"] == "tool_use").map(|block| block["id"].clone()));
        self.open.retain(|id| !blocks.iter().any(|block| block["tool_use_id"] == *id));
        if let Some(before) = self.messages.last_mut().filter(|before| before["role"] == message["role"])
            && let Some(old) = before["content"].as_array_mut()
        {
            old.extend(blocks.iter().cloned());
            return;
        }
        if message["role"] == "assistant" {
            self.spoken += 1;
            if self.forgetful {
                self.messages.clear();
            }
        }
        self.messages.push(json!({"role": message["role"], "content": message["content"]}));
    }

    fn write(&mut self, mut record: Value, writer: &mut LineWriter) {
        record["uuid"] = json!(writer.id());
        record["parentUuid"] = self.last.clone();
        record["sessionId"] = json!(writer.session);
        record["cwd"] = json!(self.cwd);
        record["version"] = json!(VERSION);
        record["isSidechain"] = json!(false);
        self.last = record["uuid"].clone();
        if let Err(error) = self.append(&format!("{record}\n")) {
            eprintln!("could not write the transcript: {error}");
        }
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        if self.file.is_none() {
            std::fs::create_dir_all(self.path.parent().unwrap_or(&self.path))?;
            self.file = Some(OpenOptions::new().create(true).append(true).open(&self.path)?);
        }
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(line.as_bytes()))
    }
}
