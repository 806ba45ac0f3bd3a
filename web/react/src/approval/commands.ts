/** Finds what is risky in a command line, from its programs and their arguments. */

import type { RiskWord } from "./risk.ts";
import { parse, type Command, type Script, type Word } from "./shell.ts";

/** What a program reads through a pipe: nothing, text in the command line, text that cannot be known here, or data from the network. */
type Flow = { readonly from: "keyboard" | "file" | "unread" | "network" } | { readonly from: "text"; readonly text: string };

const KEYBOARD: Flow = { from: "keyboard" };
const UNREAD: Flow = { from: "unread" };
const NETWORK: Flow = { from: "network" };

const SHELLS = /^((ba|z|da|k|mk|c|tc|fi|a)?sh|pwsh|powershell|iex|invoke-expression|\$\{?shell\}?)$/;
const LANGUAGES = /^(python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|osascript|rscript|tclsh)$/;
const FETCHES = /^(curl|wget|fetch|https?|xh|aria2c|lynx|nc|ncat|netcat|ssh|iwr|irm|invoke-webrequest|invoke-restmethod)$/;
const NETWORKS = /^(curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|telnet|ftp)$/;
const DECODES = /^(base64|base32|xxd|uudecode|openssl|gunzip|zcat|bzcat|xzcat|rev|tr)$/;
/** Programs that run the program named after them, with their options that take a value, and the number of operands before it. */
const WRAPPERS: Readonly<Record<string, { readonly values: string; readonly operands?: number }>> = {
  sudo: { values: "ugpCDhRTUrt" }, doas: { values: "uC" }, env: { values: "uCS" }, nohup: { values: "" }, nice: { values: "n" },
  ionice: { values: "cnp" }, timeout: { values: "ks", operands: 1 }, stdbuf: { values: "ioe" }, xargs: { values: "IiEeLlnPsda" },
  command: { values: "" }, exec: { values: "a" }, builtin: { values: "" }, setsid: { values: "" }, time: { values: "fo" },
  watch: { values: "n" }, busybox: { values: "" }, flock: { values: "wE", operands: 1 }, chroot: { values: "", operands: 1 },
  strace: { values: "eopsu" }, unbuffer: { values: "" }, parallel: { values: "jNn" },
};
const RESERVED = /^(\{|\}|!|if|then|elif|else|fi|while|until|do|done|esac|coproc)$/;
/** Programs that run a command that is somewhere among their arguments. */
const CARRIERS = /^(docker|podman|nerdctl|kubectl|oc|find|fd|fdfind|nsenter|runuser|script|tmux|screen|lxc|vagrant|heroku|fly|flyctl|just|nix-shell)$/;
const CARRIED = /^(rm|rmdir|shred|unlink|dd|mkfs.*|sudo|su|(ba|z|da|k)?sh|python[\d.]*|dropdb)$/;
const SQL = /\bdrop\s+(table|database|schema)\b|\btruncate\s+table\b|\bdelete\s+from\s+\S+\s*(;|$)|\bflushall\b|\bdropdatabase\b/i;
const CODE_DELETES = /\brmtree\b|\bos\.(remove|unlink|rmdir)\b|\brmSync\b|\bunlinkSync\b|\bfs\.(rm|unlink)\b|\bunlink\s*\(|\bFileUtils\.rm/;
const SYSTEM = /^\/(etc|boot|usr|bin|sbin|lib)\/|^\/dev\/(?!null$|stdout$|stderr$|tty$|fd\/)/;
/** Programs that only print or search for their arguments. */
const SPEAKERS = /^(echo|printf|grep|egrep|fgrep|rg|ag|man|which|type|whatis|test|\[|\[\[)$/;

/** Limits on nesting and on the number of commands. Beyond: the code counts as unread. */
const DEPTH_MAX = 12;
const SCRIPTS_MAX = 2_000;
const WRAPPERS_MAX = 20;
const CHARS_MAX = 1_000_000;

/** Calls back for everything found in a command line. */
export function lookInto(line: string, found: (word: RiskWord, isGrave: boolean) => void): void {
  new Look(found).script(parse(line), KEYBOARD);
}

class Look {
  private readonly found: (word: RiskWord, isGrave: boolean) => void;
  /** Files that this command line has downloaded. */
  private readonly fetched = new Set<string>();
  private depth = 0;
  private looked = 0;
  private chars = 0;

  constructor(found: (word: RiskWord, isGrave: boolean) => void) {
    this.found = found;
  }

  script(script: Script, stdin: Flow) {
    this.looked += 1;
    // What is not analysed may be anything.
    if (this.depth > DEPTH_MAX || this.looked > SCRIPTS_MAX) return this.found("riskUnreadCode", true);
    this.depth += 1;
    let before = false;
    for (const pipeline of script) {
      // `{ …; } | sh`: the text between the braces was analysed before.
      const closes = /^(\}|fi|done|esac)$/.test(pipeline[0]?.words[0]?.text ?? "");
      let flow = closes ? (before ? NETWORK : UNREAD) : stdin;
      for (const [at, command] of pipeline.entries()) flow = closes && at === 0 && command.words.length === 1 ? flow : this.command(command, flow);
      before ||= fetches([pipeline]);
    }
    this.depth -= 1;
  }

  /** Parses a text that is run by another program, within the limits. */
  private parsed(text: string): Script {
    this.chars += text.length;
    if (this.chars <= CHARS_MAX) return parse(text);
    this.found("riskUnreadCode", true);
    return [];
  }

  /** Analyses one program, and returns what it prints. */
  private command(command: Command, piped: Flow): Flow {
    for (const { to, word } of command.redirects)
      if (to === "output" && SYSTEM.test(word.text)) this.found("riskDevice", true);
    const stdin = command.redirects.reduce<Flow>(
      (flow, { to, word }) => (to === "text" ? textFlow(word) : to === "input" ? this.fileFlow([word]) : flow),
      piped,
    );
    for (const word of [...command.words, ...command.redirects.map((redirect) => redirect.word)])
      for (const inside of word.scripts) this.script(inside, word.text.startsWith(">(") ? stdin : KEYBOARD);
    let printed: Flow;
    if (command.group) {
      this.script(command.group, stdin);
      printed = fetches(command.group) ? NETWORK : UNREAD;
    } else printed = this.program(command.words, stdin, false);
    if (printed.from === "network") for (const { to, word } of command.redirects) if (to === "output") this.fetched.add(fileName(word));
    return printed;
  }

  /** `isFed`: the piped data becomes its arguments. `wrapped`: how many programs stand before it. */
  private program(all: readonly Word[], stdin: Flow, isFed: boolean, wrapped = 0): Flow {
    const at = all.findIndex(({ text, isQuoted }) => !(RESERVED.test(text) && !isQuoted) && !/^\w+\+?=/.test(text));
    const first = all[at];
    if (wrapped > WRAPPERS_MAX) this.found("riskUnreadCode", true);
    if (!first || wrapped > WRAPPERS_MAX) return stdin;
    const rest = all.slice(at + 1);
    // The program's name is itself the output of another program.
    if (first.scripts.length > 0) this.code(first, KEYBOARD);
    const name = nameOf(first);
    const texts = rest.map(({ text }) => text);
    if (name === "function") return this.program(rest.slice(1), stdin, isFed, wrapped + 1);
    if (/^(sudo|doas|su|pkexec|runas)$/.test(name)) this.found("riskSudo", true);
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    if (wrapper && !(name === "command" && /^-[vV]$/.test(texts[0] ?? ""))) {
      if (name === "env" && texts.some((text) => /^(-S|--split-string)/.test(text))) this.script(this.parsed(texts.join(" ").replace(/-S|--split-string=?/, "")), stdin);
      return this.program(unwrapped(rest, wrapper), stdin, isFed || name === "xargs" || name === "parallel", wrapped + 1);
    }
    this.effects(name, rest, texts);
    if (name === "ssh") this.script(this.parsed(afterHost(texts).join(" ")), KEYBOARD);
    if (CARRIERS.test(name)) {
      const place = rest.findIndex((word) => CARRIED.test(nameOf(word)));
      const isCommand = place > 0 && !(/^(docker|podman|nerdctl)$/.test(name) && place < 2 && texts[0] !== "exec" && texts[0] !== "run");
      if (isCommand) this.program(rest.slice(place), KEYBOARD, true, wrapped + 1);
    }
    if (name === "eval" || name === "source" || name === "." || name === "su" || SHELLS.test(name) || LANGUAGES.test(name)) this.runs(name, rest, stdin, isFed);
    if (this.fetched.has(fileName(first))) this.found("riskNetworkCode", true);
    return this.printed(name, rest, texts, stdin);
  }

  /** Analyses a program that runs code: where does the code come from? */
  private runs(name: string, rest: readonly Word[], stdin: Flow, isFed: boolean) {
    if (name === "eval") {
      if (fetchesIn(rest)) this.found("riskNetworkCode", true);
      return this.script(this.parsed(rest.map(({ text }) => text).join(" ")), stdin);
    }
    if (isFed && stdin.from === "network") this.found("riskNetworkCode", true);
    const isShell = name === "su" || SHELLS.test(name);
    const option = isShell ? /^(-[a-z]*c|-command|-encodedcommand)$/i : /^(-c|-e|-r|-p|-n|-[a-z]*e|-m|eval|--eval|--print)$/i;
    const place = rest.findIndex(({ text }) => option.test(text));
    const code = place < 0 ? undefined : rest[place + 1];
    if (code) {
      if (isShell) return this.code(code, stdin);
      if (CODE_DELETES.test(code.text)) this.found("riskDeletes", true);
      if (fetchesIn([code])) this.found("riskNetworkCode", true);
      else if (decodesIn([code])) this.found("riskUnreadCode", true);
      return;
    }
    const isStdin = isShell && rest.some(({ text }) => /^-[a-z]*s$/.test(text));
    const file = isStdin ? undefined : rest.find(({ text, isQuoted }) => text !== "" && (isQuoted || !/^[-+]/.test(text)) && !(name === "su") && !/^(run)$/.test(text));
    if (file && file.text !== "-" && file.text !== "/dev/stdin") {
      if (fetchesIn([file]) || this.fetched.has(fileName(file))) this.found("riskNetworkCode", true);
      else if (decodesIn([file])) this.found("riskUnreadCode", true);
      // `deno run https://…`
      else if (/^https?:\/\//.test(file.text)) this.found("riskNetworkCode", true);
      return;
    }
    if (stdin.from === "network") this.found("riskNetworkCode", true);
    else if (stdin.from === "unread") this.found("riskUnreadCode", true);
    else if (stdin.from === "text" && isShell) this.script(this.parsed(stdin.text), KEYBOARD);
    else if (stdin.from === "text" && CODE_DELETES.test(stdin.text)) this.found("riskDeletes", true);
  }

  /** Analyses a word that is run as commands. Its `$(…)` cannot be known here. */
  private code(word: Word, stdin: Flow) {
    if (fetchesIn([word])) this.found("riskNetworkCode", true);
    else if (decodesIn([word])) this.found("riskUnreadCode", true);
    if (word.isQuoted || word.scripts.length === 0) this.script(this.parsed(word.text), stdin);
  }

  /** Returns what a program prints for this input. */
  private printed(name: string, rest: readonly Word[], texts: readonly string[], stdin: Flow): Flow {
    if (FETCHES.test(name) || (name === "aws" && texts.includes("-")) || (name === "gsutil" && texts.includes("cat"))) {
      for (const file of savedBy(name, texts)) this.fetched.add(fileName({ text: file }));
      return NETWORK;
    }
    if (name === "tee" && stdin.from === "network") for (const word of rest) this.fetched.add(fileName(word));
    if (/^(mv|cp|install|ln)$/.test(name) && rest.some((word) => this.fetched.has(fileName(word)))) for (const word of rest.slice(-1)) this.fetched.add(fileName(word));
    if (stdin.from === "network" || fetchesIn(rest)) return NETWORK;
    if (name === "echo" || name === "printf")
      return rest.some(({ scripts }) => scripts.length > 0) ? UNREAD : { from: "text", text: texts.filter((text) => !/^-[neE]+$/.test(text)).join(" ") };
    const files = rest.filter(({ text }) => !text.startsWith("-"));
    if (name === "cat") return files.length > 0 ? this.fileFlow(files) : stdin;
    return name === "tee" ? stdin : UNREAD;
  }

  private fileFlow(words: readonly Word[]): Flow {
    return fetchesIn(words) || words.some((word) => this.fetched.has(fileName(word))) ? NETWORK : { from: "file" };
  }

  /** Finds what a program itself does. */
  private effects(name: string, rest: readonly Word[], texts: readonly string[]) {
    const [verb = "", noun = ""] = operandsOf(texts);
    const has = (flag: RegExp) => texts.some((text) => flag.test(text));
    const line = texts.join(" ");
    if (/^(rm|rmdir|shred|unlink|srm|remove-item)$/.test(name)) this.found("riskDeletes", true);
    // Also ordinary English words: only with an option that makes them programs.
    if ((name === "truncate" && has(/^(-s|--size)/)) || (/^(del|rd|erase)$/.test(name) && has(/^\/[sqf]$/i))) this.found("riskDeletes", true);
    if (name === "find" && (has(/^-delete$/) || (has(/^-(exec|ok)/) && /\b(rm|rmdir|shred|unlink)\b/.test(line)))) this.found("riskDeletes", true);
    if (name === "rsync" && has(/^--(delete|remove-source-files)/)) this.found("riskDeletes", true);
    if (name === "git") this.git(texts);
    if (/^(kubectl|oc|k)$/.test(name) && /^(delete|drain|replace)$/.test(verb) && (verb !== "replace" || has(/^--force/))) this.found("riskDestroys", true);
    if (/^(terraform|tofu|terragrunt|pulumi|cdk|cdktf|vagrant|sls|serverless)$/.test(name) && (/^(destroy|remove)$/.test(verb) || has(/^--?destroy$/) || / destroy\b/.test(` ${line}`))) this.found("riskDestroys", true);
    if (name === "helm" && /^(uninstall|delete|del)$/.test(verb)) this.found("riskDestroys", true);
    if (/^(docker|podman|nerdctl)$/.test(name) && (/^(rm|rmi|kill)$/.test(verb) || /^(rm|remove|prune)$/.test(noun) || (verb === "compose" && noun === "down" && has(/^(-v|--volumes)$/)))) this.found("riskDestroys", true);
    if (name === "docker-compose" && verb === "down" && has(/^(-v|--volumes)$/)) this.found("riskDestroys", true);
    if (name === "aws" && (/^(delete|terminate|remove)-/.test(noun) || (verb === "s3" && /^(rm|rb)$/.test(noun)) || (verb === "s3" && has(/^--delete$/)))) this.found("riskDestroys", true);
    if (/^(gcloud|az|doctl|flyctl|fly|heroku|gh|glab|hcloud|linode-cli|gsutil)$/.test(name) && texts.some((text) => /^(delete|destroy|rm|rb|\w+:destroy)$/.test(text))) this.found("riskDestroys", true);
    if (/^(dropdb|dropuser)$/.test(name) || (!SPEAKERS.test(name) && name !== "git" && SQL.test(line))) this.found("riskDestroys", true);
    if (name === "npm" && verb === "unpublish") this.found("riskDestroys", true);
    if (/^(npm|pnpm|yarn|cargo|gem|poetry|twine|uv|bun)$/.test(name) && /^(publish|upload|push)$/.test(verb)) this.found("riskPublishes", false);
    if (/^(docker|podman)$/.test(name) && verb === "push") this.found("riskPublishes", false);
    if (name === "gh" && /^(release|pr)$/.test(verb) && /^(create|merge)$/.test(noun)) this.found("riskPublishes", false);
    if (NETWORKS.test(name)) this.found("riskNetwork", false);
    if (/^(dd|mkfs.*|fdisk|sfdisk|parted|wipefs|mkswap)$/.test(name)) this.found("riskDevice", true);
    if (name === "tee" && rest.some(({ text }) => SYSTEM.test(text))) this.found("riskDevice", true);
    if (/^(chmod|chown|chgrp|setfacl|icacls)$/.test(name)) this.found("riskPermissions", false);
  }

  private git(texts: readonly string[]) {
    let at = 0;
    while (texts[at]?.startsWith("-")) at += /^-[Cc]$/.test(texts[at] ?? "") ? 2 : 1;
    const [verb, ...rest] = texts.slice(at);
    const has = (flag: RegExp) => rest.some((text) => flag.test(text));
    if (verb === "push") {
      if (has(/^(--force.*|--mirror|-[a-z]*f[a-z]*|\+.+)$/)) this.found("riskRewritesHistory", true);
      if (has(/^(--delete|-d|--prune|:.+)$/)) this.found("riskDestroys", true);
      this.found("riskPublishes", false);
    }
    if (verb === "reset" && has(/^--hard$/)) this.found("riskRewritesHistory", true);
    if (/^(rebase|filter-branch|filter-repo)$/.test(verb ?? "")) this.found("riskRewritesHistory", true);
    if (verb === "branch" && (has(/^-[a-z]*D/) || (has(/^--delete$/) && has(/^--force$/)))) this.found("riskRewritesHistory", true);
    if (verb === "clean" && !has(/^(-[a-z]*n[a-z]*|--dry-run)$/)) this.found("riskDeletes", true);
    if (verb === "rm" && !has(/^(--cached|-n|--dry-run)$/)) this.found("riskDeletes", true);
    if (/^(checkout|restore)$/.test(verb ?? "") && has(/^(\.|-f|--force)$/)) this.found("riskDeletes", true);
    if (verb === "stash" && has(/^(drop|clear)$/)) this.found("riskDeletes", true);
  }
}

/** Words that are no options, nor values of the options before a command of such programs. */
const VALUED = /^(-n|--namespace|--context|--kubeconfig|--cluster|--profile|--region|--project|--host|-H|--config)$/;
const operandsOf = (texts: readonly string[]) => texts.filter((text, at) => !text.startsWith("-") && !VALUED.test(texts[at - 1] ?? ""));

/** `/bin/sh` is `sh`. */
const nameOf = ({ text }: Pick<Word, "text">) => (text.split(/[/\\]/).at(-1) ?? text).toLowerCase().replace(/\.exe$/, "");
const fileName = ({ text }: Pick<Word, "text">) => text.replace(/^(\.\/)+/, "");

function unwrapped(rest: readonly Word[], { values, operands = 0 }: { readonly values: string; readonly operands?: number }): readonly Word[] {
  let at = 0;
  for (; at < rest.length; at += 1) {
    const text = rest[at]?.text ?? "";
    if (text === "--") {
      at += 1;
      break;
    }
    if (/^-\w$/.test(text) && values.includes(text[1] ?? "")) at += 1;
    else if (!text.startsWith("-") && !/^\w+=/.test(text)) break;
  }
  return rest.slice(at + operands);
}

function afterHost(texts: readonly string[]): readonly string[] {
  let at = 0;
  for (; texts[at]?.startsWith("-"); at += 1) if (/^-[bcDEeFIiJLlmOopQRSWw]$/.test(texts[at] ?? "")) at += 1;
  return texts.slice(at + 1);
}

/** Returns the files into which a download program saves. */
function savedBy(name: string, texts: readonly string[]): string[] {
  const files: string[] = [];
  const address = texts.find((text) => /^[a-z]+:\/\//i.test(text)) ?? texts.findLast((text) => !text.startsWith("-")) ?? "";
  const last = address.split(/[?#]/)[0]?.split("/").at(-1) ?? "";
  const option = name === "wget" ? /^(-[a-zA-Z]*O|--output-document)$/ : /^(-[a-zA-Z]*o|--output|--out|-outfile)$/i;
  texts.forEach((text, at) => {
    if (option.test(text) && !(name === "curl" && /^-[a-zA-Z]*O$/.test(text))) files.push(texts[at + 1] ?? "");
    const [, joined] = /^--(?:output|output-document|out)=(.+)$/.exec(text) ?? [];
    if (joined) files.push(joined);
    if (name === "curl" && /^(-[a-zA-Z]*O[a-zA-Z]*|--remote-name)$/.test(text)) files.push(last);
  });
  if (/^(wget|aria2c)$/.test(name) && files.length === 0) files.push(last);
  return files.filter((file) => file !== "" && file !== "-");
}

/** Returns whether a matching program is anywhere in a script. Each script is analysed once, however often it is asked for. */
function anywhere(isMeant: (name: string, words: readonly Word[]) => boolean): (script: Script) => boolean {
  const known = new WeakMap<Script, boolean>();
  const isProgram = (words: readonly Word[], at: number) =>
    at === 0 || Object.hasOwn(WRAPPERS, nameOf(words[at - 1] as Word)) || RESERVED.test(words[at - 1]?.text ?? "");
  const look = (script: Script): boolean => {
    const before = known.get(script);
    if (before !== undefined) return before;
    const is = script.some((pipeline) =>
      pipeline.some(
        ({ words, redirects, group }) =>
          words.some((word, at) => isProgram(words, at) && isMeant(nameOf(word), words)) ||
          (group !== null && look(group)) ||
          words.some(({ scripts }) => scripts.some(look)) ||
          redirects.some(({ word }) => word.scripts.some(look)),
      ),
    );
    known.set(script, is);
    return is;
  };
  return look;
}
const fetches = anywhere((name) => FETCHES.test(name));
const decodes = anywhere(
  (name, words) => DECODES.test(name) && (!/^base(64|32)$/.test(name) || words.some(({ text }) => /^(-d|-D|--decode|-di)$/.test(text))),
);
const fetchesIn = (words: readonly Word[]): boolean => words.some(({ scripts }) => scripts.some(fetches));
const decodesIn = (words: readonly Word[]): boolean => words.some(({ scripts }) => scripts.some(decodes));
const textFlow = (word: Word): Flow => (fetchesIn([word]) ? NETWORK : word.scripts.length > 0 ? UNREAD : { from: "text", text: word.text });
