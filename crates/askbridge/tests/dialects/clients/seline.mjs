// Seline's front end, with its habits: preflight before each message, a cookie for a token, the AI SDK's own schema and
// reader for the stream, arguments of a call that may only grow, and, once a call had deltas, nothing else about its input
// until its output.

import { PATIENCE_MS, SERVER, TOKEN, assert, elsewhere, openAsk, play, request, until } from "./kit.mjs";

const { parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } = await import(process.env.AI);
const cookie = `theme=dark; zlutty-session=${TOKEN}`;

/** One response, read chunk by chunk as the SDK reads it. */
class Run {
  chunks = [];
  args = new Map();
  inputs = new Map();

  constructor(response) {
    this.response = response;
    const parsed = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema });
    const taken = new TransformStream({
      transform: (result, out) => {
        assert.ok(result.success, `not a chunk: ${result.error}`);
        this.look(result.value);
        // Its own transport lets nothing about an input through that had deltas.
        const { type, toolCallId } = result.value;
        if (type === "tool-input-error") assert.fail("an input that had deltas is never wrong");
        if (type === "tool-input-available" && this.args.get(toolCallId)) this.inputs.set(toolCallId, result.value.input);
        out.enqueue(result.value);
      },
    });
    this.done = (async () => {
      let message;
      for await (message of readUIMessageStream({ stream: parsed.pipeThrough(taken), terminateOnError: true }));
      return message;
    })();
    this.done.catch(() => {});
  }

  look(chunk) {
    this.chunks.push(chunk);
    const { type, toolCallId } = chunk;
    if (type === "tool-input-start") {
      assert.ok(!this.args.has(toolCallId), "a call is never told twice");
      this.args.set(toolCallId, "");
    }
    if (type === "tool-input-delta") this.args.set(toolCallId, this.args.get(toolCallId) + chunk.inputTextDelta);
    if (type === "tool-input-available") assert.equal(this.args.get(toolCallId), JSON.stringify(chunk.input));
  }

  async chunk(what, fits) {
    return until(what, async () => {
      const found = this.chunks.find(fits);
      if (!found) await Promise.race([this.done, new Promise((go) => setTimeout(go, 10))]);
      return found;
    });
  }

  /** The arguments of a call, as soon as they are whole JSON: before they are said to be available. */
  async card(name = "AskUserQuestion") {
    const { toolCallId } = await this.chunk(name, (it) => it.type === "tool-input-start" && it.toolName === name);
    const input = await until("arguments", () => {
      try {
        return JSON.parse(this.args.get(toolCallId));
      } catch {}
    });
    return { toolCallId, input };
  }

  types() {
    return this.chunks.map(({ type }) => type);
  }
}

class Front {
  id = crypto.randomUUID();
  messages = [];

  post(path, body, headers = {}) {
    return request("POST", path, { headers: { cookie, "content-type": "application/json", ...headers }, body });
  }

  get(path) {
    return request("GET", path, { headers: { cookie } });
  }

  /** The conversation as its client makes it of what is stored. */
  async loaded() {
    const { messages } = (await this.get(`/api/sessions/${this.id}/messages`)).json;
    this.texts = new Map();
    return messages.map(({ id, role, content }) => {
      const results = new Map(content.filter((it) => it.type === "tool-result").map((it) => [it.toolCallId, it]));
      const parts = content.filter((it) => it.type !== "tool-result").map((it) => {
        if (it.type === "text") return { type: "text", text: it.text };
        this.texts.set(it.toolCallId, it.argsText);
        const result = results.get(it.toolCallId);
        const { toolCallId, args: input } = it;
        const state = result?.state ?? it.state;
        const output = result ? (result.result ?? null) : undefined;
        return { type: `tool-${it.toolName}`, toolCallId, input, state, output, errorText: result?.errorText };
      });
      return { id, role, parts };
    });
  }

  /** Sends, and begins to read at once, or when somebody says so. */
  async send() {
    return new Run(await this.post_chat());
  }

  async post_chat() {
    this.leaving = new AbortController();
    const response = await fetch(`http://${SERVER}/api/chat`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "x-session-id": this.id, "x-user-timezone": "Asia/Tokyo" },
      body: JSON.stringify({ id: this.id, messages: this.messages, trigger: "submit-message", tools: {}, metadata: {} }),
      signal: this.leaving.signal,
    });
    assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
    assert.equal(response.headers.get("x-vercel-ai-ui-message-stream"), "v1");
    assert.match(response.headers.get("content-type"), /^text\/event-stream/);
    assert.equal(response.headers.get("cache-control"), "no-cache");
    assert.equal(response.headers.get("x-session-id"), this.id);
    return response;
  }

  async say(text) {
    await this.write(text);
    return this.send();
  }

  async write(text) {
    const preflight = await this.post("/api/chat/preflight", { id: this.id });
    assert.equal(preflight.text, 'data: {"ok":true}\n\n');
    this.messages.push({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] });
  }

  async click(toolUseId, answers, session = this.id) {
    return this.post("/api/chat/tool-result", { sessionId: session, toolUseId, answers });
  }

  async resolved(toolUseId, answers) {
    const clicked = await this.click(toolUseId, answers);
    assert.deepEqual([clicked.status, clicked.json], [200, { resolved: true }]);
  }

  async run() {
    return (await request("GET", `/api/sessions/${this.id}/active-run`, { headers: { cookie } })).json;
  }
}

const part = (message, type) => message.parts.find((it) => it.type === type);
const texts = (message) => message.parts.filter((it) => it.type === "text").map((it) => it.text);
/** Waits for the end of a stream, and says what came if there is none. */
async function ended(run) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`no end; came: ${JSON.stringify(run.chunks)}`)), PATIENCE_MS);
  });
  return Promise.race([run.done, late]).finally(() => clearTimeout(timer));
}

/** The end of a stream that ended well. */
async function finished(run) {
  const message = await ended(run);
  assert.deepEqual(run.types().slice(-2), ["finish-step", "finish"]);
  return message;
}

/** As the plan's card reads its result: else it keeps its buttons. */
function isClosed(result) {
  return result?.approved === true || result?.action === "Reject / Edit";
}

await play({
  async chat_and_question() {
    const front = new Front();
    const run = await front.say("ask");
    const { toolCallId, input } = await run.card();
    assert.equal(input.questions[0].question, "Which?");
    await front.resolved(toolCallId, { "Which?": "B" });
    const message = await finished(run);
    assert.deepEqual(run.types().slice(0, 2), ["start", "start-step"]);
    assert.deepEqual(texts(message), ["I have to ask.", "done"]);
    const card = part(message, "tool-AskUserQuestion");
    assert.deepEqual([card.state, card.output], ["output-available", { answers: { "Which?": "B" } }]);
    assert.equal(message.parts.filter((it) => it.type === "step-start").length, 2);
    // It is over: a click finds nothing that waits.
    for (const label of ["A", "B"]) {
      assert.deepEqual((await front.click(toolCallId, { "Which?": label })).json, { resolved: false });
    }
    assert.equal((await front.run()).hasActiveRun, false);
  },

  async three_questions() {
    const front = new Front();
    const run = await front.say("three");
    const { toolCallId } = await run.card();
    await front.resolved(toolCallId, { "First?": "B", "Second?": "A, C" });
    const message = await finished(run);
    const expected = { answers: { "First?": "B", "Second?": "A, C" } };
    assert.deepEqual(part(message, "tool-AskUserQuestion").output, expected);
  },

  async statuses() {
    const front = new Front();
    const run = await front.say("ask");
    const { toolCallId } = await run.card();
    const missing = { error: "Missing required fields: sessionId, toolUseId, answers (Record<string, string>)" };
    const bad = async (body, status, json) => {
      const answer = await front.post("/api/chat/tool-result", body);
      assert.deepEqual([answer.status, answer.json], [status, json], JSON.stringify(body));
    };
    await bad("{", 400, { error: "Invalid JSON" });
    await bad({}, 400, missing);
    await bad({ sessionId: front.id, toolUseId: toolCallId, answers: ["B"] }, 400, missing);
    await bad({ sessionId: front.id, toolUseId: toolCallId, answers: { "Which?": ["B"] } }, 400, missing);
    await bad({ sessionId: crypto.randomUUID(), toolUseId: toolCallId, answers: {} }, 403, { error: "Forbidden" });
    await bad({ sessionId: front.id, toolUseId: "toolu_other", answers: { a: "b" } }, 200, { resolved: false });
    await bad({ sessionId: front.id, toolUseId: toolCallId, answers: { Nonsense: "B" } }, 200, { resolved: false });
    await bad({ sessionId: front.id, toolUseId: toolCallId, answers: { "Which?": "A" } }, 200, { resolved: true });
    await finished(run);
    const empty = await front.post("/api/chat", { messages: [] });
    assert.equal(empty.status, 400);
    assert.equal((await front.post("/api/chat", "nonsense")).status, 400);
  },

  async add_result() {
    const front = new Front();
    const first = await front.say("ask");
    const { toolCallId, input } = await first.card();
    front.leaving.abort();
    const call = { type: "tool-AskUserQuestion", toolCallId, state: "output-available", input };
    const output = JSON.stringify({ answers: { "Which?": "A" } });
    front.messages.push({ id: "m", role: "assistant", parts: [{ type: "step-start" }, { ...call, output }] });
    const run = await front.send();
    assert.deepEqual(texts(await finished(run)), ["done"]);
  },

  async answered_elsewhere() {
    const front = new Front();
    const run = await front.say("ask");
    await run.card();
    const ask = await openAsk();
    await elsewhere("POST", `/v1/asks/${ask.id}/answer`, { answers: { "Which?": "A" } });
    const message = await finished(run);
    assert.deepEqual(part(message, "tool-AskUserQuestion").output, { answers: { "Which?": "A" } });
  },

  async dismissed() {
    const front = new Front();
    const run = await front.say("ask");
    const { toolCallId } = await run.card();
    await front.resolved(toolCallId, {});
    const message = await finished(run);
    assert.match(part(message, "tool-AskUserQuestion").errorText, /^The person closed the question/);
  },

  async nobody_answers() {
    const front = new Front();
    const run = await front.say("soon");
    const { toolCallId } = await run.card();
    const message = await finished(run);
    assert.match(part(message, "tool-AskUserQuestion").errorText, /^Nobody answered within 2 seconds/);
    await front.resolved(toolCallId, { "Soon?": "A" });
    await until("the end", async () => !(await front.run()).hasActiveRun);
  },

  async disconnect() {
    const front = new Front();
    const run = await front.say("ask");
    const { toolCallId } = await run.card();
    front.leaving.abort();
    const active = await front.run();
    assert.deepEqual([active.hasActiveRun, active.hasInteractiveWait], [true, true]);
    assert.deepEqual([active.pipelineName, active.shouldResumeBackgroundRun], ["chat", true]);
    await front.resolved(toolCallId, { "Which?": "A" });
    await until("the end", async () => !(await front.run()).hasActiveRun);
  },

  async a_message_waits() {
    const front = new Front();
    const first = await front.say("ask");
    await first.card();
    front.leaving.abort();
    const run = await front.say("later");
    const { toolCallId } = await run.card();
    await front.resolved(toolCallId, { "Which?": "B" });
    assert.deepEqual(texts(await finished(run)), ["done", "it waited"]);
  },

  async cancel() {
    const front = new Front();
    const cancel = (id) => front.post(`/api/agent-runs/${id}/cancel`, {});
    assert.equal((await cancel(crypto.randomUUID())).status, 404);
    const run = await front.say("ask");
    await run.card();
    const { runId } = await front.run();
    const cancelled = await cancel(runId);
    assert.deepEqual([cancelled.status, cancelled.json], [200, { cancelled: true }]);
    await ended(run);
    assert.equal(run.types().at(-1), "abort");
    const [card] = run.chunks.filter((it) => it.type === "tool-output-error");
    assert.ok(card, "the card says that it is over");
    assert.equal((await cancel(runId)).status, 409);
  },

  async live_prompt_queue() {
    const front = new Front();
    const queue = (content) => front.post(`/api/sessions/${front.id}/live-prompt-queue`, { content });
    const run = await front.say("ask");
    const { toolCallId } = await run.card();
    const queued = await queue("later");
    assert.deepEqual([queued.status, queued.json], [200, { queued: true, stopIntent: false }]);
    await front.resolved(toolCallId, { "Which?": "B" });
    assert.deepEqual(texts(await finished(run)), ["I have to ask.", "done", "it waited"]);
    const idle = await queue("later");
    assert.deepEqual([idle.status, idle.json], [409, { error: "no_active_run" }]);
  },

  async coming_back() {
    const front = new Front();
    const run = await front.say("ask");
    const { toolCallId } = await run.card();
    const streamed = run.args.get(toolCallId);
    // The page is gone: nobody reads the stream any more. It comes back, and finds the run, the question, and its arguments.
    front.leaving.abort();
    await run.done.catch(() => {});
    const active = await front.run();
    assert.deepEqual([active.hasActiveRun, active.hasInteractiveWait], [true, true]);
    const status = async () => (await front.get(`/api/agent-runs/${active.runId}/status`)).json;
    assert.deepEqual([(await status()).status, (await status()).isZombie], ["running", false]);
    const waiting = await front.loaded();
    assert.deepEqual(waiting.map(({ role }) => role), ["user", "assistant"]);
    assert.equal(waiting[0].id, front.messages[0].id, "with another id, the page would show it as an edited copy");
    const call = waiting[1].parts.find((it) => it.toolCallId === toolCallId);
    assert.deepEqual([call.type, call.state], ["tool-AskUserQuestion", "input-available"]);
    assert.equal(JSON.stringify(call.input), streamed, "its arguments may only grow");
    assert.equal(front.texts.get(toolCallId), streamed);
    assert.equal(waiting[1].id, run.chunks.find(({ type }) => type === "start").messageId, "the same message");
    await front.resolved(toolCallId, { "Which?": "A" });
    await until("the end", async () => (await status()).status === "succeeded");
    assert.equal((await front.run()).hasActiveRun, false);
    const done = await front.loaded();
    const answered = done[1].parts.find((it) => it.toolCallId === toolCallId);
    assert.deepEqual([answered.state, answered.output], ["output-available", { answers: { "Which?": "A" } }]);
    assert.equal(JSON.stringify(answered.input), streamed);
    assert.equal(done[1].parts.at(-1).text, "done");
    // The list has it, under a name that leads back to it.
    const { sessions, totalCount } = (await front.get("/api/sessions?limit=20&characterId=x")).json;
    assert.equal(totalCount, 1);
    const [listed] = sessions;
    for (const field of ["id", "title", "createdAt", "updatedAt"]) assert.equal(typeof listed[field], "string", field);
    assert.deepEqual([listed.title, listed.hasActiveRun, listed.metadata], ["ask", false, {}]);
    assert.equal((await front.get(`/api/sessions/${listed.id}`)).json.messages.length, 2);
    assert.equal((await front.get("/api/sessions?limit=20&status=archived")).json.sessions.length, 0);
    // Named, and deleted by those who may.
    const patch = (body) => request("PATCH", `/api/sessions/${listed.id}`, { headers: { cookie, "content-type": "application/json" }, body });
    assert.equal((await patch({ title: "The letter" })).status, 200);
    assert.equal((await front.get(`/api/sessions/${front.id}`)).json.session.title, "The letter");
    assert.equal((await patch({ status: "archived" })).status, 422);
    for (const path of ["", "/messages"]) {
      assert.equal((await request("GET", `/api/sessions/${front.id}${path}`)).status, 401);
      assert.equal((await front.get(`/api/sessions/${crypto.randomUUID()}${path}`)).status, 404);
    }
    assert.equal((await front.get(`/api/agent-runs/${crypto.randomUUID()}/status`)).status, 404);
    assert.equal((await request("DELETE", `/api/sessions/${front.id}`)).status, 401);
    const begun = await front.post("/api/sessions", { title: "Next", metadata: { characterId: "x" } });
    assert.deepEqual([begun.json.isNew, begun.json.session.title], [true, "Next"]);
  },

  async plan_approved() {
    const front = new Front();
    const run = await front.say("plan");
    const { toolCallId, input } = await run.card("ExitPlanMode");
    assert.match(input.plan, /Do it/);
    await front.resolved(toolCallId, { action: "Approve & Continue" });
    const message = await finished(run);
    const { output } = part(message, "tool-ExitPlanMode");
    assert.deepEqual(output.answers, { action: "Approve & Continue" });
    assert.ok(isClosed(output));
  },

  async plan_decided_elsewhere() {
    for (const [decision, words] of [["approve", undefined], ["send_back", "shorter, please"]]) {
      const front = new Front();
      const run = await front.say("plan");
      await run.card("ExitPlanMode");
      const { id } = await openAsk();
      await elsewhere("POST", `/v1/asks/${id}/answer`, { decision, words });
      const { output } = part(await finished(run), "tool-ExitPlanMode");
      assert.ok(isClosed(output), JSON.stringify(output));
      assert.deepEqual([output.approved, output.message], [decision === "approve", words]);
    }
  },

  async plan_sent_back() {
    const front = new Front();
    const run = await front.say("plan");
    const { toolCallId } = await run.card("ExitPlanMode");
    await front.resolved(toolCallId, { action: "Reject / Edit", message: "shorter, please" });
    const message = await finished(run);
    const { action, message: words } = part(message, "tool-ExitPlanMode").output.answers;
    assert.deepEqual([action, words], ["Reject / Edit", "shorter, please"]);
  },

  async other_tools_run() {
    const front = new Front();
    const message = await finished(await front.say("bash"));
    const bash = part(message, "tool-Bash");
    assert.deepEqual([bash.state, bash.input.command], ["output-available", "echo hi"]);
  },

  async three_hundred_tools() {
    const front = new Front();
    await front.write("many");
    const response = await front.post_chat();
    // Nothing is read before all of them are done. Each look tells the whole session, so it is not looked often.
    await until("the end", async () => !(await front.run()).hasActiveRun, 1000);
    const message = await finished(new Run(response));
    const tools = message.parts.filter((it) => it.type === "tool-Bash");
    assert.equal(tools.length, 300);
    for (const tool of tools) assert.equal(tool.state, "output-available", JSON.stringify(tool));
  },

  async a_form_cannot_be_shown() {
    const front = new Front();
    const run = await front.say("form");
    await run.chunk("words about it", (it) => it.type === "text-delta" && /cannot be shown here/.test(it.delta));
    // Nobody else is there: it ends by its terms, and the agent goes on.
    await finished(run);
  },

  async strangers() {
    const bare = await request("POST", "/api/chat/tool-result", { body: {} });
    assert.deepEqual([bare.status, bare.json], [401, { error: "Unauthorized" }]);
    const wrong = await request("POST", "/api/chat", { headers: { cookie: "zlutty-session=ab_wrong" }, body: {} });
    assert.deepEqual([wrong.status, wrong.json], [401, { error: "Unauthorized" }]);
    const evil = { cookie, origin: "https://evil.example" };
    assert.equal((await request("POST", "/api/chat", { headers: evil, body: {} })).status, 403);
  },
});
