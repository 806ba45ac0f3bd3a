//! Realistic settings in JSON.

use askbridge_edits::Format::Json;
use askbridge_edits::{Trouble, apply, strip};
use serde_json::json;

use crate::ours::{both, hooks, hooks_calling, rules, rules_for, seen, server, there_and_back};

#[test]
fn what_is_written_looks_like_what_is_there() {
    let text = "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  }\n}\n";
    let put = there_and_back(Json, text, &[hooks()]);
    let expected = r#"{
  "model": "opus",
  "hooks": {
    "Stop": [
      {
        "hooks": [
          { "type": "command", "command": "say done" }
        ]
      },
      {
        "hooks": [
          {
            "type": "command",
            "command": "askbridge hook",
            "timeout": 10
          }
        ]
      }
    ],
    "PermissionRequest": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "askbridge hook",
            "timeout": 86400
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(put, expected);
}

#[test]
fn comments_and_trailing_commas_stay_where_they_are() {
    let text = "// my settings\n{\n\t// which model\n\t\"model\": \"opus\", // the big one\n\t\"env\": { \"A\": \"1\", }, /* all */\n\t// nothing else\n}\n// end\n";
    let put = there_and_back(Json, text, &both());
    assert!(
        put.contains("\"env\": { \"A\": \"1\", }, /* all */\n\t\"hooks\": {\n\t\t\"PermissionRequest\": ["),
        "{put}"
    );
    assert!(put.contains("\t},\n\t// nothing else\n}\n// end\n"), "a comma at the end stays at the end: {put}");
}

#[test]
fn a_comment_behind_the_last_value_stays_behind_it() {
    let text = "{\n  \"a\": 1 // one\n  // two\n}";
    let put = there_and_back(Json, text, &[server(&["mcpServers"])]);
    assert!(put.starts_with("{\n  \"a\": 1, // one\n  \"mcpServers\": {"), "{put}");
    assert!(put.ends_with("  }\n  // two\n}"), "{put}");
}

#[test]
fn line_ends_of_another_system_and_a_mark_at_the_beginning_stay() {
    let text = "\u{feff}{\r\n    \"model\": \"opus\",\r\n    \"mcpServers\": {\r\n        \"db\": {\"command\": \"x\"}\r\n    }\r\n}\r\n";
    let put = there_and_back(Json, text, &both());
    assert!(put.starts_with('\u{feff}'));
    assert_eq!(put.matches('\n').count(), put.matches("\r\n").count(), "{put:?}");
    assert!(put.contains("\r\n        \"askbridge\": {\r\n            \"command\": \"askbridge\",\r\n"), "{put:?}");
}

#[test]
fn one_line_stays_one_line() {
    let text = r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#;
    let put = there_and_back(Json, text, &both());
    assert_eq!(put.lines().count(), 1);
    let text = r#"{"a": [], "hooks": {}}"#;
    let put = apply(Json, text, &both()).unwrap();
    assert_eq!(put.lines().count(), 1);
    assert_eq!(strip(Json, &put, &both(), Some(text)).unwrap(), text);
}

#[test]
fn words_of_every_script_stay() {
    let text = "{\n  \"名前\": \"はい 👩‍💻 \\u00e9 \\\\ \\\"quoted\\\"\",\n  \"mcpServers\": { \"ü\": { \"command\": \"ö // no comment\" } }\n}\n";
    there_and_back(Json, text, &both());
}

#[test]
fn an_empty_table_of_the_persons_stays_and_one_of_ours_goes() {
    for text in [
        "{\n  \"hooks\": {},\n  \"a\": 1\n}\n",
        "{\n  \"hooks\": { \"Stop\": [] },\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1\n}\n",
    ] {
        there_and_back(Json, text, &both());
    }
}

#[test]
fn a_file_of_blanks_is_an_empty_one() {
    let put = apply(Json, " \n", &[server(&["mcpServers"])]).unwrap();
    let expected = "{\n  \"mcpServers\": {\n    \"askbridge\": {\n      \"command\": \"askbridge\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    assert_eq!(put, expected);
    assert_eq!(strip(Json, &put, &both(), None).unwrap(), "{}\n");
}

#[test]
fn a_name_that_occurs_twice_is_changed_where_programs_look_and_lost_nowhere() {
    let text = "{\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"first\"}]}]},\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"second\"}]}]}\n}\n";
    let put = there_and_back(Json, text, &[hooks()]);
    assert!(put.contains("\"first\"") && put.contains("\"second\""));
    assert_eq!(seen(Json, &put)["hooks"]["Stop"].as_array().unwrap().len(), 2);
}

#[test]
fn an_entry_of_an_older_version_is_renewed_in_its_place() {
    let old = r#"{
  "hooks": {
    "Stop": [{ "hooks": [{ "command": "mine" }, { "type": "command", "command": "/old/askbridge hook", "timeout": 5 }] }],
    "SessionStart": [{ "hooks": [{ "type": "command", "command": "askbridge hook" }] }],
    "PermissionRequest": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "/old/askbridge hook" }] }]
  },
  "mcpServers": { "askbridge": { "url": "x", "command": "/old/askbridge", "env": { "MINE": "1" } } }
}
"#;
    let put = apply(Json, old, &both()).unwrap();
    let ours = |timeout: u64| json!({"type": "command", "command": "askbridge hook", "timeout": timeout});
    let expected = json!({
        "hooks": {
            "Stop": [{"hooks": [{"command": "mine"}, ours(10)]}],
            "PermissionRequest": [{"matcher": "*", "hooks": [ours(86_400)]}],
        },
        "mcpServers": {"askbridge": {"command": "askbridge", "args": ["mcp"], "env": {"MINE": "1"}}},
    });
    assert_eq!(seen(Json, &put), expected);
    assert_eq!(apply(Json, &put, &both()).unwrap(), put);
    let left = strip(Json, &put, &both(), None).unwrap();
    assert_eq!(seen(Json, &left), json!({"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}));
}

#[test]
fn ours_twice_in_one_event_becomes_ours_once() {
    let one = apply(Json, "{}", &[hooks()]).unwrap();
    let group = r#"{ "hooks": [{ "type": "command", "command": "askbridge hook", "timeout": 10 }] },"#;
    let twice = one.replace("\"Stop\": [", &format!("\"Stop\": [ {group}"));
    assert_eq!(seen(Json, &apply(Json, &twice, &[hooks()]).unwrap()), seen(Json, &one));
    assert_eq!(seen(Json, &strip(Json, &twice, &[hooks()], None).unwrap()), json!({}));
}

#[test]
fn what_the_person_put_around_ours_since_stays() {
    let text = "{\n  \"model\": \"opus\"\n}\n";
    let put = apply(Json, text, &both()).unwrap();
    let edited = put
        .replace("  \"hooks\": {\n", "  // askbridge came here\n  \"hooks\": {\n    \"SessionStart\": [], // mine\n")
        .replace("\"model\": \"opus\"", "\"model\": \"sonnet\"");
    let left = strip(Json, &edited, &both(), Some(text)).unwrap();
    assert_eq!(
        left,
        "{\n  \"model\": \"sonnet\",\n  // askbridge came here\n  \"hooks\": {\n    \"SessionStart\": [] // mine\n  }\n}\n"
    );
}

#[test]
fn a_line_comment_before_ours_swallows_nothing_that_follows() {
    let text = "{ \"mcpServers\": { // mine\n \"askbridge\": {\"command\": \"askbridge\"}, \"b\": 2 } }";
    let left = strip(Json, text, &[server(&["mcpServers"])], None).unwrap();
    assert_eq!(seen(Json, &left), json!({"mcpServers": {"b": 2}}));
    assert!(left.contains("// mine\n"), "{left}");
    let text = "{ \"mcpServers\": {\"askbridge\": {\"command\": \"askbridge\"} // mine\n, \"b\": 2 } }";
    let left = strip(Json, text, &[server(&["mcpServers"])], None).unwrap();
    assert_eq!(seen(Json, &left), json!({"mcpServers": {"b": 2}}));
    assert!(left.contains("// mine\n"), "{left}");
}

#[test]
fn another_path_to_us_is_still_us() {
    let put = apply(Json, "{}", &[hooks_calling("/opt/askbridge hook")]).unwrap();
    let moved = apply(Json, &put, &[hooks()]).unwrap();
    assert_eq!(seen(Json, &moved), seen(Json, &apply(Json, "{}", &[hooks()]).unwrap()));
}

#[test]
fn a_table_deep_inside_is_found_and_made() {
    let ours = [server(&["projects", "/home/ada/a.b", "mcpServers"])];
    there_and_back(Json, "{\n  \"projects\": {\n    \"/home/ada/a.b\": {\n      \"x\": 1\n    }\n  }\n}\n", &ours);
    let put = there_and_back(Json, "{\n  \"a\": 1\n}\n", &ours);
    assert_eq!(seen(Json, &put)["projects"]["/home/ada/a.b"]["mcpServers"]["askbridge"]["args"], json!(["mcp"]));
}

#[test]
fn a_handler_of_another_kind_becomes_the_one_that_is_wanted() {
    let put = apply(Json, "{}", &[hooks()]).unwrap();
    let other = put
        .replace("\"command\": \"askbridge hook\"", "\"url\": \"x\", \"command\": \"askbridge hook\", \"headers\": {}");
    let other = other.replace("\"type\": \"command\"", "\"type\": \"http\"");
    assert_eq!(seen(Json, &apply(Json, &other, &[hooks()]).unwrap()), seen(Json, &put));
}

#[test]
fn rules_are_added_to_those_that_are_there_and_taken_out_again() {
    let text = "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\"],\n    \"deny\": []\n  }\n}\n";
    let put = there_and_back(Json, text, &[rules()]);
    let allowed = "\"allow\": [\"Bash(ls)\", \"mcp__askbridge__ask\", \"mcp__askbridge__wait\"]";
    assert!(put.contains(allowed), "{put}");
    for text in ["{}\n", "{\n  \"permissions\": {}\n}\n", "{\"permissions\": {\"allow\": []}}"] {
        there_and_back(Json, text, &[rules()]);
    }
}

#[test]
fn a_rule_that_the_person_had_before_us_stays_theirs() {
    let text = "{\n  \"permissions\": {\n    \"allow\": [\"mcp__askbridge__ask\"]\n  }\n}\n";
    let put = there_and_back(Json, text, &[rules()]);
    assert_eq!(put.matches("mcp__askbridge__ask").count(), 1, "{put}");
}

#[test]
fn a_rule_that_is_no_longer_wanted_goes() {
    let put = apply(Json, "{}", &[rules_for(&["ask", "old"])]).unwrap();
    let renewed = apply(Json, &put, &[rules()]).unwrap();
    assert!(renewed.contains("__ask") && renewed.contains("__wait") && !renewed.contains("__old"), "{renewed}");
}

#[test]
fn what_is_no_list_of_rules_is_left_alone() {
    let trouble = apply(Json, "{\"permissions\": {\"allow\": \"Bash\"}}", &[rules()]).unwrap_err();
    assert!(matches!(trouble, Trouble::Shape { .. }), "{trouble}");
}
