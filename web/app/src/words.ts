import { appWords, reachWords, type AppWords, type ReachWords } from "@askbridge/words";
import { languageOf, useSettings } from "./settings.ts";

/** The app's texts, in the person's language. */
export const useWords = (): AppWords => appWords[languageOf(useSettings())];

/** The texts about channels, in the person's language. */
export const useReachWords = (): ReachWords => reachWords[languageOf(useSettings())];
