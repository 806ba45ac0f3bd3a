import { appWords, type AppWords } from "@askbridge/words";
import { languageOf, useSettings } from "./settings.ts";

/** The app's texts, in the person's language. */
export const useWords = (): AppWords => appWords[languageOf(useSettings())];
