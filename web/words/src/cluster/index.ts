/**
 * What is said about the nodes that share a journal. In a module of its own, which only the pages that need it load. They pick
 * the language themselves: a hook for it, shared by pages, would import the app's settings and split the first load.
 */

import type { Language } from "../language.ts";
import type { Same } from "../shape.ts";
import { en } from "./en.ts";
import { ja } from "./ja.ts";

export type ClusterWords = Same<typeof en>;
export const clusterWords: Readonly<Record<Language, ClusterWords>> = { en, ja };
