/** What is said about rules. An entry of its own, so that it is not part of the first load. */

import type { Language } from "../index.ts";
import type { Same } from "../shape.ts";
import { en } from "./en.ts";
import { ja } from "./ja.ts";

export type RuleWords = Same<typeof en>;

export const ruleWords: Readonly<Record<Language, RuleWords>> = { en, ja };
