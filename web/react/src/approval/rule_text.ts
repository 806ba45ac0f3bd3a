/** The text of a rule that an agent offers. */
export const ruleText = (rule: unknown): string => (typeof rule === "string" ? rule : JSON.stringify(rule, null, 2));
