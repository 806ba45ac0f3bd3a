// What the models of prime's server promise its client, which is closed: each field, and of which kind it is. A client that is
// compiled against them fails where one is missing or of another kind, and so does this one.

import { assert } from "./kit.mjs";

const kinds = {
  text: (it) => typeof it === "string",
  number: (it) => typeof it === "number" && Number.isFinite(it),
  count: (it) => Number.isInteger(it) && it >= 0,
  flag: (it) => typeof it === "boolean",
  date: (it) => typeof it === "string" && !Number.isNaN(Date.parse(it)),
  uuid: (it) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(it),
  object: (it) => typeof it === "object" && it !== null && !Array.isArray(it),
  list: Array.isArray,
  status: (it) => ["thinking", "generating", "waiting", "done"].includes(it),
  role: (it) => ["user", "assistant"].includes(it),
};

/** Reads a value as a model has it: `?` may be null, but not left out. */
function read(what, value, model) {
  assert.ok(kinds.object(value), `${what} is an object`);
  for (const [field, kind] of Object.entries(model)) {
    assert.ok(field in value, `${what} has no ${field}: ${JSON.stringify(value)}`);
    const may = kind.endsWith("?") && value[field] === null;
    assert.ok(may || kinds[kind.replace("?", "")](value[field]), `${what}.${field} is ${JSON.stringify(value[field])}`);
  }
  return value;
}

const LINE = {
  session_id: "uuid",
  title: "text?",
  summary: "text?",
  is_agent_session: "flag",
  created_at: "date?",
  last_activity: "date?",
  message_count: "count",
};

const MESSAGE = {
  uuid: "uuid",
  parent_uuid: "uuid?",
  timestamp: "date",
  type: "role",
  role: "role",
  content: "text",
  is_sidechain: "flag",
  agent_id: "text?",
};

export const list = (it) => {
  read("list", it, { sessions: "list", total: "count", next_cursor: "text?", has_more: "flag" });
  return it.sessions.map((line) => read("line", line, { ...LINE, file_path: "text", is_running: "flag", status: "status" }));
};
export const session = (it) => {
  read("session", it, { ...LINE, messages: "list" });
  return chain(it.messages);
};
export const summary = (it) => read("summary", it, { ...LINE, file_path: "text" });
export const messages = (it) => {
  read("messages", it, { session_id: "uuid", messages: "list", message_count: "count" });
  return it.messages.map((message) => read("message", message, MESSAGE));
};
export const history = (it) => {
  read("history", it, { session_id: "uuid", messages: "list", message_count: "count" });
  const fields = { role: "role", content: "text", timestamp: "date", tool_name: "text?", tool_input: "object?" };
  return it.messages.map((message) => read("message", message, fields));
};
export const placeholder = (it) => read("placeholder", it, { session_id: "text", created_at: "date" });
export const devices = (it) => {
  read("devices", it, { total: "count", devices: "list" });
  const fields = { installation_id: "text", device_name: "text?", device_type: "text", registered_at: "date", last_seen: "date" };
  return it.devices.map((device) => read("device", device, fields));
};
export const registered = (it) => read("registered", it, { success: "flag", message: "text" });
export const sent = (it) => {
  read("sent", it, { success: "flag", sent: "count", failed: "count", invalid_tokens_removed: "count", devices: "list" });
  return it.devices.map((device) => read("device", device, { name: "text", status: "text", error: "text?" }));
};

/** Each message of a record follows the one before it. */
function chain(all) {
  all.forEach((message, place) => {
    read("message", message, MESSAGE);
    assert.equal(message.parent_uuid, all[place - 1]?.uuid ?? null);
  });
  assert.equal(new Set(all.map(({ uuid }) => uuid)).size, all.length);
  return all;
}

const FRAMES = {
  connected: { connection_id: "text", connectionId: "text" },
  session_status: {
    session_id: "text",
    is_processing: "flag",
    waiting_for_user: "flag",
    pending_question_id: "text?",
    status: "status",
    last_event_type: "text?",
    buffered_count: "count",
    last_activity: "date?",
    completed_at: "date?",
  },
  session_id: { session_id: "uuid", sessionId: "uuid" },
  text: { chunk: "text" },
  tool_use: { name: "text", input: "object" },
  thinking: { content: "text" },
  ask_user_question: { question_id: "text", questionId: "text", questions: "list", timeout_seconds: "count" },
  ask_user_timeout: { question_id: "text", questionId: "text", error: "text" },
  complete: { status: "text", costUsd: "number?", durationMs: "count?", cost_usd: "number?", duration_ms: "count?" },
  error: { error: "text" },
  session_taken: {},
};

/** Every frame that came. */
export const frames = (all) => {
  for (const frame of all) read(frame.type, frame, FRAMES[frame.type] ?? assert.fail(`nobody knows ${frame.type}`));
};
