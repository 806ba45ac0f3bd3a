//! Reads the table.

use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

pub(crate) const TABLE: &str = include_str!("table.toml");

pub(crate) struct Group {
    pub(crate) allow: Vec<String>,
    pub(crate) ask: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) tool: String,
    pub(crate) input: Value,
    /// Under our rules.
    pub(crate) is: String,
    /// Under the CLI's, where they differ.
    pub(crate) cli: Option<String>,
}

impl Case {
    /// The input in a folder.
    pub(crate) fn input_in(&self, folder: &str) -> Value {
        let mut input = self.input.clone();
        if let Some(path) = input["file_path"].as_str().and_then(|path| path.strip_prefix('@')) {
            input["file_path"] = json!(format!("{folder}{path}"));
        }
        input
    }

    pub(crate) fn shown(&self) -> String {
        format!("{} {}", self.tool, self.input)
    }
}

pub(crate) fn groups() -> Vec<Group> {
    let table = DeTable::parse(TABLE).unwrap();
    let group = |table: &DeTable<'_>| {
        let list = |name: &str| match table.get(name).map(|value| value.get_ref()) {
            Some(DeValue::Array(list)) => list.iter().map(|item| item.get_ref().as_str().unwrap().to_owned()).collect(),
            _ => Vec::new(),
        };
        let cases = table["cases"].get_ref().as_array().unwrap();
        let cases = cases.iter().map(|case| self::case(case.get_ref().as_table().unwrap())).collect();
        Group { allow: list("allow"), ask: list("ask"), deny: list("deny"), cases }
    };
    table.get_ref()["group"]
        .get_ref()
        .as_array()
        .unwrap()
        .iter()
        .map(|it| group(it.get_ref().as_table().unwrap()))
        .collect()
}

fn case(table: &DeTable<'_>) -> Case {
    let text = |name: &str| table.get(name).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
    let (cli, why) = (text("cli"), text("why"));
    assert!(cli.is_none() || why.is_some(), "a difference needs a reason");
    let (tool, input) = match text("run") {
        Some(command) => ("Bash".to_owned(), json!({"command": command, "description": "d"})),
        None => {
            let input = table["input"].get_ref().as_table().unwrap();
            let fields =
                input.iter().map(|(name, value)| (name.get_ref().to_string(), json!(value.get_ref().as_str())));
            (text("tool").unwrap(), fields.collect())
        }
    };
    Case { tool, input, is: text("is").unwrap(), cli }
}
