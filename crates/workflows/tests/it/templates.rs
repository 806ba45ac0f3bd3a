//! Templates and patterns of gobby's files, against Jinja2 and `re`.

use askbridge_workflows::fuzzed;
use serde_json::{Map, Value, json};

use crate::tools::{FIRST, SECOND, files, python};

fn texts(value: &Value, wanted: &dyn Fn(&str, &str) -> bool, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str() {
                    Some(text) if wanted(name, text) => found.push(text.to_owned()),
                    _ => texts(member, wanted, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, wanted, found)),
        _ => {}
    }
}

fn of_both(wanted: &dyn Fn(&str, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in [FIRST, SECOND].iter().flat_map(|version| files(version)) {
        texts(&fuzzed::yaml(&text).expect("gobby's files are YAML"), wanted, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn scenes() -> Vec<Map<String, Value>> {
    let full = json!({
        "variables": {
            "auto_task_ref": "#7", "session_task": ["#1", "#2"], "deficiencies": ["one", "it's two"], "isolation_mode": "clone",
            "review_attempt": 2, "tdd_nudged_files": ["a.py", "b.py"], "current_step": "work", "assigned_task_id": null,
            "command_id": true, "_suggest_result": {"suggestion": {"ref": "#3"}}, "wait_retry_count": 1.5,
        },
        "tool_input": {"server_name": "gobby-tasks", "tool_name": "close_task", "file_path": "/a/b/c.py", "task_id": 12},
        "event": {"session_id": "s1", "data": {"tool_input": {"command": "echo 'a b' && ls"}}},
        "project": {"name": "shop"},
        "claimed_tasks": {"u1": "#1", "u2": "#2"},
        "brevity_last_violation": "Certainly", "brevity_last_violation_rule": "banned", "task_context": "## Task\n- x",
        "session_summary": "did things", "session_id": "s1", "gsqz_bin": "/bin/gsqz", "auto_task_ref": "",
    });
    let bare =
        json!({"variables": {}, "tool_input": {}, "event": {"data": {}}, "project": {"name": ""}, "claimed_tasks": {}});
    [full, bare].iter().map(|scene| scene.as_object().expect("it is a table").clone()).collect()
}

fn same(templates: &[String]) -> usize {
    let cases: Vec<Value> = templates
        .iter()
        .flat_map(|text| scenes().into_iter().map(move |names| json!({"text": text, "names": names})))
        .collect();
    let expected = python("templates.py", &json!(cases));
    let mut good = 0;
    for (case, expected) in cases.iter().zip(&expected) {
        let text = case["text"].as_str().expect("it is a text");
        match (fuzzed::template(text, case["names"].as_object().expect("it is a table")), &expected["value"]) {
            (Ok(ours), Value::String(theirs)) => {
                assert_eq!(&ours, theirs, "{text}");
                good += 1;
            }
            (Err(_), Value::Null) => {}
            (ours, _) => panic!("{text}\nours: {ours:?}\nJinja2: {expected}"),
        }
    }
    good
}

#[test]
fn the_templates_of_both_generations_are_what_jinja_makes_of_them() {
    let keys = ["reason", "template", "content", "message", "status_message", "value", "command"];
    // `${{` is the language of pipelines.
    let wanted = |name: &str, text: &str| keys.contains(&name) && text.contains("{{") && !text.contains("${{ inputs");
    let templates = of_both(&wanted);
    assert!(templates.len() > 50, "{}", templates.len());
    assert!(same(&templates) > templates.len(), "most can be rendered");
}

#[test]
fn values_are_printed_as_python_prints_them() {
    let templates = [
        "{{ variables }}",
        "{{ variables.deficiencies }}",
        "{{ variables.command_id }} {{ none }} {{ missing }}",
        "{{ variables.wait_retry_count + 1 }}",
        "{{ claimed_tasks.values() | list }}",
        "{{ claimed_tasks.keys() | join('-') }}",
        "{{ tool_input.get('nope') }} {{ tool_input.get('nope', 'x') }}",
        "{% for d in variables.deficiencies %}\n- {{ d }}\n{% endfor %}\nend",
        "{% if variables.isolation_mode == 'clone' %}\n  yes\n{% else %}\n  no\n{% endif %}",
        "{{ tool_input.file_path.split('/')[-1] | upper }}",
        "{{ missing.field }}",
        "{{ 'a' if variables.nope is defined else 'b' }}",
        "{{ event.data.tool_input.command | shlex_quote }}",
        "{{ unclosed",
        "{% nonsense %}",
        "{{ 'x' }} tail\n",
    ];
    same(&templates.map(str::to_owned));
}

#[test]
fn the_patterns_of_both_generations_find_what_pythons_find() {
    let patterns = of_both(&|name, _| matches!(name, "command_pattern" | "command_not_pattern"));
    assert!(patterns.len() > 40, "{}", patterns.len());
    let own = [
        "^a$", "a\\Z", "[[a]b", "[&&]", "[]x]+", "[^]x]", "a$|b", "(?m)^b$", "(?<=x)y", "(?!a)b", "\\$", "[$]", "x{2}",
    ];
    let mut commands: Vec<String> = [
        "git push",
        "git push --force origin main",
        "git push -f",
        "git  reset --hard",
        "git checkout .",
        "git restore .",
        "python3 a.py",
        "uv run python a.py",
        "cd x && pip install y",
        "pytest",
        "uv run pytest",
        "uv run pytest tests/a.py",
        "pytest\n",
        "rm -rf /",
        "rm -rf ./build",
        "sudo rm -r ~",
        "sleep 10",
        "ssh host ls",
        "curl x | sh",
        "npm install",
        "gh pr list",
        "gobby restart",
        "gobby tasks list",
        "uv run gobby stop",
        "cargo test",
        "dd if=/dev/zero of=/dev/sda",
        "mkfs.ext4 /dev/sda",
        "chmod -R 777 /",
        "git commit --no-verify",
        "git stash",
        "a",
        "a\n",
        "b",
        "x\nb\nc",
        "[",
        "&",
        "]",
        "$",
        "xx",
        "xy",
        "",
    ]
    .map(str::to_owned)
    .to_vec();
    commands.push("git push ".repeat(50));
    let all = patterns.iter().map(String::as_str).chain(own);
    let cases: Vec<(&str, &String)> =
        all.flat_map(|pattern| commands.iter().map(move |command| (pattern, command))).collect();
    let expected = python("patterns.py", &json!(cases));
    for ((pattern, command), expected) in cases.iter().zip(expected) {
        assert_eq!(fuzzed::pattern(pattern, command), Ok(expected.as_bool()), "{pattern} in {command:?}");
    }
}
