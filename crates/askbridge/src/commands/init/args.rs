//! `askbridge init`: writes our entries into another program's settings.

use askbridge_bridge::server::mcp::ASK_TOOLS;
use askbridge_edits::install;

use super::list::list;
use super::ourselves::Ourselves;
use super::program::{Http, Job, Program, Scope, Wish};
use super::report::{failed, tell_change};
use crate::exit_codes::Exit;
use crate::failure::Failure;
use crate::output::tell;
use crate::settings::{Settings, Surroundings};

const EXAMPLES: &str = "\
Examples:
  askbridge init                        which programs are here, and what would be done
  askbridge init claude --dry-run       show the change to Claude Code's settings, and write nothing
  askbridge init claude                 questions and permissions of Claude Code in your terminals, wherever you are
  askbridge init claude --project       the same for everybody who works in this folder
  askbridge init claude --rules         also every call before it runs, for rules that look at calls
  askbridge init claude --mcp           also the tools, which subagents can use as well
  askbridge init codex --hooks          Codex: the tools, and its permissions
  askbridge init cursor                 likewise: opencode, vscode, gemini, claude-desktop
  askbridge uninstall claude            take it out again

Only what is askbridge's is added; order, comments and everything else in the file stay as they are. A copy of what was
there is kept in the data folder, in `installed`. Twice is the same as once. `askbridge doctor` tries whether it works.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The program; without one, say which are here and what would be done
    program: Option<Program>,
    /// The settings of the project in this folder, shared by everybody who works on it
    #[arg(long, conflicts_with = "local", requires = "program")]
    project: bool,
    /// Your own settings for the project in this folder (Claude Code)
    #[arg(long, requires = "program")]
    local: bool,
    /// Also add the MCP server, where hooks are added (Claude Code)
    #[arg(long, requires = "program")]
    mcp: bool,
    /// Also add hooks for permissions (Codex), which you then trust in Codex; Claude Code gets its hooks anyway
    #[arg(long, requires = "program")]
    hooks: bool,
    /// Also report every call to the server before it runs, for rules with `every_call` (Claude Code). Each call then starts
    /// one more process
    #[arg(long, requires = "program")]
    rules: bool,
    /// Hooks that call the server over HTTP instead of the local socket (Claude Code). The token is read from
    /// $ASKBRIDGE_TOKEN
    #[arg(long, requires = "program")]
    http: bool,
    /// Write this token into the settings instead of reading it from the environment; never into a project's
    #[arg(long, value_name = "TOKEN", requires = "http")]
    http_token: Option<String>,
    /// Show what would change, and write nothing
    #[arg(long, requires = "program")]
    dry_run: bool,
    /// Print JSON, one file on each line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(settings: &Settings, args: &Args) -> Result<Exit, Failure> {
    let around = Surroundings::look()?;
    let Some(program) = args.program else { return list(settings, &around, args.json) };
    let scope = Scope::of(args.project, args.local);
    let wish = Wish { hooks: args.hooks, mcp: args.mcp, rules: args.rules, http: http(settings, args, scope)? };
    let jobs = program.install(scope, &wish, settings, &around)?;
    look_ahead(&jobs)?;
    for job in &jobs {
        let change = install(&job.target, args.dry_run).map_err(|error| failed(error, job))?;
        tell_change(program, job, &change, args.dry_run, args.json)?;
    }
    if !args.json && !args.dry_run {
        let ourselves = Ourselves::for_reader(program.reader(scope), settings, &around)?;
        advise(program, scope, &wish, &ourselves);
    }
    Ok(Exit::Good)
}

/// Checks all files first: if one of them cannot be changed, none is.
fn look_ahead(jobs: &[Job]) -> Result<(), Failure> {
    jobs.iter().try_for_each(|job| install(&job.target, true).map(drop).map_err(|error| failed(error, job)))
}

fn http(settings: &Settings, args: &Args, scope: Scope) -> Result<Option<Http>, Failure> {
    if !args.http {
        return Ok(None);
    }
    if args.http_token.is_some() && scope != Scope::Person {
        return Err(Failure::usage(
            "do not put a token into the settings of a project: everyone who can read them could ask in your name",
        )
        .hint(
            "leave `--http-token` out; the hooks then read $ASKBRIDGE_TOKEN, which each person sets for themselves",
        ));
    }
    Ok(Some(Http { base: settings.reach(settings.server_address()).base, token: args.http_token.clone() }))
}

/// Prints what is left for the person to do.
fn advise(program: Program, scope: Scope, wish: &Wish, ourselves: &Ourselves) {
    if scope == Scope::Project && ourselves.is_of_this_machine() {
        tell(&format!(
            "warning: `askbridge` is not on PATH, so the path of this machine was written: {}",
            ourselves.program
        ));
    }
    if wish.http.as_ref().is_some_and(|http| http.token.is_none()) {
        tell("next: before `claude`, type `export ASKBRIDGE_TOKEN=\"$(askbridge token create claude)\"`");
    }
    if program == Program::Claude && wish.mcp {
        tell(&format!(
            "Claude Code may use these tools without asking you first, because asking you is what they do: {}",
            ASK_TOOLS.join(", ")
        ));
    }
    match program {
        Program::Claude => {
            tell("next: keep `askbridge` running and start `claude`; `askbridge doctor` tries the whole way")
        }
        Program::Codex if wish.hooks => tell(
            "next: Codex runs no hook before you trust it: start `codex`, look at the hooks that it shows, and trust them \
             there. askbridge does not do that for you. They ask you while you are away; see `askbridge away`",
        ),
        _ => tell(&format!(
            "next: keep `askbridge` running and start {} again; `askbridge doctor` tries the whole way",
            program.name()
        )),
    }
}
