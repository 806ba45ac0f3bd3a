/** A small syntax highlighter for many languages. */

export type Ink = "plain" | "comment" | "string" | "number" | "word" | "flag" | "variable" | "operator";

export interface Stain {
  readonly ink: Ink;
  readonly text: string;
}

export type Tongue = "shell" | "slashes" | "hashes" | "json" | "none";

const BY_ENDING: Readonly<Record<string, Tongue>> = {
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  shell: "shell",
  console: "shell",
  js: "slashes",
  mjs: "slashes",
  cjs: "slashes",
  jsx: "slashes",
  ts: "slashes",
  tsx: "slashes",
  rs: "slashes",
  rust: "slashes",
  go: "slashes",
  java: "slashes",
  kt: "slashes",
  c: "slashes",
  h: "slashes",
  cpp: "slashes",
  cs: "slashes",
  swift: "slashes",
  css: "slashes",
  scss: "slashes",
  php: "slashes",
  javascript: "slashes",
  typescript: "slashes",
  dart: "slashes",
  py: "hashes",
  python: "hashes",
  rb: "hashes",
  ruby: "hashes",
  toml: "hashes",
  yaml: "hashes",
  yml: "hashes",
  ini: "hashes",
  conf: "hashes",
  dockerfile: "hashes",
  makefile: "hashes",
  json: "json",
  jsonl: "json",
};

/** Finds the language by a file's name, or by the word after a code fence. */
export function tongueOf(name: string): Tongue {
  const base = name.split("/").pop()?.toLowerCase() ?? "";
  return BY_ENDING[base.split(".").pop() ?? ""] ?? "none";
}

const WORDS =
  "abstract|as|async|await|break|case|catch|class|const|continue|def|default|defer|del|do|elif|else|enum|except|export|extends|extern|false|final|finally|fn|for|from|func|function|go|if|impl|implements|import|in|interface|is|lambda|let|loop|match|mod|move|mut|new|nil|none|not|null|or|package|pass|private|protected|pub|public|raise|ref|return|self|static|struct|super|switch|this|throw|trait|true|try|type|typeof|undefined|union|unsafe|use|var|void|where|while|with|yield|None|True|False|Some|Ok|Err|Self";
const STRING = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|` + "`(?:\\\\.|[^`\\\\])*`?";
const NUMBER = String.raw`\b0[xob][\da-f_]+\b|\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b`;

const TONGUES: Readonly<Record<Exclude<Tongue, "none">, RegExp>> = {
  slashes: new RegExp(
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>${STRING})|(?<number>${NUMBER})|(?<word>\b(?:${WORDS})\b)`,
    "gi",
  ),
  hashes: new RegExp(
    String.raw`(?<comment>#[^\n]*)|(?<string>"""[\s\S]*?(?:"""|$)|${STRING})|(?<number>${NUMBER})|(?<word>\b(?:${WORDS}|and)\b)`,
    "g",
  ),
  json: new RegExp(
    String.raw`(?<word>"(?:\\.|[^"\\\n])*"(?=\s*:)|\b(?:true|false|null)\b)|(?<string>"(?:\\.|[^"\\\n])*"?)|(?<number>-?${NUMBER})`,
    "g",
  ),
  shell: new RegExp(
    String.raw`(?<comment>(?<=^|\s)#[^\n]*)|(?<string>${STRING})|(?<variable>\$\{[^}\n]*\}?|\$[\w@*#?!-])|(?<operator>&&|\|\||[|;&<>]+)|(?<flag>(?<=\s)--?[\w-]+)|(?<word>(?<=(?:^|\n|&&|\|\||[|;(]|\$\()[ \t]{0,8})[\w./~-]+)`,
    "g",
  ),
};

/** Beyond this a text stays plain: highlighting would take too long. */
const CHARS_MAX = 60_000;

/** Splits code into coloured pieces. Joined again, they are the code. */
export function paint(code: string, tongue: Tongue): Stain[] {
  if (tongue === "none" || code.length > CHARS_MAX) return [{ ink: "plain", text: code }];
  const stains: Stain[] = [];
  let end = 0;
  for (const found of code.matchAll(TONGUES[tongue])) {
    if (found[0] === "") continue;
    if (found.index > end) stains.push({ ink: "plain", text: code.slice(end, found.index) });
    const ink = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined)?.[0] as Ink | undefined;
    stains.push({ ink: ink ?? "plain", text: found[0] });
    end = found.index + found[0].length;
  }
  if (end < code.length) stains.push({ ink: "plain", text: code.slice(end) });
  return stains;
}
