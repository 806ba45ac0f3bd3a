/**
 * Parses a shell command line: pipelines, words, quotes, and the commands inside `$(…)`, backticks and `<(…)`. Supports
 * what POSIX shells have in common. What it cannot parse it takes as plain words, and it never fails.
 */

export interface Word {
  /** The text without its quotes. Expansions such as `$x` and `$(…)` are left as written. */
  readonly text: string;
  readonly isQuoted: boolean;
  /** The commands inside it. */
  readonly scripts: readonly Script[];
}

export interface Redirect {
  /** `text`: the input is in the command line, as with `<<`, whose lines are the word, or `<<<`. */
  readonly to: "input" | "output" | "text";
  readonly word: Word;
}

export interface Command {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** The commands in brackets: `(a; b)`. */
  readonly group: Script | null;
}

export type Pipeline = readonly Command[];
export type Script = readonly Pipeline[];

/** Beyond this depth nothing is parsed: no person writes it. */
const DEPTH_MAX = 12;

/** How many characters may be parsed a second time, because a quote before them was never closed. */
const AGAIN_MAX = 100_000;

/** Parses a command line. */
export const parse = (text: string, depth = 0, again: Again = { left: AGAIN_MAX }): Script =>
  depth > DEPTH_MAX ? [] : new Reader(text, depth, again).script(null);

interface Again {
  left: number;
}

interface Heredoc {
  readonly end: string;
  readonly isIndented: boolean;
  readonly found: (text: string) => void;
}

class Reader {
  private readonly text: string;
  private readonly depth: number;
  private at = 0;
  private heredocs: Heredoc[] = [];
  private readonly again: Again;
  private braces = 0;

  constructor(text: string, depth: number, again: Again, at = 0) {
    this.text = text;
    this.depth = depth;
    this.again = again;
    this.at = at;
  }

  /** Parses until the end, or past the closing bracket. */
  script(close: ")" | null): Script {
    const pipelines: Command[][] = [];
    let pipeline: Command[] = [];
    let words: Word[] = [];
    let redirects: Redirect[] = [];
    const endCommand = () => {
      if (words.length + redirects.length > 0) pipeline.push({ words: braced(words), redirects, group: null });
      [words, redirects] = [[], []];
    };
    const endPipeline = () => {
      endCommand();
      if (pipeline.length > 0) pipelines.push(pipeline);
      pipeline = [];
    };
    while (this.at < this.text.length) {
      const sign = this.text[this.at] as string;
      const two = this.text.slice(this.at, this.at + 2);
      if (sign === " " || sign === "\t" || sign === "\r") this.at += 1;
      else if (sign === "\\" && /^\\\r?\n/.test(this.text.slice(this.at, this.at + 3))) this.at += two === "\\\n" ? 2 : 3;
      else if (sign === "\n") {
        this.at += 1;
        this.readHeredocs();
        endPipeline();
      } else if (sign === "#") this.at = ended(this.text.indexOf("\n", this.at), this.text);
      else if (two === "&&" || two === "||" || two === ";;") {
        this.at += 2;
        endPipeline();
      } else if (sign === "|") {
        this.at += two === "|&" ? 2 : 1;
        endCommand();
        // A line may end after a pipe.
        while (/\s/.test(this.text[this.at] ?? "")) this.at += 1;
      } else if (two === "&>") {
        this.at += 1;
      } else if (sign === ";" || sign === "&") {
        this.at += 1;
        endPipeline();
      } else if (sign === ")") {
        this.at += 1;
        endPipeline();
        if (close === ")") return pipelines;
      } else if (sign === "(") {
        endCommand();
        const group = this.inside(1);
        // A redirection may follow, or the body of a function with this name.
        pipeline.push({ words: [], redirects: [], group });
      } else if ((sign === "<" || sign === ">") && two[1] !== "(") {
        const last = words.at(-1);
        // `2>`: the number belongs to it.
        if (last && /^\d+$/.test(last.text) && this.text[this.at - 1] === last.text.at(-1)) words.pop();
        this.redirect(redirects);
      } else words.push(this.word());
    }
    this.readHeredocs();
    endPipeline();
    return pipelines;
  }

  private redirect(into: Redirect[]) {
    const [sign = ""] = /^(<<<|<<-|<<|<>|>>|>\||[<>])&?/.exec(this.text.slice(this.at, this.at + 4)) ?? [];
    this.at += Math.max(1, sign.length);
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at += 1;
    const word = this.word();
    if (sign === "<<" || sign === "<<-") {
      const place = into.length;
      into.push({ to: "text", word: plain("") });
      this.heredocs.push({
        end: word.text,
        isIndented: sign === "<<-",
        found: (text) => (into[place] = { to: "text", word: { ...plain(text), scripts: word.isQuoted ? [] : new Reader(text, this.depth + 1, this.again).expansions() } }),
      });
    } else into.push({ to: sign === "<<<" ? "text" : sign.startsWith("<") ? "input" : "output", word });
  }

  private readHeredocs() {
    for (const { end, isIndented, found } of this.heredocs.splice(0)) {
      const lines: string[] = [];
      while (this.at < this.text.length) {
        const to = ended(this.text.indexOf("\n", this.at), this.text);
        const line = this.text.slice(this.at, to);
        this.at = to + 1;
        if ((isIndented ? line.replace(/^\t+/, "") : line) === end) break;
        lines.push(line);
      }
      found(lines.join("\n"));
    }
  }

  /** Parses the commands inside brackets that begin after this many characters. */
  private inside(signs: number): Script {
    const reader = new Reader(this.text, this.depth + 1, this.again, this.at + signs);
    if (this.depth >= DEPTH_MAX) {
      this.at += signs;
      return [];
    }
    const script = reader.script(")");
    this.at = reader.at;
    return script;
  }

  /** Returns all commands whose output is substituted into a text. */
  private expansions(): Script[] {
    const scripts: Script[] = [];
    while (this.at < this.text.length) if (!this.expansion(scripts)) this.at += this.text[this.at] === "\\" ? 2 : 1;
    return scripts;
  }

  /** Parses `$(…)`, a pair of backticks, `<(…)` or `${…}`, if it begins here. Returns its source text. */
  private expansion(scripts: Script[]): string | null {
    const from = this.at;
    const two = this.text.slice(from, from + 2);
    if (two === "$(" || two === "<(" || two === ">(") scripts.push(this.inside(2));
    else if (this.text[from] === "`") {
      let end = from + 1;
      while (end < this.text.length && this.text[end] !== "`") end += this.text[end] === "\\" ? 2 : 1;
      if (end >= this.text.length) return null;
      scripts.push(parse(this.text.slice(from + 1, end).replace(/\\([`$\\])/g, "$1"), this.depth + 1, this.again));
      this.at = end + 1;
    } else if (two === "${" && this.braces < DEPTH_MAX) {
      this.at += 2;
      this.braces += 1;
      while (this.at < this.text.length && this.text[this.at] !== "}") if (this.expansion(scripts) === null) this.at += this.text[this.at] === "\\" ? 2 : 1;
      this.braces -= 1;
      this.at += 1;
    } else return null;
    return this.text.slice(from, this.at);
  }

  private word(): Word {
    let text = "";
    let isQuoted = false;
    const scripts: Script[] = [];
    while (this.at < this.text.length) {
      const sign = this.text[this.at] as string;
      const two = this.text.slice(this.at, this.at + 2);
      const blank = /^\$(IFS\b|\{IFS\})/.exec(this.text.slice(this.at, this.at + 6));
      if (blank) {
        // Counts as a space.
        this.at += blank[0].length;
        if (text) break;
      } else if ((two === "<(" || two === ">(") && text === "") {
        text += this.expansion(scripts) ?? "";
      } else if (/[\s;&|<>()]/.test(sign)) break;
      else if (sign === "\\") {
        const next = this.text[this.at + 1] ?? "";
        if (next !== "\n") text += next;
        isQuoted = true;
        this.at += 2;
      } else if (sign === "'" || two === "$'") {
        const from = this.at + (sign === "'" ? 1 : 2);
        const end = sign === "'" ? this.text.indexOf("'", from) : closing(this.text, from, "'");
        isQuoted = true;
        this.at = end >= 0 ? end + 1 : this.back(from);
        // An unclosed quote must not hide anything.
        if (end >= 0) text += sign === "'" ? this.text.slice(from, end) : escaped(this.text.slice(from, end));
      } else if (sign === '"' || two === '$"') {
        const from = this.at + (sign === '"' ? 1 : 2);
        isQuoted = true;
        this.at = from;
        text += this.inQuotes(scripts);
      } else {
        const put = this.expansion(scripts);
        if (put === null) this.at += 1;
        text += put ?? sign;
      }
    }
    return { text, isQuoted, scripts };
  }

  private inQuotes(scripts: Script[]): string {
    const from = this.at;
    const before = scripts.length;
    let text = "";
    while (this.at < this.text.length) {
      const sign = this.text[this.at] as string;
      if (sign === '"') {
        this.at += 1;
        return text;
      }
      if (sign === "\\") {
        const next = this.text[this.at + 1] ?? "";
        text += next === "\n" ? "" : /["$`\\]/.test(next) ? next : `\\${next}`;
        this.at += 2;
        continue;
      }
      const isFile = (sign === "<" || sign === ">") && this.text[this.at + 1] === "(";
      const put = isFile ? null : this.expansion(scripts);
      if (put === null) this.at += 1;
      text += put ?? sign;
    }
    // An unclosed quote must not hide anything.
    this.at = this.back(from);
    if (this.at > from) return text;
    scripts.length = before;
    return "";
  }

  /** Goes back to parse the rest without the quote, within the limit; beyond that it stays at the end. */
  private back(from: number): number {
    this.again.left -= this.text.length - from;
    return this.again.left < 0 ? this.text.length : from;
  }
}

const plain = (text: string): Word => ({ text, isQuoted: true, scripts: [] });
const ended = (place: number, text: string) => (place < 0 ? text.length : place);

function closing(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at < text.length ? at : -1;
}

/** `$'…'`: characters may be written as escapes. */
const escaped = (text: string) =>
  text.replace(/\\(x[0-9a-f]{1,2}|u[0-9a-f]{1,4}|[0-7]{1,3}|.)/gis, (_, code: string) => {
    if (/^[xu]./i.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
    return { n: "\n", t: "\t", r: "\r" }[code] ?? code;
  });

/** `{rm,-rf,/}` is three words. */
const braced = (words: readonly Word[]): Word[] =>
  words.flatMap((word) =>
    !word.isQuoted && /^\{[^{}\s]+,[^{}\s]*\}$/.test(word.text) ? word.text.slice(1, -1).split(",").map((text) => ({ ...plain(text), isQuoted: false })) : [word],
  );
