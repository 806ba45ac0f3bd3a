/** Interprets a tool's input for people. Inputs are untrusted data: nothing in them is taken for granted. */

import type { Ask } from "@askbridge/client";
import { changes, type Line } from "./lines.ts";
import { unified } from "./unified.ts";

export type Meaning =
  | { readonly kind: "command"; readonly command: string; readonly about: string | null }
  | { readonly kind: "change"; readonly file: string; readonly lines: readonly Line[]; readonly isWhole: boolean }
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "tap" }
  | { readonly kind: "other" };

/** The editable part of an input, as text. `field: null` is all of it, as JSON. */
export interface Editable {
  readonly field: string | null;
  readonly text: string;
}

/** The agent name in the server's own asks, in which a program of its machine wants something that only a person may grant. */
const OURSELVES = "askbridge";

/** Is this a tap? An agent may name its ask so too; allowing it then grants nothing. */
export function isTap(ask: Ask): boolean {
  return ask.kind === "approval" && ask.agent === OURSELVES && ask.approval.tool === OURSELVES;
}

/** A tool's name for people: `mcp__jira__create_issue` is "jira · create issue". */
export function toolName(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server && name ? `${server} · ${name.replaceAll("_", " ")}` : tool;
}

export function meaningOf(tool: string, input: unknown): Meaning {
  if (!isRecord(input)) return { kind: "other" };
  if (tool === OURSELVES) return { kind: "tap" };
  const command = commandOf(input);
  if (command !== null) return { kind: "command", command, about: textOf(input["description"]) };
  const file = fileOf(input);
  const [before, after] = [textOf(input["old_string"]), textOf(input["new_string"])];
  if (before !== null && after !== null)
    return { kind: "change", file: file ?? tool, lines: changes(before, after), isWhole: false };
  if (Array.isArray(input["edits"])) {
    const lines = input["edits"].flatMap((edit: unknown, at): Line[] => {
      const part = isRecord(edit) ? edit : {};
      const changed = changes(textOf(part["old_string"]) ?? "", textOf(part["new_string"]) ?? "");
      return at === 0 || changed.length === 0 ? changed : [{ kind: "hunk", text: "", before: 1, after: 1 }, ...changed];
    });
    if (lines.some(({ kind }) => kind !== "hunk")) return { kind: "change", file: file ?? tool, lines, isWhole: false };
  }
  const patch = textOf(input["patch"]) ?? textOf(input["diff"]);
  if (patch !== null) return { kind: "change", file: file ?? tool, lines: unified(patch), isWhole: false };
  const content = textOf(input["content"]) ?? textOf(input["new_source"]);
  if (file !== null && content !== null) return { kind: "change", file, lines: changes("", content), isWhole: true };
  const url = textOf(input["url"]);
  return url === null ? { kind: "other" } : { kind: "address", url };
}

/** What a tool works on, in one line: a command, a file, an address. Cheaper than the whole interpretation. */
export function subjectOf(input: unknown): string | null {
  if (!isRecord(input)) return null;
  return commandOf(input) ?? fileOf(input) ?? textOf(input["url"]);
}

const fileOf = (input: Record<string, unknown>) =>
  textOf(input["file_path"]) ?? textOf(input["path"]) ?? textOf(input["notebook_path"]);

function commandOf(input: Record<string, unknown>): string | null {
  const command = input["command"] ?? input["cmd"];
  if (Array.isArray(command)) return command.map((word) => quoted(String(word))).join(" ");
  return textOf(command);
}

/** Quotes a word for a shell. */
export const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const FIELDS = ["command", "new_string", "content", "new_source", "url"];

export function editableOf(input: unknown): Editable {
  if (isRecord(input)) {
    for (const field of FIELDS) {
      const text = input[field];
      if (typeof text === "string") return { field, text };
    }
  }
  return { field: null, text: JSON.stringify(input, null, 2) ?? "null" };
}

/** Puts the changed text back into the input. `undefined`: it is not JSON. */
export function edited(input: unknown, { field }: Editable, text: string): unknown {
  if (field !== null && isRecord(input)) return { ...input, [field]: text };
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Types of fields that people can tell apart. */
export type FieldType = "text" | "number" | "flag" | "list" | "object";

/** What is wrong with a changed input. The server checks more; this can be reported at once. */
export type Fault =
  | { readonly why: "not-alike" }
  | { readonly why: "empty" }
  | { readonly why: "type"; readonly field: string; readonly type: FieldType };

export function faultOf(original: unknown, changed: unknown): Fault | null {
  if (typeOf(original) !== typeOf(changed)) return { why: "not-alike" };
  if (!isRecord(original) || !isRecord(changed)) return null;
  if (Object.keys(changed).length === 0 && Object.keys(original).length > 0) return { why: "empty" };
  for (const [field, value] of Object.entries(changed)) {
    const type = field in original ? typeOf(original[field]) : null;
    if (type !== null && typeOf(value) !== type) return { why: "type", field, type };
  }
  return null;
}

function typeOf(raw: unknown): FieldType | null {
  if (Array.isArray(raw)) return "list";
  if (isRecord(raw)) return "object";
  return typeof raw === "string" ? "text" : typeof raw === "number" ? "number" : typeof raw === "boolean" ? "flag" : null;
}

const isRecord = (raw: unknown): raw is Record<string, unknown> => typeof raw === "object" && raw !== null && !Array.isArray(raw);
const textOf = (raw: unknown): string | null => (typeof raw === "string" ? raw : null);
