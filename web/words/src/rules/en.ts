/** What is said about rules, on cards and on their page, in English. Loaded when it is needed. */

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const en = {
  // On a card
  alwaysTheirs: "The agent’s own rules",
  alwaysTheirSession: "Claude Code keeps it until its session ends, in no file.",
  alwaysOurs: "A rule of askbridge",
  alwaysExactly: "Exactly this call",
  alwaysExactlyMore: "Any other call asks again.",
  ruleWhere: "Where",
  ruleInSession: "In this conversation",
  ruleInProject: "In this project",
  ruleEverywhere: "Everywhere",
  ruleUntil: "Until",
  ruleToday: "The end of today",
  ruleWeek: "For 7 days",
  ruleMonth: "For 30 days",
  ruleForGood: "For good",
  offer: "A rule for this",
  offerTimes: (what: string, chosen: string, times: number) =>
    `You chose ${{ allow: "“Allow”", deny: "“Deny”" }[what] ?? `“${chosen}”`} ${times} times in a row.`,
  offerMore: (where: string) => `This rule would decide it so from now on, for 30 days. ${where}:`,
  offerSave: "Save this rule",
  offerSaved: (file: string | null) =>
    `Saved: the next one is decided by it. ${file === null ? "" : `askbridge shows it in ${file}. `}Settings → Rules takes it back.`,

  // Their page
  digest: "Decided without a person",
  digestMore: "In the last 24 hours. A correction goes to the agent as a message.",
  digestNone: "Nothing was decided without a person.",
  digestRule: (rule: string, n: number) => `${rule}: ${count(n, "ask", "asks")}`,
  correct: "Correct",
  correctNamed: (what: string) => `Correct: ${what}`,
  corrected: "Corrected",
  remembered: "Remembered decisions",
  rememberedOne: "A remembered decision",
  rememberedMore: "Each decides exactly one call or question again, without asking. An approval’s card makes one, under “Always allow…”.",
  rememberedFile: (file: string) => `Shown in ${file}. That file is a copy: changes in it have no effect.`,
  rememberedNone: "None is remembered.",
  inForce: "Rule files",
  inForceNone: "There is no rule file. A person is asked, unless something remembered decides.",
  inForceFile: (file: string, since: string | null) => (since === null ? `${file}.` : `${file}, read ${since}.`),
  inForceAll: (n: number) => `${count(n, "rule", "rules")} in force in all, with those of the settings and what is remembered.`,
  inForceWaits: "Rules that allow or answer wait for your tap: a card shows them.",
  inForceBefore: "The file cannot be read as it is now. The rules that it had before stay in force.",
  inForceProject: (file: string, n: number, trusted: boolean) => `${file}: ${count(n, "rule", "rules")} in force${trusted ? ", trusted" : ", which only tighten"}.`,
  inForceProjectProblems: "Not in force:",
  inForceGobby: (folder: string, active: number, inactive: number) => `gobby’s rules in ${folder}: ${active} act, ${inactive} need gobby itself.`,
  rememberedFor: (what: string, about: string) => `${{ allow: "Allow", deny: "Deny", answer: "Answer" }[what] ?? what}: ${about}`,
  rememberedWhere: (where: string) => `In force ${{ session: "in one conversation", project: "in one project", everywhere: "everywhere" }[where] ?? where}`,
  rememberedUses: (n: number, last: string | null) => (last === null ? "not used yet" : `${count(n, "use", "uses")}, last ${last}`),
  rememberedUntil: (person: string, made: string, until: string | null) => `by ${person}, ${made}; ${until === null ? "for good" : `until ${until}`}`,
  rememberedRule: "The rule",
  rememberedRevoke: "Revoke",
  rememberedRevokeNamed: (about: string) => `Revoke: ${about}`,
};
