// What the pages of Claude-Code-Cloud read of each answer. Each throws where they throw, and refuses to draw what they would draw
// as a blank, as "NaN" or as "Invalid Date".

import { assert } from "./kit.mjs";

const shown = (what, text) => {
  assert.doesNotMatch(String(text), /undefined|null|NaN|Invalid Date/, `${what} is drawn as ${text}`);
  return String(text);
};
const date = (what, text) => shown(what, new Date(text).toLocaleDateString("en-US"));
const number = (what, value) => {
  assert.equal(typeof value, "number", `${what} is a number`);
  return shown(what, new Intl.NumberFormat("en-US").format(value));
};

/** The name at the top, and whether the account counts. */
export function account({ id, email, display_name, is_active, is_verified }) {
  assert.equal(typeof id, "string");
  assert.ok(is_active && is_verified, "an account that is not verified");
  return shown("account", display_name || email);
}

/** The card of a project, its page, and the editor beside it, which is open by default. */
export function project({ id, name, description, workspace_path, session_count, created_at, updated_at, api_key, ...more }) {
  assert.match(id, /^[0-9a-f-]{36}$/);
  const folder = workspace_path.replace(/^\/app\/workspace\//, "/home/coder/workspace/");
  for (const limit of ["cost_limit_daily", "cost_limit_weekly", "cost_limit_monthly"]) {
    assert.ok(more[limit] === null || typeof more[limit] === "number", limit);
  }
  const fields = [name, description || "", api_key || "", date("created", created_at), date("updated", updated_at)];
  return { id, folder, drawn: [...fields.map((text) => shown("project", text)), number("sessions", session_count)] };
}

/** A line in a list of sessions, and the head of its chat. */
export function session({ id, project_id, name, status, created_at, message_count, model, is_processing, ...more }) {
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.ok(["active", "idle", "processing", "closed", "expired", "terminated"].includes(status), status);
  assert.equal(typeof is_processing, "boolean");
  assert.equal(typeof project_id, "string");
  assert.ok(model, "without one its page takes a model that is gone");
  for (const field of ["updated_at", "last_activity_at"]) date(field, more[field]);
  for (const field of ["total_tokens", "total_cost_usd"]) number(field, more[field]);
  assert.equal(typeof more.user_id, "string");
  return { id, model, drawn: [shown("name", name ?? ""), date("created", created_at), number("messages", message_count)] };
}

/** The list to choose a model from. An empty one means models of early 2026. */
export function models({ models, total }) {
  assert.ok(models.length > 0 && total === models.length, "the page would fall back to models that are gone");
  return models.map(({ id, display_name, type }) => [id, shown("model", display_name), type][0]);
}

/** The page of prices. */
export function prices(usage, check) {
  const drawn = ["total_tokens", "total_cost", "session_count", "message_count"].map((field) => number(field, usage[field]));
  for (const span of ["daily", "weekly", "monthly"]) {
    number(span, check[`cost_${span}`]);
    // Only `null` is no limit to it.
    if (check[`limit_${span}`] !== null) check[`limit_${span}`].toString();
  }
  assert.deepEqual([check.can_use, check.exceeded_limits.map(String)], [true, []]);
  return drawn;
}

/** What is suggested while a message is typed. */
export function suggestions(...lists) {
  return lists.flatMap((list) => list.map(({ name, description }) => [name.toLowerCase(), description.toLowerCase()]));
}

/** A message of a history: blocks in a text, or it is drawn as that text. */
export function message({ id, role, content, created_at }) {
  assert.ok(["user", "assistant", "system"].includes(role));
  date("message", created_at);
  const blocks = content.trim() && /^[[{]/.test(content) ? [JSON.parse(content)].flat() : [{ type: "text", text: content }];
  for (const block of blocks) {
    const needs = { text: ["text"], thinking: ["content"], tool_use: ["id", "name"], tool_result: ["tool_use_id"] }[block.type];
    assert.ok(needs?.every((field) => typeof block[field] === "string"), `a block that is left out: ${JSON.stringify(block)}`);
  }
  return { id, role, blocks };
}

/** The card of a question. Texts are drawn without their line breaks. */
export function card({ tool_use_id, questions }) {
  assert.equal(typeof tool_use_id, "string");
  return questions.map(({ question, header, options, multiSelect }) => {
    for (const text of [question, header, ...options.flatMap(({ label, description }) => [label, description])]) {
      assert.doesNotMatch(text, /[\r\n]/, "a line break that nobody would see");
    }
    assert.equal(typeof multiSelect, "boolean");
    return shown("question", question);
  });
}

/** What the chat draws after these frames: whether there is a streaming message (and in it the card), the texts of all
 *  messages, and whether it waits for the end of a turn and takes no message. */
export function drawn(frames) {
  const message = () => ({ blocks: 0, text: "" });
  let [streaming, isThinking, isBusy, texts] = [message(), false, false, []];
  for (const { type, content } of frames) {
    if (type === "thinking" || type === "resume_started") isThinking = true;
    if (type === "resume_started" || type === "sent here") [streaming, isBusy] = [message(), true];
    if (type === "text") streaming.text += content;
    if (type === "tool_use_start") {
      if (streaming.text) texts.push(streaming.text);
      streaming = { blocks: streaming.blocks + 1, text: "" };
    }
    if (type === "tool_result") streaming.blocks += 1;
    if (["result", "error", "interrupted", "resume_not_needed"].includes(type)) [isThinking, isBusy] = [false, false];
    if (type === "result") {
      if (streaming.text) texts.push(streaming.text);
      streaming = message();
    }
  }
  return { isDrawn: isThinking || streaming.blocks > 0 || streaming.text !== "", isBusy, texts };
}
