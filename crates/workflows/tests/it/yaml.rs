//! YAML against PyYAML.

use askbridge_workflows::fuzzed;
use serde_json::{Value, json};

use crate::random::Random;
use crate::tools::{FIRST, SECOND, files, python};

/// Reads texts both ways. Dates have no type in JSON: PyYAML's are a word, ours are texts, and both are left out.
fn same(texts: &[String]) {
    let expected = python("yaml_files.py", &json!(texts));
    for (text, expected) in texts.iter().zip(expected) {
        match (fuzzed::yaml(text), &expected["error"]) {
            (Ok(ours), Value::Null) => {
                assert_eq!(without_dates(&ours, &expected["value"]), expected["value"], "{text}")
            }
            (Err(_), Value::String(_)) => {}
            (ours, _) => panic!("{text:?}\nours: {ours:?}\nPyYAML: {expected}"),
        }
    }
}

fn without_dates(ours: &Value, theirs: &Value) -> Value {
    match (ours, theirs) {
        (Value::String(_), Value::String(word)) if word == "date" => json!("date"),
        (Value::Object(a), Value::Object(b)) => a
            .iter()
            .map(|(key, value)| (key.clone(), without_dates(value, b.get(key).unwrap_or(&Value::Null))))
            .collect(),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| without_dates(a, b)).collect()
        }
        _ => ours.clone(),
    }
}

#[test]
fn every_file_of_both_generations_is_what_pyyaml_reads() {
    let texts: Vec<String> = [FIRST, SECOND].iter().flat_map(|version| files(version)).map(|(_, text)| text).collect();
    assert!(texts.len() >= 26 + 137, "{} files", texts.len());
    same(&texts);
}

#[test]
fn plain_scalars_mean_what_they_mean_to_pyyaml() {
    let scalars = [
        "yes",
        "No",
        "ON",
        "off",
        "y",
        "n",
        "true",
        "TRUE",
        "tRue",
        "~",
        "null",
        "Null",
        "nULL",
        "0",
        "-0",
        "+12",
        "012",
        "0o14",
        "08",
        "0x1F",
        "0b101",
        "1_000",
        "1__0",
        "-1_0",
        "1.5",
        "1.",
        ".5",
        "-.5",
        "+.5",
        "1e3",
        "1.0e3",
        "1.0e+3",
        "1.5E-2",
        ".inf",
        "-.INF",
        ".NaN",
        "nan",
        "1:30",
        "1:60",
        "-1:30:05",
        "1:30.5",
        "190:20:30",
        "2026-11-18",
        "2026-1-8",
        "2026-11-18 12:00:00",
        "2026-11-18T12:00:00Z",
        "2026-11-18t12:00:00.5 +01:00",
        "12:30:45",
        "1.2.3",
        "v1.0",
        "a: b",
        "#no",
        "a#b",
        "a #b",
        "'yes'",
        "\"1\"",
        "'it''s'",
        "\"\\u00e9\\n\"",
        "!!str 1",
        "!!int '7'",
        "!!float 3",
        "!!bool yes",
        "!x y",
        "&a 1",
        "*a",
        "[yes, no, {a: 1}]",
        "{a: , b: ~}",
        "[1, 2,]",
        "- a\n- b",
        "|\n a\n b\n",
        ">\n a\n b\n\n c\n",
        "|-\n a\n",
        ">+\n a\n\n",
        "<<",
        "=",
        "0.0",
        "-0.0",
        "1_0.5_0",
        "0b",
        "0x",
        "_1",
        "1_",
        "+",
        "-",
        ".",
        "..",
        "0_7",
        "00",
        "0b_1",
    ];
    let texts: Vec<String> = scalars.iter().map(|scalar| format!("key: {scalar}\n")).collect();
    // PyYAML has no constructor for a lone `=`, and none for digits that are only marks: nothing that a rule has.
    let known = ["key: =\n", "key: <<\n", "key: 0b_1\n"];
    same(&texts.into_iter().filter(|text| !known.contains(&text.as_str())).collect::<Vec<_>>());
}

#[test]
fn generated_scalars_mean_what_they_mean_to_pyyaml() {
    let mut random = Random::new(7);
    let parts =
        ["0", "1", "7", "9", ".", "-", "+", "_", "e", "E", ":", "x", "b", "a", "F", "5", "30", "on", "in", "T", " "];
    let texts: Vec<String> = (0..4_000)
        .map(|_| {
            let scalar: String = (0..1 + random.below(6)).map(|_| *random.of(&parts)).collect();
            format!("[k, {}]\n", scalar.trim())
        })
        // YAML 1.2 has no lone mark inside brackets; PyYAML does.
        .filter(|text| !matches!(text.as_str(), "[k, -]\n" | "[k, :]\n" | "[k, ?]\n"))
        .collect();
    // A digit that is only marks, and numbers that Python refuses to convert, fail there and are texts or numbers here.
    let expected = python("yaml_files.py", &json!(texts));
    for (text, expected) in texts.iter().zip(expected) {
        let Some(value) = expected.get("value") else { continue };
        match fuzzed::yaml(text) {
            Ok(ours) => assert_eq!(without_dates(&ours, value), *value, "{text}"),
            Err(error) => panic!("{text}: {error}, but PyYAML reads {value}"),
        }
    }
}

#[test]
fn anchors_and_merge_keys_are_what_they_are_in_pyyaml() {
    same(
        &[
            "a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\nc: *x\n",
            "a: &x {k: 1}\ny: &y {k: 2, m: 3}\nb:\n  <<: [*x, *y]\n  z: 1\n",
            "b: {k: 3, <<: {k: 1, n: 2}}\n",
            "a: 1\na: 2\n",
            "1: a\ntrue: b\n",
            "? [a]\n: b\n",
            "a: *nope\n",
            "",
            "# nothing\n",
            "---\na: 1\n",
            "a: 1\n---\nb: 2\n",
            "a:\n\t- b\n",
            "a: [1, 2\n",
            "a: 'open\n",
            "- a\n-b\n",
            "a: b: c\n",
        ]
        .map(str::to_owned),
    );
}
