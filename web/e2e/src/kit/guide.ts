/** Pages of the documentation, and files of `packaging`, as a reader has them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./server.ts";

export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, "docs", page), "utf8");
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, inside]) => ({ language: language!, text: inside! }));
}

/** The only block with these words in it. */
export function blockWith(page: string, words: string): string {
  const found = blocksOf(page).filter(({ text }) => text.includes(words));
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks with “${words}”`);
  return found[0]!.text;
}

export const packaged = (path: string): string => readFileSync(join(root, "packaging", path), "utf8");

/** `Environment=` and `LoadCredential=` of a unit of systemd. `%d` is the folder of its credentials. */
export function unitOf(text: string): { readonly environment: Record<string, string>; readonly credentials: Record<string, string> } {
  const of = (key: string, between: string) =>
    Object.fromEntries(text.split("\n").filter((line) => line.startsWith(`${key}=`)).map((line) => {
      const [name, ...rest] = line.slice(key.length + 1).split(between);
      return [name!, rest.join(between)] as const;
    }));
  return { environment: of("Environment", "="), credentials: of("LoadCredential", ":") };
}

type Yaml = string | Yaml[] | { [key: string]: Yaml };

/** Reads the YAML of a compose file: mappings, lists and mappings on one line, anchors, merged keys. Nothing else. */
export function compose(text: string): Record<string, any> {
  const lines = text.split("\n").filter((line) => line.trim() && !line.trim().startsWith("#"));
  const anchors = new Map<string, Yaml>();
  let at = 0;
  const indent = (line: string) => line.length - line.trimStart().length;
  const value = (written: string): Yaml => {
    if (/^[[{]/.test(written)) return flow(written);
    return /^".*"$/.test(written) ? (JSON.parse(written) as string) : written;
  };
  const mapping = (depth: number): { [key: string]: Yaml } => {
    const found: { [key: string]: Yaml } = {};
    while (at < lines.length && indent(lines[at]!) === depth) {
      const [, key, rest] = /^\s*([^:]+):\s*(.*)$/.exec(lines[at]!) ?? [];
      if (key === undefined || rest === undefined) throw new Error(`not understood: ${lines[at]}`);
      at += 1;
      const anchor = /^&(\S+)$/.exec(rest)?.[1];
      const inside = rest === "" || anchor !== undefined ? mapping(at < lines.length ? Math.max(depth + 1, indent(lines[at]!)) : depth + 1) : value(rest);
      if (anchor !== undefined) anchors.set(anchor, inside);
      if (key !== "<<") found[key] = inside;
      else {
        const named = anchors.get(rest.slice(1));
        if (named === undefined || typeof named === "string" || Array.isArray(named)) throw new Error(`nothing to merge: ${rest}`);
        Object.assign(found, named, { ...found });
      }
    }
    if (at < lines.length && indent(lines[at]!) > depth) throw new Error(`not understood: ${lines[at]}`);
    return found;
  };
  return mapping(0);
}

/** A list or a mapping on one line, whose words may stand without quotes. */
function flow(text: string): Yaml {
  if (text === "{}") return {};
  const inside = /^\[(.*)\]$/.exec(text)?.[1];
  if (inside === undefined) throw new Error(`not understood: ${text}`);
  return [...inside.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s,"]+)/g)].map(([, quoted, plain]) => (quoted === undefined ? plain! : (JSON.parse(`"${quoted}"`) as string)));
}
