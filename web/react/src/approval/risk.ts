/**
 * Guesses the risks of a tool's input from its text. The hints are there to make people look, and say so: a text without a
 * hint is not a promise.
 */

import type { ApprovalAsk } from "@askbridge/client";
import type { CardWords } from "@askbridge/words";
import { lookInto } from "./commands.ts";
import { quoted } from "./tool.ts";
import { hidesSomething, lookalikes } from "../text/visible.ts";

export type RiskWord = Extract<keyof CardWords, `risk${string}`>;

export interface Risk {
  readonly word: RiskWord;
  readonly isGrave: boolean;
}

const SECRETS =
  /(^|[\s"'=:\/])(\.env(\.\w+)?|id_(rsa|ed25519|ecdsa)|\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|credentials|secrets?)([\s"'\/.]|$)|private[_-]?key|\.pem\b/i;
const SECRET_FILES = /(^|[\s"'=:\/])(\.env(\.\w+)?|id_(rsa|ed25519|ecdsa)|\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc)([\s"'\/]|$)|\.pem\b/i;

/** Returns the grave risks of an approval. */
export const gravesOf = (ask: ApprovalAsk): RiskWord[] =>
  risksOf(ask.approval.tool, ask.approval.input, ask.context?.folder).flatMap(({ word, isGrave }) => (isGrave ? [word] : []));

export function risksOf(tool: string, input: unknown, folder: string | undefined): Risk[] {
  const whole = textsIn(input, 0).join("\n");
  const risks: Risk[] = [];
  const add = (word: RiskWord, isGrave: boolean) => {
    if (!risks.some((risk) => risk.word === word)) risks.push({ word, isGrave });
  };
  if (hidesSomething(whole)) add("riskHidden", true);
  if (lookalikes(whole).length > 0) add("riskLookalike", true);
  // In prose, only file names indicate a secret.
  const isCommand = typeof input === "string" || (isRecord(input) && ("command" in input || "cmd" in input));
  for (const line of linesIn(input, 0)) {
    lookInto(line, add);
    if (ADDRESS.test(line)) add("riskNetwork", false);
    if ((isCommand ? SECRETS : SECRET_FILES).test(line)) add("riskSecrets", true);
  }
  const path = isRecord(input) ? PATHS.map((field) => input[field]).find((raw) => typeof raw === "string") : undefined;
  if (path !== undefined && SECRETS.test(path)) add("riskSecrets", true);
  if (path !== undefined && folder && isOutside(path, folder)) add("riskOutside", true);
  // An MCP tool may do anything with an address; a file's content may merely mention one.
  if (tool.startsWith("mcp__") && ADDRESS.test(whole)) add("riskNetwork", false);
  return risks.sort((a, b) => Number(b.isGrave) - Number(a.isGrave));
}

const ADDRESS = /https?:\/\//;
const PATHS = ["file_path", "path", "notebook_path"];
/** Fields whose text is written to a file, if there is one: it is not run. */
const CONTENTS = ["content", "new_source", "old_string", "new_string", "edits", "patch", "diff"];
/** Fields that describe the others to a person. */
const ABOUT = ["description", "summary", "title", "reason", "explanation"];

/** Returns every text in an input that a tool may run as a command, in any field. */
function linesIn(raw: unknown, depth: number): string[] {
  if (typeof raw === "string") return [raw];
  if (depth > DEPTH_MAX || typeof raw !== "object" || raw === null) return [];
  // A list of words is one command; each of them may be one, too.
  if (Array.isArray(raw)) return [...(raw.length > 1 && raw.every((each) => typeof each === "string") ? [raw.map(quoted).join(" ")] : []), ...raw.flatMap((each) => linesIn(each, depth + 1))];
  const input = raw as Record<string, unknown>;
  const command = ["command", "cmd", "program", "executable"].map((field) => input[field]).find((each) => typeof each === "string");
  const args = ["args", "arguments", "argv"].map((field) => input[field]).find(Array.isArray);
  const together = typeof command === "string" && args ? [[command, ...args.map((each) => quoted(String(each)))].join(" ")] : [];
  const isFile = PATHS.some((field) => field in input);
  const isCommand = "command" in input || "cmd" in input;
  return [
    ...together,
    ...Object.entries(input)
      .filter(([field]) => !(CONTENTS.includes(field) && (isFile || !/^(content|new_source)$/.test(field))) && !(isCommand && ABOUT.includes(field)) && !(isFile && PATHS.includes(field)))
      .flatMap(([, each]) => linesIn(each, depth + 1)),
  ];
}

function isOutside(path: string, folder: string): boolean {
  if (!path.startsWith("/") && !path.startsWith("~")) return path.split("/").includes("..");
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  const inside = folder.replace(/\/+$/, "");
  return path.startsWith("~") || !`/${steps.join("/")}/`.startsWith(`${inside}/`);
}

const DEPTH_MAX = 8;

function textsIn(raw: unknown, depth: number): string[] {
  if (typeof raw === "string") return [raw];
  if (depth > DEPTH_MAX || typeof raw !== "object" || raw === null) return [];
  return Object.values(raw).flatMap((each) => textsIn(each, depth + 1));
}

const isRecord = (raw: unknown): raw is Record<string, unknown> => typeof raw === "object" && raw !== null && !Array.isArray(raw);
