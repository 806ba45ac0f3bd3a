//! Random documents, with random comments, line endings and indentation.

use askbridge_edits::Format::{self, Json, Toml};
use askbridge_edits::{Target, Trouble, apply, install, read, strip, uninstall};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::ours::{everything, hooks, rules, server};

#[derive(Debug, Clone)]
enum Tree {
    Object(Vec<(String, Tree)>),
    Array(Vec<Tree>),
    Leaf(String),
}

/// A person's style of writing.
#[derive(Debug, Clone)]
struct Hand {
    newline: &'static str,
    /// `None`: everything on one line.
    indent: Option<&'static str>,
    trailing_commas: bool,
    comments: bool,
    mark: bool,
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        any::<i32>().prop_map(|number| number.to_string()),
        "\\PC{0,8}".prop_map(|text| Value::from(text).to_string()),
        Just(r#""// no comment, \" no end {""#.to_owned()),
    ];
    // Names that matter to us among others, and some of them twice.
    let names =
        prop_oneof!["[a-c]", "\\PC{1,4}", "hooks|Stop|PermissionRequest|mcpServers|command|matcher|permissions|allow"];
    leaf.prop_map(Tree::Leaf).prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            vec((names.clone(), inner.clone()), 0..5).prop_map(Tree::Object),
            vec(inner, 0..4).prop_map(Tree::Array),
        ]
    })
}

/// Mostly objects, as settings are, with places like those we use.
fn documents() -> impl Strategy<Value = Tree> {
    let group = Tree::Object(vec![(
        "hooks".to_owned(),
        Tree::Array(vec![Tree::Object(vec![("command".to_owned(), Tree::Leaf("\"mine\"".to_owned()))])]),
    )]);
    let events = Tree::Object(vec![
        ("Stop".to_owned(), Tree::Array(vec![group])),
        ("Other".to_owned(), Tree::Array(Vec::new())),
    ]);
    // The second is ours by its name, but was there before us.
    let rules = ["\"Bash(ls)\"", "\"mcp__askbridge__ask\""].map(|rule| Tree::Leaf(rule.to_owned())).to_vec();
    let known = prop_oneof![
        Just(Vec::new()),
        Just(vec![("hooks".to_owned(), events)]),
        Just(vec![("mcpServers".to_owned(), Tree::Object(Vec::new()))]),
        Just(vec![("permissions".to_owned(), Tree::Object(vec![("allow".to_owned(), Tree::Array(rules))]))]),
    ];
    let names = prop_oneof!["[a-c]", "\\PC{1,4}"];
    (vec((names, trees()), 0..5), known, vec(("[a-c]", trees()), 0..3))
        .prop_map(|(before, known, after)| Tree::Object([before, known, after].concat()))
}

fn hands() -> impl Strategy<Value = Hand> {
    let newline = prop_oneof![Just("\n"), Just("\r\n")];
    let indent = prop_oneof![Just(None), Just(Some("  ")), Just(Some("\t")), Just(Some("    ")), Just(Some(""))];
    (newline, indent, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(newline, indent, trailing_commas, comments, mark)| Hand { newline, indent, trailing_commas, comments, mark },
    )
}

impl Hand {
    fn write(&self, tree: &Tree) -> String {
        let mut number = 0;
        let mark = if self.mark { "\u{feff}" } else { "" };
        format!("{mark}{}{}", self.tree(tree, 0, &mut number), self.newline)
    }

    fn tree(&self, tree: &Tree, depth: usize, number: &mut usize) -> String {
        let (open, close, items): (_, _, Vec<String>) = match tree {
            Tree::Leaf(text) => return text.clone(),
            Tree::Object(members) => {
                let write = |(name, tree): &(String, Tree)| {
                    format!(
                        "{}:{}{}",
                        Value::from(name.as_str()),
                        self.remark(number),
                        self.tree(tree, depth + 1, number)
                    )
                };
                ('{', '}', members.iter().map(write).collect())
            }
            Tree::Array(items) => ('[', ']', items.iter().map(|item| self.tree(item, depth + 1, number)).collect()),
        };
        if items.is_empty() {
            return format!("{open}{close}");
        }
        let mut text = String::from(open);
        for (place, item) in items.iter().enumerate() {
            text += &self.line(depth + 1);
            text += item;
            if place + 1 < items.len() || self.trailing_commas {
                text += &self.remark(number);
                text.push(',');
            }
            text += &self.last_remark(number);
        }
        text + &self.line(depth) + &close.to_string()
    }

    fn line(&self, depth: usize) -> String {
        self.indent.map(|indent| format!("{}{}", self.newline, indent.repeat(depth))).unwrap_or_default()
    }

    /// Sometimes a comment in the middle of a line. Each has a number, so that a lost one is noticed.
    fn remark(&self, number: &mut usize) -> String {
        *number += 1;
        if self.comments && number.is_multiple_of(3) { format!(" /* {number}, }} */ ") } else { String::new() }
    }

    /// Sometimes one at the end of a line.
    fn last_remark(&self, number: &mut usize) -> String {
        *number += 1;
        match self.indent {
            Some(_) if self.comments && number.is_multiple_of(2) => format!(" // {number}, {{"),
            _ => String::new(),
        }
    }
}

fn comments(text: &str) -> Vec<String> {
    let parts = text
        .split(['\n', '\r'])
        .flat_map(|line| line.split("/* ").skip(1).chain(line.rsplit_once(" // ").map(|(_, end)| end)));
    let mut found: Vec<_> = parts.map(|part| part.chars().take_while(char::is_ascii_digit).collect()).collect();
    found.sort();
    found
}

/// Only the shapes that we refuse are refused.
fn is_refusal(trouble: &Trouble) -> bool {
    matches!(trouble, Trouble::Shape { .. } | Trouble::Taken { .. })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn in_and_out_again_is_as_if_nothing_had_happened(tree in documents(), hand in hands()) {
        let text = hand.write(&tree);
        let put = match apply(Json, &text, &everything()) {
            Ok(put) => put,
            Err(trouble) => { prop_assert!(is_refusal(&trouble), "{trouble} in {text}"); return Ok(()) }
        };
        prop_assert_eq!(&apply(Json, &put, &everything()).unwrap(), &put, "twice is once");
        prop_assert_eq!(comments(&put), comments(&text), "{}", put);
        prop_assert_eq!(&strip(Json, &put, &everything(), Some(&text)).unwrap(), &text, "between them: {}", put);
        prop_assert_eq!(&strip(Json, &text, &everything(), None).unwrap(), &text, "where nothing is ours, nothing goes");
    }

    #[test]
    fn what_the_person_changes_meanwhile_is_all_that_is_left(tree in documents(), hand in hands()) {
        let text = hand.write(&tree);
        let Ok(put) = apply(Json, &text, &everything()) else { return Ok(()) };
        let Tree::Object(members) = &tree else { return Ok(()) };
        prop_assume!(!members.is_empty());
        let edit = |text: &str| text.replacen('{', "{ /* hello */ \"since\": [1], ", 1);
        prop_assert_eq!(strip(Json, &edit(&put), &everything(), Some(&text)).unwrap(), edit(&text));
    }

    #[test]
    fn whatever_is_typed_nothing_breaks(text in "\\PC*", tree in trees(), hand in hands(), hole in any::<prop::sample::Index>()) {
        for format in [Json, Toml] {
            for text in [text.clone(), hand.write(&tree), with_a_hole(&hand.write(&tree), hole)] {
                if let Ok(put) = apply(format, &text, &[hooks(), server(&["mcp"]), rules()]) {
                    prop_assert!(read(format, &put).is_ok());
                }
            }
        }
    }

    #[test]
    fn our_reader_sees_what_the_usual_one_sees(tree in trees()) {
        let strict = Hand { newline: "\n", indent: Some(" "), trailing_commas: false, comments: false, mark: false };
        let text = strict.write(&tree);
        let usual: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read(Json, &text).unwrap().value(), usual);
    }

    #[test]
    fn toml_in_and_out_again_is_as_if_nothing_had_happened(text in toml_texts()) {
        let parts = [server(&["mcp_servers"]), hooks()];
        let put = apply(Toml, &text, &parts).unwrap();
        prop_assert_eq!(&apply(Toml, &put, &parts).unwrap(), &put, "twice is once");
        prop_assert!(put.starts_with(&text), "{}", put);
        prop_assert_eq!(strip(Toml, &put, &parts, Some(&text)).unwrap(), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_file_is_the_same_to_the_byte_after_both(tree in documents(), hand in hands(), blanks in "[ \n]{0,3}") {
        // Blanks inside empty brackets are not restored from the text alone; with a receipt they are.
        let text = hand.write(&tree).replace("{}", &format!("{{{blanks}}}"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        std::fs::write(&file, &text).unwrap();
        let target = target(&file, Json);
        if install(&target, false).is_ok() {
            install(&target, false).unwrap();
            uninstall(&target, false).unwrap();
        }
        prop_assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

fn target(file: &std::path::Path, format: Format) -> Target {
    let receipts = file.with_file_name("receipts");
    let parts = everything();
    Target { file: file.to_owned(), format, parts, plain_json: false, locked_by_folder: false, receipts }
}

fn with_a_hole(text: &str, hole: prop::sample::Index) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    if !chars.is_empty() {
        chars.remove(hole.index(chars.len()));
    }
    chars.into_iter().collect()
}

/// Random sections and entries; names are numbered, because TOML has no duplicates.
fn toml_texts() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        any::<i32>().prop_map(|number| number.to_string()),
        "[ -~&&[^\\\\\"]]{0,8}".prop_map(|text| format!("\"{text}\"")),
        Just("[ 1, # one\n  2 ]".to_owned()),
        Just("{ a = 1, b = [\"]\"] }".to_owned()),
        Just("\"\"\"\n[[hooks.Stop]]\n\"\"\"".to_owned()),
        Just("1979-05-27T07:32:00Z".to_owned()),
    ];
    let header = prop_oneof![Just(""), Just("t"), Just("mcp_servers.s"), Just("hooks.state.s"), Just("[a]")];
    let section = (header, vec((value, any::<bool>()), 0..4), any::<bool>());
    (vec(section, 0..5), any::<bool>()).prop_map(|(sections, crlf)| {
        let mut text = String::new();
        for (place, (header, entries, remark)) in sections.into_iter().enumerate() {
            match header {
                "" if place == 0 => {}
                "[a]" => text += "[[a]] # one more\n",
                header => text += &format!("[{header}t{place}]\n"),
            }
            for (number, (value, spaced)) in entries.into_iter().enumerate() {
                let equals = if spaced { " = " } else { "=" };
                text += &format!("k{place}_{number}{equals}{value}\n");
            }
            text += if remark { "\n# a remark\n" } else { "" };
        }
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}
