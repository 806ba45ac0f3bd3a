/** What rules decided, by rule. */

import type { Ask } from "@askbridge/client";

/** The asks of each rule, the rule with the newest first. */
export function byRule(asks: readonly Ask[]): Map<string, Ask[]> {
  const rules = new Map<string, Ask[]>();
  for (const ask of asks) {
    const rule = ask.by && "rule" in ask.by ? ask.by.rule : "?";
    const known = rules.get(rule);
    if (known) known.push(ask);
    else rules.set(rule, [ask]);
  }
  return rules;
}

/** Is the rule a remembered decision? Its name is a digest, which tells nobody anything. */
export const isRemembered = (rule: string): boolean => /^remembered [0-9a-f]{16}$/.test(rule);

/** Where a rule is written. */
export function placeOf(ask: Ask | undefined): string | null {
  if (!ask?.by || !("rule" in ask.by) || !ask.by.file) return null;
  return ask.by.line === undefined || ask.by.line === null ? ask.by.file : `${ask.by.file}:${ask.by.line}`;
}
