/**
 * What might hurt, guessed from the text of a tool's input. It is there to make people look, and says so: a text without a
 * hint is not a promise.
 */

import type { ApprovalAsk } from "@askbridge/client";
import type { CardWords } from "@askbridge/words";
import { hidesSomething, lookalikes } from "../text/visible.ts";

export type RiskWord = Extract<keyof CardWords, `risk${string}`>;

export interface Risk {
  readonly word: RiskWord;
  readonly isGrave: boolean;
}

const COMMANDS: readonly (readonly [RegExp, RiskWord, "grave" | "note"])[] = [
  [
    /\b(rm|rmdir|shred|unlink)\s|\bfind\b.*\s-delete\b|\bgit\s+clean\b|\bdrop\s+(table|database)\b|\btruncate\b/i,
    "riskDeletes",
    "grave",
  ],
  [/(^|[;&|(]\s*|\s)(sudo|doas|su)\s|\bpkexec\b/, "riskSudo", "grave"],
  [
    /\b(curl|wget|fetch)\b[^|;&]*\|\s*(sudo\s+)?(ba|z|da|fi)?sh\b|\b(ba|z)?sh\b[^;&]*<\(\s*(curl|wget)|\beval\b.*\$\((curl|wget)/,
    "riskNetworkCode",
    "grave",
  ],
  [
    /\bgit\s+(push\b.*(--force|-f\b|--force-with-lease|\s\+)|reset\s+--hard|rebase|filter-branch|filter-repo)/,
    "riskRewritesHistory",
    "grave",
  ],
  [
    /\bgit\s+push\b|\b(npm|pnpm|yarn|cargo|gem|poetry|twine)\s+(publish|upload)\b|\bdocker\s+push\b|\bgh\s+(release|pr)\s+(create|merge)\b/,
    "riskPublishes",
    "note",
  ],
  [/\b(curl|wget|ssh|scp|sftp|rsync|nc|telnet|ftp)\s|https?:\/\//, "riskNetwork", "note"],
  [
    /\b(dd|mkfs\S*|fdisk|parted)\s|>\s*\/dev\/(?!null|stdout|stderr|tty)|>\s*\/(etc|boot|usr|bin|sbin|lib)\//,
    "riskDevice",
    "grave",
  ],
  [/\bch(mod|own|grp)\b|\bsetfacl\b/, "riskPermissions", "note"],
];
const SECRETS =
  /(^|[\s"'=:\/])(\.env(\.\w+)?|id_(rsa|ed25519|ecdsa)|\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|credentials|secrets?)([\s"'\/.]|$)|private[_-]?key|\.pem\b/i;

/** The words of what is grave about an approval. */
export const gravesOf = (ask: ApprovalAsk): RiskWord[] =>
  risksOf(ask.approval.tool, ask.approval.input, ask.context?.folder).flatMap(({ word, isGrave }) => (isGrave ? [word] : []));

export function risksOf(tool: string, input: unknown, folder: string | undefined): Risk[] {
  const texts = textsIn(input, 0);
  const whole = texts.join("\n");
  const risks: Risk[] = [];
  const add = (word: RiskWord, isGrave: boolean) => {
    if (!risks.some((risk) => risk.word === word)) risks.push({ word, isGrave });
  };
  if (hidesSomething(whole)) add("riskHidden", true);
  if (lookalikes(whole).length > 0) add("riskLookalike", true);
  const command = isRecord(input) ? (input["command"] ?? input["cmd"]) : undefined;
  const line = Array.isArray(command) ? command.join(" ") : typeof command === "string" ? command : null;
  if (line !== null) {
    for (const part of partsOf(line)) {
      for (const [pattern, word, weight] of COMMANDS) if (pattern.test(part)) add(word, weight === "grave");
    }
  }
  const path = isRecord(input)
    ? [input["file_path"], input["path"], input["notebook_path"]].find((raw) => typeof raw === "string")
    : undefined;
  if (SECRETS.test(line ?? path ?? "")) add("riskSecrets", true);
  if (path !== undefined && folder && isOutside(path, folder)) add("riskOutside", true);
  if (line === null && isRecord(input) && typeof input["url"] === "string") add("riskNetwork", false);
  // Somebody else's tool may do anything with an address; a file's contents may mention one.
  if (tool.startsWith("mcp__") && /https?:\/\//.test(whole)) add("riskNetwork", false);
  return risks.sort((a, b) => Number(b.isGrave) - Number(a.isGrave));
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

const PART_CHARS = 4_000;
const OVERLAP_CHARS = 400;

/** A very long line in parts that overlap: patterns that look far ahead would take their time over the whole of it. */
function partsOf(line: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at === 0 || at < line.length; at += PART_CHARS - OVERLAP_CHARS) parts.push(line.slice(at, at + PART_CHARS));
  return parts;
}

const DEPTH_MAX = 8;

function textsIn(raw: unknown, depth: number): string[] {
  if (typeof raw === "string") return [raw];
  if (depth > DEPTH_MAX || typeof raw !== "object" || raw === null) return [];
  return Object.values(raw).flatMap((each) => textsIn(each, depth + 1));
}

const isRecord = (raw: unknown): raw is Record<string, unknown> => typeof raw === "object" && raw !== null && !Array.isArray(raw);
