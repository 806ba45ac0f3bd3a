/** The texts about rules. Imported only by what is loaded on demand. */

import { ruleWords, type RuleWords } from "@askbridge/words/rules";
import { useSpoken } from "../wording.tsx";

export const useRuleWords = (): RuleWords => ruleWords[useSpoken()];
