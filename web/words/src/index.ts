/** Every sentence a person reads, in each language. One folder per speaker, one file per language. */

import { en as appEn } from "./app/en.ts";
import { ja as appJa } from "./app/ja.ts";
import { en as cardsEn } from "./cards/en.ts";
import { ja as cardsJa } from "./cards/ja.ts";
import { en as reachEn } from "./reach/en.ts";
import { ja as reachJa } from "./reach/ja.ts";
import { languages, type Language } from "./language.ts";
import type { Same } from "./shape.ts";

export { languages } from "./language.ts";
export type { Language } from "./language.ts";
export { clusterWords } from "./cluster/index.ts";
export type { ClusterWords } from "./cluster/index.ts";

export type CardWords = Same<typeof cardsEn>;
export type AppWords = Same<typeof appEn>;
export type ReachWords = Same<typeof reachEn>;

export const cardWords: Readonly<Record<Language, CardWords>> = { en: cardsEn, ja: cardsJa };
export const appWords: Readonly<Record<Language, AppWords>> = { en: appEn, ja: appJa };
/** About the ways in which a person is reached while away. */
export const reachWords: Readonly<Record<Language, ReachWords>> = { en: reachEn, ja: reachJa };

/** The language of ours that a person's list of languages asks for first. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found) return found;
  }
  return "en";
}
