/** Parses a unified diff that an agent wrote, even without proper headers. */

import type { Line } from "./lines.ts";

const HUNK = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const HEAD = /^(--- |\+\+\+ |diff |index |new file|deleted file|rename |similarity |\*\*\* |\\ No newline)/;

export function unified(diff: string): Line[] {
  // The lines left in the hunk: in it, a line that begins with `---` is a removed line that begins with `--`.
  let [before, after] = [0, 0];
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((text): Line => {
      const hunk = before > 0 || after > 0 ? null : HUNK.exec(text);
      if (hunk) {
        [before, after] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
        return { kind: "hunk", text, before: Number(hunk[1]), after: Number(hunk[3]) };
      }
      if (before <= 0 && after <= 0 && (HEAD.test(text) || text.startsWith("@@"))) return { kind: "head", text };
      if (text.startsWith("+")) {
        after -= 1;
        return { kind: "added", text: text.slice(1) };
      }
      if (text.startsWith("-")) {
        before -= 1;
        return { kind: "removed", text: text.slice(1) };
      }
      if (text.startsWith("\\")) return { kind: "head", text };
      before -= 1;
      after -= 1;
      return { kind: "same", text: text.startsWith(" ") ? text.slice(1) : text };
    });
}
