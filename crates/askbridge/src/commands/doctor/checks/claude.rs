//! Checks Claude Code: where it is, its version, whether it runs, and whether it may skip its permissions.

use askbridge_bridge::hosts::{CliError, find_claude, is_root_without_a_sandbox};

use super::super::finding::Finding;
use super::super::patient::Patient;

pub(super) async fn look(patient: &Patient) -> Vec<Finding> {
    let options = patient.settings.host_options();
    let found = match find_claude(&options).await {
        Ok(cli) => Finding::good(format!("Claude Code {} runs, at `{}`", cli.version, cli.path.display())),
        Err(error) => return vec![missing(error)],
    };
    if !is_root_without_a_sandbox(&options) {
        return vec![found];
    }
    let root = Finding::warning(
        "this is root, and Claude Code refuses `bypassPermissions` to root",
        "run askbridge as another user; in a container that you can afford to lose, \
         `export IS_SANDBOX=1 ASKBRIDGE_AGENT_ENV=IS_SANDBOX`",
    );
    vec![found, root]
}

fn missing(error: CliError) -> Finding {
    match error {
        // Users whose agents come through other doors need no Claude Code.
        CliError::NotFound => Finding::skipped(
            "there is no `claude` on PATH, so no agents can be run; get it with `npm install -g @anthropic-ai/claude-code`",
        ),
        CliError::NoSuchProgram(path) => Finding::bad(
            format!("ASKBRIDGE_CLAUDE names `{path}`, and there is no such program"),
            "correct it, or `unset ASKBRIDGE_CLAUDE` to look on PATH",
        ),
        CliError::NotRunnable { path, why } => Finding::bad(
            format!("`{path}` does not run: {why}"),
            format!("try `{path} --version`; if it is not for this machine, name another with ASKBRIDGE_CLAUDE"),
        ),
        CliError::NotClaude { path, said } => Finding::bad(
            format!("`{path} --version` says `{said}`, which is not a version of Claude Code"),
            "name the right program with ASKBRIDGE_CLAUDE",
        ),
        CliError::TooOld { found, oldest } => {
            Finding::bad(format!("Claude Code {found} is older than {oldest}"), "run `claude update`")
        }
    }
}
