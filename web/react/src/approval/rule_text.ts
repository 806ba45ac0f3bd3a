/** The text of a rule that an agent offers: as Claude Code's settings file has it, or else as it came. */
export function ruleText(rule: unknown): string {
  return typeof rule === "string" ? rule : (inSettings(rule) ?? JSON.stringify(rule, null, 2));
}

/** `allow: Bash(npm test *)`. `null`: it is no list of Claude Code's rules, or says more than that. */
function inSettings(raw: unknown): string | null {
  if (typeof raw !== "object" || raw === null) return null;
  const { type, rules, behavior, destination: _, ...more } = raw as Record<string, unknown>;
  if (type !== "addRules" || !Array.isArray(rules) || rules.length === 0 || typeof behavior !== "string" || Object.keys(more).length > 0) return null;
  const lines = rules.map((rule: unknown) => {
    const { toolName, ruleContent = null, ...rest } = (typeof rule === "object" && rule !== null ? rule : {}) as Record<string, unknown>;
    if (typeof toolName !== "string" || Object.keys(rest).length > 0) return null;
    if (ruleContent === null) return `${behavior}: ${toolName}`;
    return typeof ruleContent === "string" ? `${behavior}: ${toolName}(${ruleContent})` : null;
  });
  return lines.includes(null) ? null : lines.join("\n");
}
