//! The plugin in this repository: loaded from its folder, it works like hooks in settings.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::workstation::{Setting, Workstation, binary, question};
use crate::house::id;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn read(path: &str) -> Value {
    let path = Path::new(ROOT).join(path);
    serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

#[test]
fn the_plugin_has_the_hooks_that_settings_have() {
    let printed = std::process::Command::new(binary()).args(["hook", "--print-settings"]).output().unwrap();
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let path = Path::new(ROOT).join("plugin/hooks/hooks.json");
    #[expect(clippy::disallowed_methods, reason = "a test has no settings module")]
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, format!("{printed:#}\n")).unwrap();
    }
    assert_eq!(read("plugin/hooks/hooks.json"), printed, "`BLESS=1` writes it anew");
    let version = read("plugin/.claude-plugin/plugin.json")["version"].clone();
    assert_eq!(version, env!("CARGO_PKG_VERSION"), "the plugin has the version of its program");
    let listed = read(".claude-plugin/marketplace.json");
    assert!(Path::new(ROOT).join(listed["plugins"][0]["source"].as_str().unwrap()).is_dir());
}

#[test]
fn loaded_from_its_folder_the_plugin_brings_questions_to_the_phone() {
    let folder = Path::new(ROOT).join("plugin");
    let flags = ["--plugin-dir", folder.to_str().unwrap()];
    let mut workstation = Workstation::sit(question(), &Setting { hooks: false, flags: &flags, ..Setting::default() });
    workstation.prompt();
    let asked = workstation.rings();
    workstation.house.answer(id(&asked), json!({"answers": {"Which?": "Bbb"}}));
    assert!(workstation.result().text.contains(r#""Which?"="Bbb""#));
    workstation.until_delivered(&asked);
}
