/** Word-level differences within a changed line. */

import type { Line } from "./lines.ts";

/** A range of characters in a line. */
export type Mark = readonly [from: number, to: number];

/** Words in a line. Beyond: only the common beginning and end are searched. */
const WORDS_MAX = 240;
/** Lines that share less than this part of their characters are two lines, not a changed one. */
const COMMON_MIN = 0.35;
const INSIDE_CHARS_MIN = 8;

/** Returns, by line index, the ranges that are new or removed. */
export function marksIn(lines: readonly Line[]): ReadonlyMap<number, readonly Mark[]> {
  const found = new Map<number, readonly Mark[]>();
  for (let at = 0; at < lines.length; ) {
    const gone = run(lines, at, "removed");
    const come = run(lines, at + gone, "added");
    for (let n = 0; n < Math.min(gone, come); n += 1) {
      const [old, now] = [textAt(lines, at + n), textAt(lines, at + gone + n)];
      const marks = differences(old, now);
      if (!marks) continue;
      found.set(at + n, marks.gone);
      found.set(at + gone + n, marks.come);
    }
    at += Math.max(1, gone + come);
  }
  return found;
}

function run(lines: readonly Line[], from: number, kind: Line["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

const textAt = (lines: readonly Line[], at: number) => {
  const line = lines[at];
  return line && "text" in line ? line.text : "";
};

/** `null`: the lines have too little in common to be one changed line. */
export function differences(old: string, now: string): { readonly gone: Mark[]; readonly come: Mark[] } | null {
  const [a, b] = [wordsOf(old), wordsOf(now)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [keptA, keptB] = [a.map((_, at) => at < start || at >= a.length - end), b.map((_, at) => at < start || at >= b.length - end)];
  if (a.length <= WORDS_MAX && b.length <= WORDS_MAX) align(a, b, start, end, keptA, keptB);
  const common = a.reduce((sum, word, at) => sum + (keptA[at] && word.trim() !== "" ? word.length : 0), 0);
  const [shorter, longer] = [old.trim().length, now.trim().length].sort((x, y) => x - y) as [number, number];
  // A long insertion leaves little in common, and is a changed line all the same.
  const isInside = shorter >= INSIDE_CHARS_MIN && common / shorter > 0.8;
  if (longer === 0 || (common / longer < COMMON_MIN && !isInside)) return null;
  return { gone: stretches(a, keptA), come: stretches(b, keptB) };
}

/** Splits into whole words, so that a lookalike letter stays in its word, which gives it away. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/** Finds the longest common subsequence of words between the common beginning and end. */
function align(a: readonly string[], b: readonly string[], start: number, end: number, keptA: boolean[], keptB: boolean[]) {
  const [toA, toB] = [a.length - end, b.length - end];
  const width = toB - start + 1;
  const common = new Uint16Array((toA - start + 1) * width);
  const of = (i: number, j: number) => common[(i - start) * width + (j - start)] ?? 0;
  for (let i = toA - 1; i >= start; i -= 1)
    for (let j = toB - 1; j >= start; j -= 1)
      common[(i - start) * width + (j - start)] = a[i] === b[j] ? of(i + 1, j + 1) + 1 : Math.max(of(i + 1, j), of(i, j + 1));
  let [i, j] = [start, start];
  while (i < toA && j < toB) {
    if (a[i] === b[j]) {
      keptA[i] = true;
      keptB[j] = true;
      i += 1;
      j += 1;
    } else if (of(i + 1, j) >= of(i, j + 1)) i += 1;
    else j += 1;
  }
}

/** Returns the ranges that are not kept, joined across single blanks. */
function stretches(words: readonly string[], kept: readonly boolean[]): Mark[] {
  const marks: [number, number][] = [];
  let place = 0;
  words.forEach((word, at) => {
    const last = marks.at(-1);
    if (!kept[at]) {
      const isNear = last !== undefined && words[at - 1]?.trim() === "" && last[1] === place - (words[at - 1]?.length ?? 0);
      if (last && (last[1] === place || isNear)) last[1] = place + word.length;
      else marks.push([place, place + word.length]);
    }
    place += word.length;
  });
  return marks;
}
