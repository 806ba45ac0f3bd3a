//! Every block of every guide, and the test that runs it.

use std::collections::BTreeMap;
use std::fs;

use super::page::blocks;
use super::reader::repository;

/// What becomes of a block.
#[derive(Clone, Copy)]
enum Fate {
    /// A test runs it: its file below the repository, and its name there.
    Run(&'static str, &'static str),
    /// It is the output of the block before it, which the same test compares.
    Output,
    /// There is nothing to run, for this reason.
    Not(&'static str),
}

use Fate::{Not, Output, Run};

const GUIDE: &str = "crates/askbridge/tests/it/guide.rs";
const GUIDES: &str = "crates/askbridge/tests/it/guides.rs";
const PROXIED: &str = "crates/askbridge/tests/it/proxied.rs";
const RECIPES: &str = "crates/askbridge/tests/it/recipes.rs";
const SERVICE: &str = "crates/askbridge/tests/it/guided/service.rs";
const STEPS: &str = "crates/askbridge/tests/it/guided/steps.rs";
const TAILNET: &str = "crates/askbridge/tests/it/guided/tailnet.rs";
const TYPED: &str = "crates/askbridge/tests/it/guided/typed.rs";
const EMBED: &str = "web/e2e/src/journeys/embed.test.ts";

const REACHED: Fate = Run(
    "crates/askbridge/tests/it/guided/away.rs",
    "a_person_is_reached_over_each_channel_with_the_lines_of_the_guide",
);
const AS_CONTAINERS: Fate = Run(
    "web/e2e/src/journeys/cluster_guide.test.ts",
    "the services of the compose file serve as processes, with their commands, environment and health checks",
);
const AS_HOSTS: Fate = Run(
    "web/e2e/src/journeys/cluster_guide.test.ts",
    "three hosts are set up with the blocks of the guide, and people behind one name go on when their node dies",
);
const BACKUP: Fate = Run(STEPS, "a_journal_is_backed_up_and_restored_as_the_guide_says");
const CI_JOB: Fate = Run(TYPED, "a_program_elsewhere_and_a_job_in_ci_ask_with_the_lines_of_the_guides");
const CLUSTER_UP: Fate =
    Run("crates/askbridge/tests/cluster/up.rs", "cluster_up_starts_nodes_that_serve_and_ends_them");
const CONNECTED: Fate = Run(
    "crates/askbridge/tests/it/guided/connect.rs",
    "a_machine_is_connected_used_and_disconnected_with_the_lines_of_the_guide",
);
const CURL: Fate = Run(GUIDES, "the_guide_for_curl_does_what_it_says");
const GOBBY: Fate = Run(
    "crates/askbridge/tests/it/guided/gobby.rs",
    "gobbys_rules_are_checked_and_a_workflow_started_with_the_lines_of_the_guide",
);
const EXPOSED: Fate =
    Run("crates/askbridge/tests/it/guided/https.rs", "each_way_to_https_is_taken_with_the_lines_of_the_guide");
const GO: Fate = Run(GUIDES, "the_guide_for_go_does_what_it_says");
const HTTPS: Fate = Run(STEPS, "https_without_a_proxy_is_set_up_as_the_guide_says_by_flags_and_by_settings");
const INIT: Fate = Run(STEPS, "init_prints_what_its_guide_shows_and_the_agent_gets_its_token");
const LINK: Fate = Run(TYPED, "the_first_link_is_printed_and_a_device_paired_as_the_guides_say");
const MCP_ADD: Fate = Run(TYPED, "claude_code_is_told_of_the_mcp_server_with_the_lines_of_the_guide");
const MCP_TRIED: Fate = Run(TYPED, "mcp_is_tried_without_a_model_as_the_guide_says_and_the_terminal_stays_a_persons");
const OPERATED: Fate = Run(STEPS, "an_operator_checks_keeps_and_traces_a_server_as_the_guide_says");
const OTHERS: Fate =
    Run(SERVICE, "a_service_for_others_is_installed_and_upgraded_by_the_guides_commands_and_no_client_finds_it_closed");
const PYTHON: Fate = Run(GUIDES, "the_guide_for_python_does_what_it_says");
const SHELL: Fate = Run(GUIDE, "every_example_of_the_guide_does_what_it_says");
const TEAM: Fate = Run(TYPED, "a_team_lets_people_and_laptops_in_and_takes_a_token_back_as_the_guide_says");
const TOKENS: Fate = Run(TYPED, "a_script_that_decides_and_a_bot_get_their_tokens_with_a_tap_as_the_guides_say");
const TYPESCRIPT: Fate = Run(GUIDES, "the_guide_for_typescript_does_what_it_says");
const ANSWERED: Fate = Run(TYPED, "asks_are_listed_and_answered_at_a_terminal_as_the_guide_says");
const DOCTOR: Fate = Run(TYPED, "the_doctor_says_what_the_guides_show");

/// The blocks of each page in order: how the block begins, and its fate. `*` is any number of further blocks.
const PAGES: &[(&str, &[(&str, Fate)])] = &[
    (
        "away.md",
        &[
            ("askbridge channel add ntfy", REACHED),
            ("askbridge channel set", REACHED),
            ("askbridge channel add telegram", REACHED),
            ("askbridge channel add slack", REACHED),
            ("askbridge channel add command", REACHED),
        ],
    ),
    (
        "backup.md",
        &[
            ("$ askbridge journal backup monday.db", BACKUP),
            ("askbridge journal backup \"/backup/", BACKUP),
            ("$ askbridge journal restore monday.db", BACKUP),
            ("ASKBRIDGE_DATA=~/.local/share/askbridge/before-restore-1", BACKUP),
            (
                "$ askbridge",
                Run(STEPS, "a_journal_that_lost_its_end_is_refused_with_the_guides_words_and_accepted_as_it_says"),
            ),
        ],
    ),
    (
        "bot.md",
        &[
            ("$ umask 077", TOKENS),
            (
                "export ASKBRIDGE_TOKEN=",
                Run(RECIPES, "the_bot_of_the_guide_answers_what_it_knows_and_leaves_the_rest_to_people"),
            ),
        ],
    ),
    (
        "ci.md",
        &[
            ("$ askbridge token create ci", CI_JOB),
            ("name: deploy", Run(RECIPES, "the_job_deploys_after_a_yes_also_through_a_restart")),
            ("[[rules]]", CI_JOB),
            ("answer=$(askbridge ask", CI_JOB),
        ],
    ),
    (
        "cluster.md",
        &[
            ("askbridge cluster up --nodes 3", CLUSTER_UP),
            ("$ askbridge cluster status", CLUSTER_UP),
            ("server_name: a", AS_HOSTS),
            ("[Unit]\nDescription=NATS", AS_HOSTS),
            ("[Unit]\nWants=network-online.target", AS_HOSTS),
            ("systemctl daemon-reload", AS_HOSTS),
            ("ask.example.org {", AS_HOSTS),
            ("cd packaging/docker", AS_CONTAINERS),
        ],
    ),
    (
        "connect.md",
        &[
            ("$ askbridge connect https://ask.example.org --name", CONNECTED),
            ("askbridge connect https://ask.example.org --ca", CONNECTED),
            ("ssh -f -N", CONNECTED),
            ("askbridge init claude", CONNECTED),
            ("$ askbridge connect --status", CONNECTED),
        ],
    ),
    (
        "curl.md",
        &[
            ("$ export ASKBRIDGE_URL=", CURL),
            ("curl -s", CURL),
            ("answered", Output),
            ("ask() {", CURL),
            ("{\"decision\"", Output),
            ("curl -s", CURL),
            ("422", Output),
        ],
    ),
    (
        "embed.md",
        &[
            ("npm --prefix web ci", Run(EMBED, "the packages can be packed, and installed in an empty project")),
            ("npm install", Run(EMBED, "the packages can be packed, and installed in an empty project")),
            ("import { connect", Run(EMBED, "the client alone says what waits, and answers")),
            ("import \"@askbridge", Run(EMBED, "the cards are on somebody else's page, and answer from there")),
            ("import \"@askbridge", Run(EMBED, "the list leads to a card, and says in place how it ended")),
            ("import \"@askbridge", Run(EMBED, "in a thread of assistant-ui, a call that is an ask on the server")),
        ],
    ),
    ("go.md", &[("$ export ASKBRIDGE_URL=", GO), ("package main", GO), ("deploying", Output)]),
    (
        "gobby-rules.md",
        &[
            ("rules:", GOBBY),
            ("name: careful", GOBBY),
            ("$ askbridge policy check --gobby", GOBBY),
            ("askbridge serve --gobby-rules", GOBBY),
            (
                "askbridge init claude --rules",
                Run(
                    "crates/askbridge/tests/init/programs.rs",
                    "with_rules_claude_reports_every_call_and_without_them_again_only_what_asks",
                ),
            ),
            ("askbridge policy workflow start", GOBBY),
        ],
    ),
    (
        "https.md",
        &[
            ("$ askbridge expose", EXPOSED),
            ("askbridge expose acme", EXPOSED),
            ("askbridge expose tailscale", EXPOSED),
            ("askbridge expose lan", EXPOSED),
            ("askbridge expose proxy", EXPOSED),
            ("$ askbridge expose", EXPOSED),
        ],
    ),
    ("init.md", &[("$ askbridge init", INIT), ("askbridge init claude --http", INIT), ("$ askbridge doctor", DOCTOR)]),
    (
        "mcp.md",
        &[
            ("$ printf", MCP_TRIED),
            ("$ askbridge token create my-agent", MCP_TRIED),
            ("claude mcp add askbridge --env", MCP_ADD),
            ("claude mcp add --transport http", MCP_ADD),
            ("claude -p", MCP_ADD),
        ],
    ),
    (
        "operations.md",
        &[
            (
                "cargo install --path crates/askbridge",
                Run(SERVICE, "a_service_of_ones_own_is_installed_by_the_guides_commands_and_serves_as_its_units_say"),
            ),
            ("cargo xtask dist", OTHERS),
            ("$ curl -s http://127.0.0.1:4760/readyz", OPERATED),
            ("scrape_configs:", OPERATED),
            ("retention = ", OPERATED),
            ("$ askbridge journal prune", OPERATED),
            ("{\"timestamp\"", Not("a line of a log; operations.rs beside these tests reads real ones")),
            ("askbridge serve --otel-endpoint", OPERATED),
        ],
    ),
    (
        "proxy.md",
        &[
            ("public_url = ", Run(STEPS, "whether_the_proxy_is_right_is_checked_as_the_guide_says")),
            ("$ askbridge --listen 0.0.0.0:4760 --tls-cert", HTTPS),
            ("listen = ", HTTPS),
            (
                "ask.example.org {",
                Run(PROXIED, "caddy_as_the_guide_has_it_carries_people_and_agents_and_shows_no_metrics_to_strangers"),
            ),
            (
                "map $http_upgrade",
                Run(PROXIED, "nginx_as_the_guide_has_it_carries_people_and_agents_and_shows_no_metrics_to_strangers"),
            ),
            (
                "$ tailscale serve --bg 4760",
                Run(TAILNET, "the_lines_for_tailscale_work_with_a_stand_in_that_proxies_as_tailscale_serve_does"),
            ),
            ("$ askbridge --listen 0.0.0.0:4760", HTTPS),
            ("$ askbridge config show", Run(STEPS, "whether_the_proxy_is_right_is_checked_as_the_guide_says")),
        ],
    ),
    ("python.md", &[("$ export ASKBRIDGE_URL=", PYTHON), ("import http.client", PYTHON), ("deploying", Output)]),
    (
        "rules.md",
        &[
            (
                "askbridge policy check",
                Run(TYPED, "rules_are_checked_tried_and_explained_with_the_lines_of_the_cookbook"),
            ),
            (
                "*",
                Run(
                    "crates/policy/tests/rule_files/cookbook.rs",
                    "every_rule_of_the_cookbook_does_what_its_examples_say_alone_and_among_the_others",
                ),
            ),
        ],
    ),
    (
        "shell-scripts.md",
        &[
            ("$ askbridge", LINK),
            ("askbridge ask \"Deploy now?\"", SHELL),
            ("Yes", Output),
            ("if answer=", SHELL),
            ("deploying", Output),
            ("askbridge ask \"Which parts?\"", SHELL),
            ("building", Output),
            ("name=$(askbridge ask", SHELL),
            ("tagging", Output),
            ("askbridge ask \"Which database?\"", SHELL),
            ("Postgres", Output),
            ("if answer=", SHELL),
            ("code 11", Output),
            ("askbridge ask \"Deploy now?\"", SHELL),
            ("nobody came", Output),
            ("askbridge ask \"Deploy 4f2a?\"", SHELL),
            ("Yes", Output),
            ("id=$(askbridge ask", SHELL),
            ("Yes", Output),
            ("askbridge ask \"Deploy now?\"", SHELL),
            ("ada said Yes", Output),
            ("$ askbridge token create ci", CI_JOB),
            ("$ ASKBRIDGE_TOKEN=ab_…", CI_JOB),
            ("$ umask 077", TOKENS),
        ],
    ),
    (
        "team.md",
        &[
            ("public_url = ", Run(RECIPES, "the_settings_of_the_team_hold_and_each_person_is_let_in_by_a_tap")),
            ("$ sudo -u askbridge", TEAM),
            ("$ sudo -u askbridge", TEAM),
            ("$ sudo -u askbridge", TEAM),
            ("export ASKBRIDGE_URL=", TEAM),
            ("$ sudo -u askbridge", TEAM),
        ],
    ),
    (
        "terminal.md",
        &[
            (
                "$ askbridge demo",
                Run("crates/askbridge/tests/it/demo.rs", "a_newcomer_walks_through_the_whole_demo_without_a_server"),
            ),
            ("$ askbridge inbox --watch", Run("crates/askbridge/tests/it/board.rs", "keys_move_choose_and_answer")),
            ("$ askbridge inbox", ANSWERED),
            ("$ askbridge answer 0b9x --option Yes", ANSWERED),
            ("$ askbridge doctor", DOCTOR),
            ("$ mkdir -p", Run(STEPS, "completions_are_installed_as_the_guide_says_and_complete")),
        ],
    ),
    ("typescript.md", &[("$ export ASKBRIDGE_URL=", TYPESCRIPT), ("const url", TYPESCRIPT), ("deploying", Output)]),
    (
        "upgrade.md",
        &[
            ("install target/published/askbridge", OTHERS),
            (
                "new/askbridge serve --wait-for-lock",
                Run(STEPS, "a_server_is_followed_by_the_next_one_without_systemd_as_the_guide_says"),
            ),
        ],
    ),
    // A page about the app, without a command. The journeys in `web/e2e` do in a real browser what it describes.
    ("web-app.md", &[]),
    (
        "your-data.md",
        &[("rm -r", Run(RECIPES, "everything_in_the_data_folder_is_on_the_page_that_lists_it_and_goes_as_it_says"))],
    ),
    ("your-terminal.md", &[("$ askbridge serve &", LINK)]),
];

#[test]
fn every_block_of_every_guide_is_run_by_a_test_or_says_why_not() {
    let folder = repository().join("docs/guides");
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        pages.insert(name, fs::read_to_string(path).unwrap());
    }
    let listed: Vec<_> = PAGES.iter().map(|(name, _)| *name).collect();
    assert_eq!(pages.keys().map(String::as_str).collect::<Vec<_>>(), listed, "a page that no test runs, or no page");
    for (name, rows) in PAGES {
        let mut rows = rows.iter();
        for block in blocks(&pages[*name]) {
            let row = match rows.as_slice() {
                [rest @ ("*", _)] => Some(rest),
                _ => rows.next(),
            };
            let Some((begin, fate)) = row else { panic!("no test runs this of {name}:\n{}", block.text) };
            let is_it = *begin == "*" || block.text.starts_with(begin);
            assert!(is_it, "{name} has this where `{begin}` was:\n{}", block.text);
            assert!(!matches!(fate, Output) || block.language == "text", "{name}: {}", block.text);
        }
        let missing: Vec<_> = rows.map(|(begin, _)| *begin).filter(|begin| *begin != "*").collect();
        assert!(missing.is_empty(), "{name} no longer has {missing:?}");
    }
}

#[test]
fn every_test_that_the_list_names_exists() {
    for (page, rows) in PAGES {
        for (begin, fate) in *rows {
            match fate {
                Run(file, name) => {
                    let text = fs::read_to_string(repository().join(file)).unwrap();
                    let is_there = text.contains(&format!("fn {name}(")) || text.contains(&format!("test(\"{name}"));
                    assert!(is_there, "{page}, {begin}: there is no {name} in {file}");
                }
                Output => {}
                Not(why) => assert!(!why.is_empty()),
            }
        }
    }
}
