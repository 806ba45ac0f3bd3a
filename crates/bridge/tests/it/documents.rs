//! Compares the documents that are made from the code with the committed ones. `BLESS=1` rewrites them.

use std::fs;
use std::path::{Path, PathBuf};

use askbridge_bridge::server::{asyncapi, openapi};
use askbridge_peers::json::CODES;
use serde_json::Value;

use crate::typescript;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file with its expected content, or writes it.
fn check(path: &str, expected: &str) {
    let file = root().join(path);
    #[expect(clippy::disallowed_methods, reason = "a switch of the tests, not of the program")]
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(file.parent().expect("it has a folder")).expect("a folder can be made");
        fs::write(&file, expected).expect("it can be written");
        return;
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{path} is not what the code says; rewrite it with `BLESS=1 cargo test -p askbridge-bridge`"
    );
}

/// Serializes a document with its keys in order, in whichever order serde_json keeps them in this build.
fn written(document: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut pairs: Vec<_> = map.iter().collect();
                pairs.sort_by_key(|(key, _)| *key);
                Value::Object(pairs.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
            }
            Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    serde_json::to_string_pretty(&sorted(document)).expect("a document has text keys") + "\n"
}

#[test]
fn the_committed_openapi_document_is_what_the_code_says() {
    check("docs/reference/openapi.json", &written(&openapi()));
}

#[test]
fn the_committed_asyncapi_document_is_what_the_code_says() {
    check("docs/reference/asyncapi.json", &written(&asyncapi()));
}

#[test]
fn the_typescript_types_are_what_the_schemas_say() {
    let mut schemas = openapi()["components"]["schemas"].as_object().unwrap().clone();
    schemas.extend(asyncapi()["components"]["schemas"].as_object().unwrap().clone());
    check("web/client/src/types.ts", &typescript::file(&schemas));
}

#[test]
fn every_code_has_a_page_that_says_what_to_try_and_no_page_is_an_orphan() {
    for code in CODES {
        let page = code.page;
        assert!(page.starts_with(&format!("# {}\n\n`{}` · ", code.name, code.status)), "{}", code.name);
        for part in ["## What happened\n\n", "## Why\n\n", "## What to try\n\n- "] {
            assert!(page.contains(part), "{} has no “{part}”", code.name);
        }
    }
    let pages = fs::read_dir(root().join("docs/errors")).unwrap().map(|page| page.unwrap().file_name());
    let mut pages: Vec<_> = pages.map(|name| name.to_str().unwrap().trim_end_matches(".md").to_owned()).collect();
    let mut codes: Vec<_> = CODES.iter().map(|code| code.name.to_owned()).collect();
    pages.sort();
    codes.sort();
    assert_eq!(pages, codes);
}

/// Finds the codes in the source, where each is written once as a string: a refusal with a code that is not in the list
/// would otherwise be noticed only if a test happens to meet it.
#[test]
fn every_code_in_the_source_is_in_the_list() {
    let mut found = Vec::new();
    for folder in ["crates/core/src", "crates/peers/src", "crates/bridge/src"] {
        scan(&root().join(folder), &mut found);
    }
    assert!(found.len() > 30, "{found:?}");
    for code in found {
        assert!(CODES.iter().any(|known| known.name == code), "`{code}` is not in peers/src/json/codes.rs");
    }
}

fn scan(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("a file of ours").path();
        if path.is_dir() {
            scan(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a file of ours");
            for make in ["Trouble::new(", "Problem::plain("] {
                found.extend(text.split(make).skip(1).filter_map(second_argument));
            }
            for body in text.split("fn code(&self) -> &'static str {").skip(1) {
                let body = body.split("\n    }").next().unwrap_or_default();
                found.extend(body.split("=> \"").skip(1).filter_map(|arm| Some(arm.split_once('"')?.0.to_owned())));
            }
        }
    }
}

/// Returns the text in `409, "text", …`.
fn second_argument(call: &str) -> Option<String> {
    let (status, rest) = call.split_once(',')?;
    status.trim().parse::<u16>().ok()?;
    let (code, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    Some(code.to_owned())
}
