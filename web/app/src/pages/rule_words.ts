import { ruleWords, type RuleWords } from "@askbridge/words/rules";
import { languageOf, useSettings } from "../settings.ts";

/** The texts about rules, in the person's language. */
export const useRuleWords = (): RuleWords => ruleWords[languageOf(useSettings())];
