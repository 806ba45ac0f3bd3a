/** An ask of every kind, as agents make them. */

import type { Json } from "./server.ts";

const question = {
  questions: [{
    header: "Auth",
    question: "How should people sign in?",
    options: [
      { label: "Magic link (recommended)", description: "One mail, no password. Needs a mail server." },
      { label: "Password", description: "Works offline; people forget them." },
      { label: "Passkey", description: "Nothing to remember; needs a recent browser." },
    ],
  }],
  agent: "claude",
  context: { text: "I have read `src/login.rs`. There is no session store yet, so every way needs one.", title: "Sign-in for the shop", folder: "/home/ada/shop", branch: "sign-in" },
};

const several = {
  questions: [
    { header: "Database", question: "Which database?", options: [{ label: "Postgres", description: "the one in production" }, { label: "SQLite", description: "a file" }] },
    { header: "Parts", question: "Which parts should change?", multiSelect: true, options: ["API", "Web app", "Command line", "Documentation"] },
    { question: "What should the branch be called?" },
  ],
  agent: "claude",
  context: { title: "Move the orders", folder: "/home/ada/shop" },
  timeout_seconds: 3600,
};

const previews = {
  questions: [{
    header: "Layout",
    question: "Which layout do you like?",
    options: [
      { label: "Sidebar", description: "navigation on the left", preview: "┌────┬─────────┐\n│ nav│ content │\n│    │         │\n└────┴─────────┘" },
      { label: "Top bar", description: "navigation above", preview: "<div style=\"font-family:sans-serif\"><div style=\"background:#0c6a5b;color:#fff;padding:8px\">nav</div><p>content</p></div>" },
      { label: "Text only", preview: "# Title\n\n- one\n- **two**" },
    ],
  }],
  agent: "designer",
};

const approval = {
  approval: {
    tool: "Bash", input: { command: "git push --force origin main", description: "Publish the rewritten history" },
    summary: "Run `git push --force origin main`", reason: "The history was rewritten.",
    rules: [{ label: "always allow `git push` in this folder", rule: { tool: "Bash", pattern: "git push *" } }],
  },
  agent: "claude", context: { folder: "/home/ada/shop", branch: "main" },
};

const edit = {
  approval: {
    tool: "Edit",
    input: { file_path: "/home/ada/shop/src/price.rs", old_string: "fn price(cents: i64) -> f64 {\n    cents as f64 / 100.0\n}", new_string: "fn price(cents: i64) -> String {\n    format!(\"{}.{:02}\", cents / 100, cents % 100)\n}" },
    summary: "Change src/price.rs",
  },
  agent: "claude",
};

const plan = {
  plan: "# Move orders to Postgres\n\n1. Write the migration, and try it on a copy\n2. Write to both for a week\n3. Compare, then read from Postgres\n\nNothing is deleted before step 3.",
  agent: "claude", context: { title: "Orders", folder: "/home/ada/shop" },
};

const form = {
  form: {
    message: "Where should it be deployed?",
    schema: { type: "object", required: ["host"], properties: {
      host: { type: "string", title: "Host", description: "Its name, without https://" }, port: { type: "integer", title: "Port" },
      tls: { type: "boolean", title: "With TLS" }, zone: { type: "string", title: "Zone", enum: ["eu-1", "us-1", "ap-1"] } } },
  },
  agent: "deployer",
};

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const huge = {
  questions: Array.from({ length: 12 }, (_, n) => ({
    header: `Part ${n + 1}`, question: `What about part ${n + 1}?`, options: [...letters].map((letter) => ({ label: `${letter}. way ${letter}`, description: `what ${letter} means` })),
  })),
  agent: "thorough",
};

export const every = { question, several, previews, approval, edit, plan, form, huge } satisfies Record<string, Json>;
