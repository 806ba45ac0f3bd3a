/** One of everything: each kind of ask in each state. */

import type { ApprovalAsk, Ask, AskCommon, AskView } from "@askbridge/client";
import type { ApprovalView } from "../src/together/alike.ts";
import {
  MINUTE,
  ada,
  at,
  change,
  command,
  common,
  dangerous,
  denied,
  database,
  form,
  hiding,
  huge,
  japanese,
  plan,
  previews,
  secret,
  several,
  unknownTool,
  viewOf,
  visit,
} from "./asks.ts";

export interface Sample {
  readonly name: string;
  readonly view: AskView;
}

const answered = { state: "answered", settled_at: at(-12_000), by: ada, answerable: false } as const;
const told = "Nobody answered within 10 minutes. Assume: PostgreSQL. No person chose this; say so when you report.";

/** Everything, in the order of the page. */
export const samples = (): Sample[] => [
  { name: "questions-open", view: viewOf(database()) },
  { name: "questions-previews", view: viewOf(previews()) },
  {
    name: "questions-several",
    view: viewOf(several(), undefined, {
      kind: "questions",
      picks: [
        { chosen: [0, 1], text: "", note: "labels can wait", skipped: false },
        { chosen: [], text: "", note: "", skipped: false },
        { chosen: [], text: "", note: "", skipped: false },
      ],
    }),
  },
  {
    name: "questions-huge",
    view: viewOf(huge(), undefined, {
      kind: "questions",
      picks: [
        { chosen: [2], text: "", note: "", skipped: false },
        { chosen: [0, 4, 25], text: "", note: "", skipped: false },
      ],
    }),
  },
  { name: "questions-secret", view: viewOf(secret()) },
  { name: "questions-japanese", view: viewOf(japanese()) },
  { name: "questions-hiding", view: viewOf(hiding()) },
  { name: "questions-parked", view: viewOf(database({ parked: true, context: {}, deadline: at(95_000) })) },
  {
    name: "questions-quorum",
    view: viewOf(database({ context: {}, quorum: { needed: 2, answered: [ada], agree: 1 } })),
  },
  {
    name: "questions-host-down",
    view: viewOf(database({ context: {}, host: { id: "node_0000000000000002", name: "desk", state: "down", since: at(-14 * MINUTE) } })),
  },
  { name: "questions-stranded", view: viewOf(database({ stranded: true, context: {} })) },
  {
    name: "questions-refused",
    view: viewOf(database({ context: {} }), {
      state: "refused",
      what: "answer",
      because: {
        code: "answer_does_not_fit",
        detail: "the answer does not fit",
        parts: [{ question: "Which database should the new service use?", detail: "only one answer is possible" }],
        winner: null,
        retry: false,
      },
    }),
  },
  {
    name: "questions-held",
    view: viewOf(database({ context: {} }), { state: "held", what: "answer", until: Date.now() + 600_000 }),
  },
  { name: "questions-queued", view: viewOf(database({ context: {} }), { state: "queued", what: "answer" }) },
  { name: "questions-sending", view: viewOf(database({ context: {} }), { state: "sending", what: "answer" }) },
  {
    name: "questions-proposed",
    view: viewOf(
      database({
        context: {},
        state: "proposed",
        undo_until: at(600_000),
        answers: { "Which database should the new service use?": "SQLite" },
        by: ada,
      }),
    ),
  },
  {
    name: "questions-stored",
    view: viewOf(
      database({
        context: {},
        ...answered,
        answers: { "Which database should the new service use?": "PostgreSQL (Recommended)" },
        notes: { "Which database should the new service use?": "but keep the files for a month" },
      }),
    ),
  },
  {
    name: "questions-delivered",
    view: viewOf(
      database({
        context: {},
        ...answered,
        delivered_at: at(-11_000),
        answers: { "Which database should the new service use?": "PostgreSQL (Recommended)" },
      }),
    ),
  },
  {
    name: "questions-beaten",
    view: viewOf(
      database({
        context: {},
        ...answered,
        delivered_at: at(-11_000),
        answers: { "Which database should the new service use?": "SQLite" },
      }),
      {
        state: "refused",
        what: "answer",
        because: {
          code: "already_decided",
          detail: "already decided, differently",
          parts: [],
          winner: { by: ada, at: at(-12_000) },
          retry: false,
        },
      },
    ),
  },
  {
    name: "questions-dismissed",
    view: viewOf(
      database({
        context: {},
        state: "dismissed",
        answerable: false,
        settled_at: at(-40_000),
        by: ada,
        words: "Please ask this differently. What does billing use?",
      }),
    ),
  },
  {
    name: "questions-expired",
    view: viewOf(
      database({ context: {}, state: "expired", settled_at: at(-3 * MINUTE), verdict: { ruling: "assume", words: told } }),
    ),
  },
  {
    name: "questions-late",
    view: viewOf(
      database({
        context: {},
        state: "expired",
        answerable: false,
        settled_at: at(-9 * MINUTE),
        verdict: { ruling: "assume", words: told },
        late: { answers: { "Which database should the new service use?": "SQLite" }, notes: {}, by: ada, at: at(-MINUTE) },
      }),
    ),
  },
  {
    name: "questions-ruled",
    view: viewOf(
      database({
        context: {},
        state: "ruled",
        settled_at: at(-3 * MINUTE),
        by: { rule: "nightly: take the recommended one" },
        answers: { "Which database should the new service use?": "PostgreSQL (Recommended)" },
        verdict: { ruling: "answer", words: "The rule “nightly” chose PostgreSQL." },
      }),
    ),
  },
  {
    name: "questions-withdrawn",
    view: viewOf(
      database({
        context: {},
        state: "withdrawn",
        answerable: false,
        settled_at: at(-20_000),
        words: "the turn was interrupted",
      }),
    ),
  },
  {
    name: "questions-overtaken",
    view: viewOf(
      database({
        context: {},
        state: "overtaken",
        answerable: false,
        settled_at: at(-20_000),
        words: "answered in the terminal",
      }),
    ),
  },
  { name: "approval-command", view: viewOf(command()) },
  { name: "approval-change", view: viewOf(change()) },
  { name: "approval-dangerous", view: viewOf(dangerous()) },
  { name: "approval-other", view: viewOf(unknownTool()) },
  { name: "approval-denied", view: viewOf(denied()) },
  { name: "approval-denied-late", view: viewOf(denied({ stranded: true })) },
  {
    name: "approval-edited",
    view: viewOf(command(), undefined, { kind: "approval", text: "cargo test -p inventory", words: "" }),
  },
  { name: "approval-allowed", view: viewOf(command({ ...answered, answers: { decision: "allow", always: 0 } })) },
  {
    name: "approval-denied",
    view: viewOf(
      command({ ...answered, delivered_at: at(-10_000), answers: { decision: "deny", stop: true, words: "Not on a Friday." } }),
    ),
  },
  {
    name: "approval-expired",
    view: viewOf(
      command({
        state: "expired",
        settled_at: at(-3 * MINUTE),
        verdict: {
          ruling: "deny",
          words: "Denied: nobody answered within 10 minutes. Go on without this tool call, or ask again.",
        },
      }),
    ),
  },
  { name: "plan-open", view: viewOf(plan()) },
  {
    name: "plan-sent-back",
    view: viewOf(plan({ ...answered, answers: { decision: "send_back", words: "Import first, then the schema." } })),
  },
  { name: "form-open", view: viewOf(form({ deadline: at(3 * 60 * MINUTE) })) },
  { name: "form-visit", view: viewOf(visit()) },
  {
    name: "form-accepted",
    view: viewOf(
      form({
        ...answered,
        delivered_at: at(-10_000),
        answers: {
          decision: "accept",
          content: { host: "parts.example", port: 443, region: "eu-north", checks: ["health", "errors"], notify: true },
        },
      }),
    ),
  },
  {
    name: "broken",
    view: viewOf({
      ...common(),
      kind: "questions",
      questions: [{ question: "Go on?", options: "not a list" }],
    } as unknown as Ask),
  },
];

/** A list of any length. */
export function many(n: number): AskView[] {
  const kinds = [() => database(), () => command(), () => plan(), () => form(), () => several()];
  return Array.from({ length: n }, (_, index) => {
    const ask = (kinds[index % kinds.length] ?? database)();
    const ends =
      index % 7 === 3
        ? { ...ask, state: "answered" as const, settled_at: at(-12_000), by: ada }
        : index % 5 === 2
          ? { ...ask, deadline: at(index * 7_000 + 60_000) }
          : ask;
    return viewOf({ ...ends, id: `ask_m_${index}`, asked_at: at(-(n - index) * 90_000) } as Ask);
  });
}

/** Three commands that are alike: two that wait, one of them grave, and one that was decided. */
export const togethers = (): ApprovalView[] =>
  [
    run("cargo test -p inventory", {}),
    run("rm -rf target/tmp", {}),
    run("cargo fmt --check", { ...answered, answers: { decision: "allow" } }),
  ].map((ask) => viewOf(ask) as ApprovalView);

const run = (line: string, change: Partial<AskCommon>): ApprovalAsk => {
  const ask = command(change);
  return { ...ask, approval: { ...ask.approval, input: { command: line }, summary: `Run ${line}` } };
};
