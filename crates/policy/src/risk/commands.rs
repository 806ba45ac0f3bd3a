//! Hints on the commands of a shell, from their programs and words.

use std::collections::HashSet;

use askbridge_core::rules::asks::{Risk, Risks, Script};

use super::files;

const PRIVILEGED: &[&str] = &["sudo", "doas", "su", "pkexec", "runas", "run0", "sudoedit", "gosu", "setpriv"];
const DELETES: &[&str] = &["rm", "rmdir", "shred", "unlink", "srm", "wipe", "dropdb", "dropuser", "trash", "rimraf"];
const SYSTEM: &[&str] =
    &["dd", "fdisk", "sfdisk", "parted", "wipefs", "mkswap", "mount", "umount", "insmod", "modprobe"];
/// Programs that print or save what they download.
const FETCHES: &[&str] =
    &["curl", "wget", "fetch", "http", "https", "xh", "aria2c", "lynx", "nc", "ncat", "netcat", "ssh", "irm", "iwr"];
const NETWORKS: &[&str] = &["scp", "sftp", "rsync", "telnet", "ftp", "socat", "ping", "dig", "nslookup", "rclone"];
/// Programs that reach the network with one of these words behind them.
const NETWORK_VERBS: &[(&[&str], &[&str])] = &[
    (&["git"], &["clone", "fetch", "pull", "push", "ls-remote", "submodule"]),
    (&["npm", "pnpm", "yarn", "bun"], &["install", "i", "add", "ci", "update", "upgrade", "publish", "exec", "dlx"]),
    (
        &[
            "pip", "pip3", "uv", "pipx", "poetry", "gem", "cargo", "go", "brew", "apt", "apt-get", "dnf", "yum", "apk",
            "pacman",
        ],
        &["install", "add", "get", "update", "upgrade", "fetch", "publish", "download", "sync", "-S"],
    ),
    (&["docker", "podman", "nerdctl"], &["pull", "push", "run", "build", "login"]),
];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "csh", "tcsh", "pwsh", "powershell"];
const LANGUAGES: &[&str] =
    &["python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "osascript"];
/// Programs that change the files which they name.
const WRITES: &[&str] = &[
    "rm", "rmdir", "mv", "cp", "tee", "dd", "install", "ln", "chmod", "chown", "chgrp", "touch", "mkdir", "truncate",
    "shred", "unlink", "rsync", "sed",
];
/// Options of interpreters behind which the code itself stands.
const CODE: &[&str] =
    &["-c", "-e", "-r", "-p", "-E", "-m", "--eval", "--print", "-lc", "-ic", "-xc", "-ec", "-Command"];
const SQL: &[&[&str]] =
    &[&["drop", "table"], &["drop", "database"], &["drop", "schema"], &["truncate", "table"], &["delete", "from"]];
const CODE_DELETES: &[&str] =
    &["rmtree", "os.remove", "os.unlink", "rmSync", "unlinkSync", "fs.rm", "fs.unlink", "FileUtils.rm"];

/// Adds what a shell's commands may do.
pub(super) fn look(script: &Script, folder: Option<&str>, risks: &mut Risks) {
    if script.is_beyond {
        *risks = Risks::all();
        return;
    }
    let mut code = Code::default();
    // Of several commands, the text as a whole begins with one, and ends with another's words.
    let is_one = |text: &&String| **text != script.text || !text.contains([';', '|', '&', '\n']);
    for text in script.suspects.iter().filter(is_one) {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if let Some((program, rest)) = words.split_first() {
            command(&name(program), rest, folder, risks);
            code.command(&name(program), program, rest);
        }
    }
    if has_an_address(&script.text) {
        risks.add(Risk::Network);
    }
    for target in written_to(&script.text) {
        if code.fetches {
            code.saved.insert(file(target));
        }
        if files::is_system(target) {
            risks.add(Risk::System);
        }
        if files::is_outside(target, folder) {
            risks.add(Risk::OutsideFolder);
        }
    }
    if code.runs_what_it_fetches() {
        risks.add(Risk::RunsDownloadedCode);
    }
    let lower = script.text.to_lowercase();
    let is_sql = SQL.iter().any(|words| {
        let mut rest = lower.split_ascii_whitespace().map(|word| word.trim_matches(['"', '\'', ';', '(']));
        let (first, second) = (words[0], words[1]);
        rest.by_ref().any(|word| word == first) && rest.next() == Some(second)
    });
    if is_sql || CODE_DELETES.iter().any(|call| script.text.contains(call)) {
        risks.add(Risk::Deletes);
    }
}

/// Is there an address of the web in a text?
pub(super) fn has_an_address(text: &str) -> bool {
    text.contains("https://") || text.contains("http://")
}

fn command(program: &str, rest: &[&str], folder: Option<&str>, risks: &mut Risks) {
    let has = |words: &[&str]| rest.iter().any(|word| words.contains(word));
    let flag = |letter: char| rest.iter().any(|word| is_flag(word, letter));
    let mut operands = rest.iter().filter(|word| !word.starts_with('-')).copied();
    let (verb, noun) = (operands.next().unwrap_or_default(), operands.next().unwrap_or_default());
    let mut add = |is: bool, risk: Risk| {
        if is {
            risks.add(risk);
        }
    };
    add(PRIVILEGED.contains(&program), Risk::Privileged);
    add(DELETES.contains(&program), Risk::Deletes);
    add(SYSTEM.contains(&program) || program.starts_with("mkfs"), Risk::System);
    add(FETCHES.contains(&program) || NETWORKS.contains(&program), Risk::Network);
    let reaches = |(programs, verbs): &(&[&str], &[&str])| programs.contains(&program) && has(verbs);
    add(NETWORK_VERBS.iter().any(reaches), Risk::Network);
    add(rest.iter().any(|word| files::is_secret(word)), Risk::Secrets);
    match program {
        "git" => git(rest, &mut add),
        "find" | "fd" => add(has(&["-delete"]), Risk::Deletes),
        "rsync" => add(rest.iter().any(|word| word.starts_with("--delete")), Risk::Deletes),
        "truncate" => add(flag('s') || has(&["--size"]), Risk::Deletes),
        "kubectl" | "oc" | "k" => add(has(&["delete", "drain"]), Risk::Deletes),
        "helm" => add(has(&["uninstall", "delete"]), Risk::Deletes),
        "terraform" | "tofu" | "terragrunt" | "pulumi" | "cdk" | "vagrant" | "serverless" | "sls" => {
            add(has(&["destroy", "remove", "-destroy", "--destroy"]), Risk::Deletes);
        }
        "docker" | "podman" | "nerdctl" => {
            let removes = ["rm", "rmi", "kill", "prune", "remove"];
            let volumes = has(&["down"]) && (flag('v') || has(&["--volumes"]));
            add(removes.contains(&verb) || removes.contains(&noun) || volumes, Risk::Deletes);
            add(verb == "push", Risk::Publishes);
        }
        "aws" | "gcloud" | "az" | "gsutil" | "doctl" | "fly" | "flyctl" | "heroku" | "gh" | "glab" | "hcloud" => {
            add(true, Risk::Network);
            let ends = |word: &&str| ["delete", "destroy", "rm", "rb", "remove"].contains(word);
            let begins = |word: &&str| ["delete-", "terminate-", "remove-"].iter().any(|verb| word.starts_with(verb));
            add(rest.iter().any(|word| ends(word) || begins(word)), Risk::Deletes);
            add(["release", "pr"].contains(&verb) && ["create", "merge"].contains(&noun), Risk::Publishes);
        }
        "npm" | "pnpm" | "yarn" | "cargo" | "gem" | "poetry" | "twine" | "uv" | "bun" => {
            add(["publish", "upload", "push"].contains(&verb), Risk::Publishes);
            add(has(&["publish", "upload"]), Risk::Network);
            add(verb == "unpublish" || verb == "yank", Risk::Deletes);
        }
        "redis-cli" => add(rest.iter().any(|word| word.to_lowercase().starts_with("flush")), Risk::Deletes),
        _ => {}
    }
    let writes = WRITES.contains(&program) && (program != "sed" || flag('i') || has(&["--in-place"]));
    if writes {
        let targets =
            || rest.iter().map(|word| word.strip_prefix("of=").unwrap_or(word)).filter(|word| !word.starts_with('-'));
        // What is copied or linked from may be anywhere.
        let last = targets().count().saturating_sub(1);
        let skipped = if matches!(program, "cp" | "ln" | "install" | "rsync") { last } else { 0 };
        let is_path = |word: &&str| word.starts_with(['/', '~', '.']) || word.contains('/');
        for target in targets().skip(skipped).filter(is_path) {
            add(files::is_outside(target, folder), Risk::OutsideFolder);
            add(files::is_system(target), Risk::System);
        }
    }
}

fn git(rest: &[&str], add: &mut impl FnMut(bool, Risk)) {
    let mut words = rest.iter().copied();
    let mut verb = "";
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => {
                verb = word;
                break;
            }
        }
    }
    let rest: Vec<&str> = words.collect();
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(word));
    let flag = |letter: char| rest.iter().any(|word| is_flag(word, letter));
    match verb {
        "push" => {
            add(true, Risk::Publishes);
            let forced = |word: &&str| word.starts_with("--force") || word.starts_with('+') || *word == "--mirror";
            add(flag('f') || rest.iter().any(forced), Risk::RewritesHistory);
            let removed =
                |word: &&str| ["--delete", "--prune"].contains(word) || (word.starts_with(':') && word.len() > 1);
            add(flag('d') || rest.iter().any(removed), Risk::Deletes);
        }
        "reset" => add(has(&["--hard"]), Risk::RewritesHistory),
        "rebase" | "filter-branch" | "filter-repo" => add(true, Risk::RewritesHistory),
        "commit" => add(has(&["--amend"]), Risk::RewritesHistory),
        "branch" | "tag" => add(flag('D') || (has(&["--delete"]) && has(&["--force"])), Risk::RewritesHistory),
        "clean" => add(!flag('n') && !has(&["--dry-run"]), Risk::Deletes),
        "rm" => add(!flag('n') && !has(&["--cached", "--dry-run"]), Risk::Deletes),
        "checkout" | "restore" => add(has(&[".", "--force"]) || flag('f'), Risk::Deletes),
        "stash" => add(has(&["drop", "clear"]), Risk::Deletes),
        "worktree" => add(has(&["remove"]), Risk::Deletes),
        _ => {}
    }
}

/// Where code comes from that the commands run.
#[derive(Default)]
struct Code<'t> {
    /// Something is downloaded.
    fetches: bool,
    /// An interpreter has no code and no file of its own, so it reads what another command prints.
    reads: bool,
    /// Files into which something is downloaded.
    saved: HashSet<&'t str>,
    /// Files that are run.
    run: HashSet<&'t str>,
}

impl<'t> Code<'t> {
    fn command(&mut self, program: &str, written: &'t str, rest: &[&'t str]) {
        self.run.insert(file(written));
        if FETCHES.contains(&program) {
            self.fetches = true;
            self.saves(program, rest);
        }
        if let ("mv" | "cp" | "chmod" | "install" | "tee", Some(last)) = (program, rest.last()) {
            // Under its new name it is still what was downloaded.
            if self.fetches {
                self.saved.insert(file(last));
            }
        }
        let language = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_shell = SHELLS.contains(&program);
        match program {
            "eval" | "source" | "." | "iex" => match rest.first() {
                None => self.reads = true,
                Some(first) => drop(self.run.insert(file(first))),
            },
            _ if is_shell || LANGUAGES.contains(&language) => {
                let code = rest.iter().position(|word| CODE.contains(word));
                let operand = rest.iter().find(|word| !word.starts_with(['-', '+']) && **word != "run");
                match (code, operand) {
                    (Some(at), _) => self.reads |= rest.len() == at + 1,
                    (None, None) => self.reads |= !rest.iter().any(|word| ["--version", "-V", "--help"].contains(word)),
                    (None, Some(_)) if is_shell && rest.iter().any(|word| is_flag(word, 's')) => self.reads = true,
                    (None, Some(first)) => {
                        self.reads |= *first == "/dev/stdin";
                        self.fetches |= has_an_address(first);
                        self.reads |= has_an_address(first);
                        self.run.insert(file(first));
                    }
                }
            }
            _ => {}
        }
    }

    fn saves(&mut self, program: &str, rest: &[&'t str]) {
        for (at, word) in rest.iter().enumerate() {
            let named = ["-o", "-O", "--output", "--output-document", "--out"].contains(word)
                || is_flag(word, 'o')
                || (program == "wget" && is_flag(word, 'O'));
            if let (true, Some(name)) = (named, rest.get(at + 1)) {
                self.saved.insert(file(name));
            }
            // By the last part of the address: `curl -O`, `wget`.
            if has_an_address(word) {
                let path = word.split(['?', '#']).next().unwrap_or_default();
                self.saved.extend(path.rsplit('/').next().filter(|name| !name.is_empty()));
            }
        }
    }

    fn runs_what_it_fetches(&self) -> bool {
        self.fetches && (self.reads || self.saved.iter().any(|saved| self.run.contains(saved)))
    }
}

/// The files to which output is redirected. Quotes are not understood: a `>` in a text names a file too many.
fn written_to(text: &str) -> impl Iterator<Item = &str> {
    let after = text.split('>').skip(1);
    after.filter_map(|rest| {
        let rest = rest.trim_start_matches(['|', ' ', '\t']);
        let end = rest.find([' ', '\t', '\n', ';', '|', '&', '<', '>', ')', '"', '\'']).unwrap_or(rest.len());
        Some(&rest[..end]).filter(|target| !target.is_empty())
    })
}

/// Is the letter among the flags of a word like `-rf`?
fn is_flag(word: &str, letter: char) -> bool {
    let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
    flags.is_some_and(|flags| flags.contains(letter) && flags.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

fn file(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The name of a program: `/bin/SH` is `sh`.
fn name(word: &str) -> String {
    let name = file(word).to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}
