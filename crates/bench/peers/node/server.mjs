// What a Node programmer would write: the official SDK behind `ws`, one agent for each WebSocket. Stores nothing.
//
// `server.mjs MODULES CLI` prints its address. Frames: `say` and `answer` come in, `delta`, `asked`, `returned` and
// `ended` go out. The packages are not beside this file, so they are imported from MODULES.

import { pathToFileURL } from "node:url";

const [modules, cli] = process.argv.slice(2);
const from = (file) => import(pathToFileURL(`${modules}/node_modules/${file}`));
const { query } = await from("@anthropic-ai/claude-agent-sdk/sdk.mjs");
const { WebSocketServer } = await from("ws/wrapper.mjs");

/** The person's messages, as the SDK wants them: an iterator that waits for the next. */
function inbox() {
  const waiting = [];
  let wake = () => {};
  let open = true;
  return {
    put(text) {
      waiting.push({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null });
      wake();
    },
    close() {
      open = false;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (open) {
        while (waiting.length > 0) yield waiting.shift();
        if (open) await new Promise((resolve) => (wake = resolve));
      }
    },
  };
}

async function serve(screen) {
  const messages = inbox();
  const pending = new Map();
  const tell = (frame) => screen.send(JSON.stringify(frame));
  screen.on("message", (data) => {
    const frame = JSON.parse(data);
    if (frame.type === "say") messages.put(frame.text);
    else pending.get(frame.id)(frame.answers);
  });
  screen.on("close", () => messages.close());
  const canUseTool = async (name, input, { toolUseID }) => {
    const answered = new Promise((resolve) => pending.set(toolUseID, resolve));
    tell({ type: "asked", id: toolUseID, questions: input.questions });
    const answers = await answered;
    pending.delete(toolUseID);
    return { behavior: "allow", updatedInput: { ...input, answers } };
  };
  const options = { pathToClaudeCodeExecutable: cli, canUseTool, includePartialMessages: true };
  for await (const message of query({ prompt: messages, options })) {
    if (message.type === "stream_event") {
      const text = message.event.delta?.text;
      if (text !== undefined) tell({ type: "delta", text });
    } else if (message.type === "user") tell({ type: "returned" });
    else if (message.type === "result") tell({ type: "ended" });
  }
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/turns", perMessageDeflate: false });
server.on("listening", () => console.log(`http://127.0.0.1:${server.address().port}/`));
server.on("connection", (screen) => {
  serve(screen).catch((error) => {
    console.error(error);
    screen.terminate();
  });
});
process.on("SIGTERM", () => process.exit(0));
