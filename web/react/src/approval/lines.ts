/** A line-by-line diff of two texts. */

export type Line =
  | { readonly kind: "same" | "added" | "removed"; readonly text: string }
  /** The start of a hunk, at these lines of the old and of the new text. */
  | { readonly kind: "hunk"; readonly text: string; readonly before: number; readonly after: number }
  /** A header line of a diff. */
  | { readonly kind: "head"; readonly text: string }
  /** This many unchanged lines. */
  | { readonly kind: "fold"; readonly count: number; readonly lines: readonly string[] };

/** Comparisons. Beyond: the middle is shown as removed and added, which is also correct. */
const WORK_MAX = 1_000_000;
const AROUND = 3;

export function changes(before: string, after: string): Line[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): Line => ({ kind: "same", text });
  return fold([
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ]);
}

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function middle(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > WORK_MAX) return [...a.map(removed), ...b.map(added)];
  // The length of the common subsequence from each pair of positions to the end.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      (common[i] as Uint32Array)[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i] as string });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(a[i] as string));
      i += 1;
    } else {
      lines.push(added(b[j] as string));
      j += 1;
    }
  }
  return lines;
}

const removed = (text: string): Line => ({ kind: "removed", text });
const added = (text: string): Line => ({ kind: "added", text });

/** Folds long unchanged stretches, and leaves some lines around each change. */
function fold(lines: readonly Line[]): Line[] {
  const isNear = lines.map(() => false);
  lines.forEach((line, at) => {
    if (line.kind === "same") return;
    for (let near = Math.max(0, at - AROUND); near <= at + AROUND && near < lines.length; near += 1) isNear[near] = true;
  });
  const folded: Line[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    let end = at;
    while (end < lines.length && !isNear[end]) end += 1;
    const hidden = lines.slice(at, end);
    // Folding only a line or two saves nothing.
    if (hidden.length > 2) {
      folded.push({ kind: "fold", count: hidden.length, lines: hidden.map((line) => (line.kind === "fold" ? "" : line.text)) });
      at = end - 1;
    } else folded.push(lines[at] as Line);
  }
  return folded;
}

export function counted(lines: readonly Line[]): { readonly added: number; readonly removed: number } {
  const of = (kind: Line["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: of("added"), removed: of("removed") };
}
