/**
 * Makes hidden characters visible: those without a shape, those that change the writing direction, and long runs of
 * spaces that push something out of sight. A person decides by what they see.
 */

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  /** An invisible character, by its code: `U+202E`. */
  | { readonly kind: "hidden"; readonly name: string }
  /** This many spaces in a row. */
  | { readonly kind: "spaces"; readonly count: number }
  /** This many empty lines in a row. */
  | { readonly kind: "lines"; readonly count: number }
  /** A lookalike letter, in a word of another alphabet. */
  | { readonly kind: "alike"; readonly text: string; readonly name: string };

/** Fewer spaces than this are an indentation or a table. */
const SPACES_MIN = 32;
/** Fewer empty lines than this separate paragraphs. */
const LINES_MIN = 4;

// Controls (not tab and newline), soft hyphen, Arabic letter mark, Hangul fillers, zero widths and marks, line and paragraph
// separators, bidi overrides and isolates, invisible operators, byte order mark, variation selectors, tags.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb]|[\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/u;
const PICTURE = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;

/** Splits a text into visible and hidden parts. */
export function visible(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = "";
  const push = (piece: Piece) => {
    if (plain) pieces.push({ kind: "text", text: plain });
    plain = "";
    pieces.push(piece);
  };
  const plainly = text.replaceAll("\r\n", "\n");
  const characters = [...plainly];
  const alike = strangers(plainly);
  const empty = emptyLines(characters);
  for (let at = 0; at < characters.length; at += 1) {
    const here = characters[at] ?? "";
    const gap = empty.get(at);
    if (gap) {
      plain += "\n";
      push({ kind: "lines", count: gap.count });
      plain = "\n";
      at = gap.end - 1;
    } else if (here === " ") {
      let end = at;
      while (characters[end] === " ") end += 1;
      const count = end - at;
      if (count >= SPACES_MIN) push({ kind: "spaces", count });
      else plain += " ".repeat(count);
      at = end - 1;
    } else if (HIDDEN.test(here) && !joinsPictures(characters, at)) {
      push({ kind: "hidden", name: nameOf(here) });
    } else if (alike.has(at)) {
      push({ kind: "alike", text: here, name: nameOf(here) });
    } else plain += here;
  }
  if (plain) pieces.push({ kind: "text", text: plain });
  return pieces;
}

/** Returns where runs of empty lines begin: how many lines, and where the next line begins. Counted in characters. */
function emptyLines(characters: readonly string[]): ReadonlyMap<number, { readonly count: number; readonly end: number }> {
  const found = new Map<number, { count: number; end: number }>();
  for (let at = 0; at < characters.length; at += 1) {
    if (characters[at] !== "\n") continue;
    let [count, end] = [0, at + 1];
    for (let next = end; next < characters.length; next += 1) {
      if (characters[next] === "\n") [count, end] = [count + 1, next + 1];
      else if (characters[next] !== " " && characters[next] !== "\t") break;
    }
    if (count >= LINES_MIN) found.set(at, { count, end });
    at = end - 1;
  }
  return found;
}

/** Does a text hide anything? */
export const hidesSomething = (text: string): boolean => visible(text).some(({ kind }) => kind === "hidden" || kind === "spaces");

/** Is this a joiner inside an emoji, such as a family or a flag? Those may stay. */
function joinsPictures(characters: readonly string[], at: number): boolean {
  const isJoiner = characters[at] === "\u200d" && PICTURE.test(characters[at + 1] ?? "");
  return isJoiner && PICTURE.test(characters[at - 1] ?? "");
}

const nameOf = (character: string) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const WORD = /[\p{L}\p{M}]+/gu;
const isMixed = (word: string) => FOREIGN.test(word) && /\p{Script=Latin}/u.test(word);

/** Returns words that mix lookalike alphabets: a Cyrillic `а` in `pаypal`. */
export const lookalikes = (text: string): string[] => (text.match(WORD) ?? []).filter(isMixed);

/** Returns the indices of letters that do not belong to the alphabet of their word, counted in characters. */
function strangers(text: string): ReadonlySet<number> {
  const places = new Set<number>();
  if (!FOREIGN.test(text)) return places;
  let [counted, at] = [0, 0];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    at += [...text.slice(counted, index)].length;
    counted = index;
    if (!isMixed(word)) continue;
    [...word].forEach((letter, step) => {
      if (FOREIGN.test(letter)) places.add(at + step);
    });
  }
  return places;
}
