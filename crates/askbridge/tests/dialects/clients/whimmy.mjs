// OpenClaw's plugin for Whimmy, with its habits: waiters live in one map for all its sockets, the first answer to an id
// counts and later ones are only warned about, unknown frames are ignored, pings are answered and never sent, questions go
// to the sockets of all accounts, keys come back in lower case, it hears nothing before its own first word, and it never says
// that it gave up.

import { OpenClaw } from "./openclaw.mjs";
import { Line, SERVER, TOKEN, assert, elsewhere, openAsk, play, request, until } from "./kit.mjs";

const { ACCOUNT, SECOND_ACCOUNT, CODE } = process.env;
const SOCKET = "/api/v1/providers/ws";

class Plugin {
  sockets = [];
  waiters = new Map();
  warnings = 0;
  hooks = [];
  openclaw = new OpenClaw();
  /** The line to the server is cut in this direction: what the plugin says is lost. */
  isUnheard = false;

  /** Without `models`, the command that lists them takes as long as it likes. */
  async connect(token = ACCOUNT, { models = [{ key: "anthropic/claude", available: true }] } = {}) {
    const line = new Line(`${SOCKET}?token=${encodeURIComponent(token)}`);
    const look = line.look.bind(line);
    line.look = () => {
      for (; (line.read ?? 0) < line.frames.length; ) {
        const at = line.read ?? 0;
        line.read = at + 1;
        // It attaches what hears us only after the connection is open: what came before is lost to it.
        if (line.listens) this.heard(line, line.frames[at]);
      }
      look();
    };
    await line.opened;
    line.look();
    line.listens = true;
    line.say({ type: "health" });
    this.sockets.push(line);
    if (models) this.event("models.sync", { models }, [line]);
    return line;
  }

  heard(line, { type, payload }) {
    if (type === "ping") return this.isUnheard || line.say({ type: "pong" });
    if (type === "hook.agent") {
      this.openclaw.take(payload);
      return this.hooks.push(payload);
    }
    const id = { "hook.ask_user_answer": payload?.questionId, "hook.approval": payload?.executionId }[type];
    if (id === undefined) return;
    const waiter = this.waiters.get(id);
    if (!waiter) return this.warnings++;
    this.waiters.delete(id);
    waiter(payload);
  }

  event(event, payload, sockets = this.sockets) {
    for (const line of sockets) {
      if (!line.closed) line.say({ type: "event", payload: { event, payload } });
    }
  }

  /** Asks on every socket, and waits as the plugin does: for its own time, then it blocks the call. */
  ask(questions, { id = crypto.randomUUID(), key = "User-42", timeoutMs = 120_000 } = {}) {
    const asked = new Promise((answered, gaveUp) => {
      const timer = setTimeout(() => {
        this.waiters.delete(id);
        gaveUp(new Error(`AskUserQuestion timed out after ${timeoutMs}ms (questionId=${id})`));
      }, timeoutMs);
      this.waiters.set(id, (payload) => {
        clearTimeout(timer);
        answered(payload.answers);
      });
    });
    this.event("ask_user_question", { sessionKey: key.toLowerCase(), agentId: "main", questionId: id, questions });
    return asked;
  }

  approve(toolName, params) {
    const executionId = crypto.randomUUID();
    const asked = new Promise((answered) => this.waiters.set(executionId, answered));
    const action = `${toolName}(${JSON.stringify(params).slice(0, 200)})`;
    this.event("exec.approval.requested", { sessionKey: "k", agentId: "main", executionId, toolName, action, params });
    return asked;
  }

  async hook() {
    return until("hook.agent", () => this.hooks.shift());
  }
}

async function plugin(token) {
  const it = new Plugin();
  await it.connect(token);
  return it;
}

const option = (label) => ({ label, description: `${label}!` });
const which = [{ question: "Which?", header: "Pick", options: [option("A"), option("B")], multiSelect: false }];
const answer = (ask, answers) => elsewhere("POST", `/v1/asks/${ask.id}/answer`, { answers });

/** The one session in which people talk to its agents. */
async function chatSession() {
  return until("a chat", async () => {
    const { items } = await elsewhere("GET", "/v1/sessions");
    return items.find((session) => session.agent === "askbridge" && session.state !== "closed");
  });
}

async function content(session, fits) {
  return until("content", async () => {
    const { items } = await elsewhere("GET", `/v1/sessions/${session}/events`);
    return items.flatMap(({ events }) => events).find(fits);
  });
}

await play({
  async pairing() {
    const redeem = (code) => request("POST", "/api/v1/providers/pair/redeem", { body: { code } });
    assert.equal((await redeem(CODE === "000000" ? "000001" : "000000")).status, 404);
    const paired = await redeem(CODE);
    assert.equal(paired.status, 200, paired.text);
    assert.deepEqual(Object.keys(paired.json), ["connectionToken"]);
    assert.equal((await redeem(CODE)).status, 404, "it works once");
    const it = await plugin(paired.json.connectionToken);
    const answered = it.ask(which);
    const ask = await openAsk();
    await answer(ask, { "Which?": "A" });
    assert.deepEqual(await answered, { "Which?": "A" });
    // Whoever guesses is slowed down.
    let tries = 0;
    while ((await redeem("999999")).status !== 429) assert.ok(++tries < 100, "nobody slows this down");
  },

  async questions() {
    const it = await plugin();
    const several = [
      { ...which[0], question: " First? " },
      { question: "Second?", header: "Many", options: ["A", "B", "C"].map(option), multiSelect: true },
      { question: "Third?", header: "Free", options: ["A", "B"].map(option), multiSelect: false },
      { question: "Fourth?", header: "None", options: ["A", "B"].map(option), multiSelect: false },
    ];
    const answered = it.ask(several);
    const ask = await openAsk();
    await answer(ask, { "First?": "B", "Second?": ["A", "C"], "Third?": "DynamoDB — we already use AWS" });
    assert.deepEqual(await answered, {
      " First? ": "B",
      "Second?": "A, C",
      "Third?": "DynamoDB — we already use AWS",
      "Fourth?": "(skipped: the person did not answer this one; do not assume an answer)",
    });
    // The session was there for this one.
    await until("its end", async () => (await elsewhere("GET", `/v1/sessions/${ask.session}`)).state === "closed");
    assert.equal(it.warnings, 0);
  },

  async dismissed() {
    const it = await plugin();
    const answered = it.ask([which[0], { ...which[0], question: "And?" }]);
    const ask = await openAsk();
    await elsewhere("POST", `/v1/asks/${ask.id}/dismiss`, { words: "not now" });
    const answers = await answered;
    assert.deepEqual(Object.keys(answers).sort(), ["And?", "Which?"]);
    for (const words of Object.values(answers)) assert.match(words, /closed the question.*not now/s);
  },

  async dismissed_with_nothing() {
    const it = await plugin();
    const answered = it.ask([which[0], { ...which[0], question: "And?" }]);
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/dismiss`, {});
    assert.deepEqual(await answered, {}, "as its guide has it, because the operator said so");
    const approved = it.approve("exec", { command: "ls" });
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/dismiss`, {});
    assert.equal((await approved).approved, false, "an approval is never answered with nothing");
  },

  async memory() {
    const it = await plugin();
    await it.connect(SECOND_ACCOUNT);
    const [one, two] = it.sockets;
    const files = { "MEMORY.md": { content: "Ada likes tea", hash: "h1" } };
    it.event("agent.memory_sync", { agentId: "main", files }, [one]);
    it.event("agent.memory_sync", { agentId: "coder", files: {} }, [two]);
    const read = async (token, query = "") => {
      const headers = { authorization: `Bearer ${token}` };
      return (await request("GET", `/api/v1/providers/memory${query}`, { headers })).json.memories;
    };
    const all = await until("both", async () => {
      const memories = await read(TOKEN);
      return memories.length === 2 && memories;
    });
    const first = all.find((memory) => memory.account === "one");
    assert.deepEqual([first.agentId, first.files], ["main", files]);
    assert.deepEqual((await read(TOKEN, "?agentId=coder")).map((memory) => memory.account), ["two"]);
    assert.deepEqual((await read(ACCOUNT)).map((memory) => memory.account), ["one"], "a plugin reads its own");
    // The newest counts.
    it.event("agent.memory_sync", { agentId: "main", files: {} }, [one]);
    await until("the newest", async () => Object.keys((await read(ACCOUNT))[0].files).length === 0);
    assert.equal((await request("GET", "/api/v1/providers/memory")).status, 401);
  },

  async reaction() {
    const it = await plugin();
    const session = await chatSession();
    await elsewhere("POST", `/v1/sessions/${session.id}/messages`, { text: "👍" });
    const hook = await it.hook();
    assert.equal(hook.message, "👍", "the agent hears it: the plugin only logs reactions");
    const about = { sessionKey: hook.sessionKey, agentId: "askbridge" };
    const frames = it.sockets[0].frames.filter(({ type }) => type.startsWith("hook."));
    assert.deepEqual(frames.map(({ type }) => type), ["hook.read", "hook.react", "hook.agent"]);
    assert.deepEqual(frames[0].payload, about);
    assert.deepEqual(frames[1].payload, { ...about, emoji: "👍" });
  },

  async nobody_answers() {
    const it = await plugin();
    // A rule of the house waits two seconds; the plugin would wait for longer.
    const answers = await it.ask([{ ...which[0], question: "Soon?" }], { timeoutMs: 100_000 });
    assert.match(answers["Soon?"], /^Nobody answered within \d seconds?\./);
    const { items } = await elsewhere("GET", "/v1/asks?state=expired");
    await answer(items[0], { "Soon?": "A" });
    const hook = await it.hook();
    assert.match(hook.message, /A late answer to your earlier question “Soon\?”.*A/s);
    assert.deepEqual([hook.sessionKey, hook.agentId], ["user-42", "main"]);
  },

  async ruled() {
    const it = await plugin();
    const answers = await it.ask([{ ...which[0], question: "Ruled?" }]);
    assert.match(answers["Ruled?"], /“decide”.*no person was asked/s);
    const { items } = await elsewhere("GET", "/v1/asks?state=ruled");
    await answer(items[0], { "Ruled?": "B" });
    const hook = await it.hook();
    assert.match(hook.message, /A late answer to your earlier question “Ruled\?”.*ada now says: B/s);
    assert.deepEqual([hook.sessionKey, hook.agentId], ["user-42", "main"]);
  },

  async approvals() {
    const it = await plugin();
    const decide = async (body) => {
      const asked = it.approve("exec", { command: "rm -rf build" });
      const ask = await openAsk();
      assert.deepEqual([ask.kind, ask.approval.tool], ["approval", "exec"]);
      await elsewhere("POST", `/v1/asks/${ask.id}/answer`, body);
      return asked;
    };
    const allowed = await decide({ decision: "allow" });
    assert.equal(allowed.approved, true);
    const denied = await decide({ decision: "deny", words: "not today" });
    assert.deepEqual([denied.approved, denied.reason], [false, "Denied: not today"]);
    const edited = await decide({ decision: "allow", input: { command: "ls" } });
    assert.equal(edited.approved, false, "a changed input cannot be passed on");
    assert.match(edited.reason, /"command":"ls"/);
  },

  async reconnect() {
    const it = await plugin();
    const answered = it.ask(which);
    const ask = await openAsk();
    await it.sockets[0].leave();
    await answer(ask, { "Which?": "B" });
    await it.connect();
    assert.deepEqual(await answered, { "Which?": "B" });
    await until("proof", async () => (await elsewhere("GET", `/v1/asks/${ask.id}`)).delivered_at);
    // What was delivered is not told again.
    await it.sockets[1].leave();
    const again = await it.connect();
    const next = it.ask(which);
    await answer(await openAsk(), { "Which?": "A" });
    await next;
    assert.equal(again.frames.filter((frame) => frame.type === "hook.ask_user_answer").length, 1);
    assert.equal(it.warnings, 0);
  },

  async answered_in_the_moment() {
    const it = await plugin();
    for (let round = 0; round < 30; round++) {
      const answered = it.ask([{ ...which[0], question: `Which of ${round}?` }]);
      const ask = await openAsk();
      await it.sockets.at(-1).leave();
      // Whichever is first: it hears the answer on this connection, without another reconnect.
      await Promise.all([it.connect(), answer(ask, { [`Which of ${round}?`]: "B" })]);
      assert.deepEqual(await answered, { [`Which of ${round}?`]: "B" });
    }
  },

  async ask_and_leave() {
    const it = await plugin();
    it.ask(which, { id: "0b5f3a52-left-behind" });
    await openAsk();
  },

  async come_back_for_the_answer() {
    const it = new Plugin();
    const answered = new Promise((done) => it.waiters.set("0b5f3a52-left-behind", done));
    await it.connect();
    assert.deepEqual((await answered).answers, { "Which?": "B" });
  },

  async two_accounts() {
    const it = await plugin();
    await it.connect(SECOND_ACCOUNT);
    const first = it.ask(which);
    const second = it.ask([{ ...which[0], question: "Another?" }]);
    const open = await until("both", async () => {
      const { items } = await elsewhere("GET", "/v1/asks?state=open");
      return items.length >= 2 && items;
    });
    assert.equal(open.length, 2);
    for (const ask of open) await answer(ask, { [ask.questions[0].question]: "A" });
    assert.deepEqual([await first, await second], [{ "Which?": "A" }, { "Another?": "A" }]);
    const { items } = await elsewhere("GET", "/v1/asks?state=answered");
    assert.equal(items.length, 2, "each was asked twice and is one ask");
  },

  async replaced() {
    const it = await plugin();
    const answered = it.ask(which);
    const ask = await openAsk();
    // A test whether the address is right replaces nobody.
    const test = new Line(`${SOCKET}?token=${ACCOUNT}`);
    await test.opened;
    test.socket.close(1000, "setup test");
    await test.gone;
    assert.equal(it.sockets[0].closed, null);
    await it.connect();
    const closed = await it.sockets[0].gone;
    assert.deepEqual(closed, { code: 1000, reason: "replaced" });
    await answer(ask, { "Which?": "A" });
    assert.deepEqual(await answered, { "Which?": "A" });
  },

  async chat() {
    const it = await plugin();
    const session = await chatSession();
    const say = (text) => elsewhere("POST", `/v1/sessions/${session.id}/messages`, { text });
    await say("Good morning");
    const hook = await it.hook();
    assert.equal(hook.message, "Good morning");
    assert.match(hook.sessionKey, /^[0-9a-f]{32}$/);
    assert.equal(hook.agentConfig.model, "anthropic/claude");
    assert.deepEqual(hook.agentConfig.askUserQuestion, { enabled: true, timeoutMs: 120_000 });
    assert.equal(hook.agentConfig.approvals.enabled, false);
    // Everything that it gets would run at once, so the next message waits for the end of the turn.
    await say("And another");
    const about = { sessionKey: hook.sessionKey, agentId: "askbridge" };
    it.event("chat.presence", { ...about, status: "typing" });
    const full = { ...about, sessionKey: `agent:askbridge:direct:${hook.sessionKey}` };
    it.event("tool.start", { ...full, executionId: "e1", toolName: "exec", status: "running" });
    it.event("tool.done", { ...full, executionId: "", toolName: "exec", status: "completed" });
    // It asks in the middle of its turn, in the same conversation.
    const answered = it.ask(which, { key: hook.sessionKey });
    const ask = await openAsk();
    assert.equal(ask.session, session.id);
    await answer(ask, { "Which?": "A" });
    assert.deepEqual(await answered, { "Which?": "A" });
    for (const piece of ["Good ", "mor", "ning"]) it.event("chat.chunk", { ...about, content: piece, done: false });
    assert.deepEqual(it.hooks, [], "it was not to be disturbed");
    it.event("chat.done", { ...about, content: "", done: true, tokenCount: 7 });
    await content(session.id, (event) => event.type === "text" && event.text === "Good morning");
    await content(session.id, (event) => event.type === "turn_ended");
    const { items } = await elsewhere("GET", `/v1/sessions/${session.id}/events`);
    const kinds = items.flatMap(({ events }) => events).map(({ type }) => type).filter((type) => /^(tool_|text|turn_)/.test(type));
    assert.deepEqual(kinds, ["tool_called", "tool_returned", "text", "turn_ended"]);
    assert.equal((await it.hook()).message, "And another");
  },

  async sent_again() {
    const it = await plugin();
    const session = await chatSession();
    const say = (text) => elsewhere("POST", `/v1/sessions/${session.id}/messages`, { text });
    it.isUnheard = true;
    await say("Deploy it");
    const first = await it.hook();
    assert.equal(first.message, "Deploy it");
    await it.sockets[0].leave();
    it.isUnheard = false;
    await it.connect();
    // It has no id, and the plugin runs it again: only the agent can tell.
    const again = await it.hook();
    assert.match(again.message, /may be its second copy.*do not act on it again.*\n\nDeploy it$/s);
    assert.deepEqual([again.sessionKey, again.agentId], [first.sessionKey, first.agentId]);
    it.event("chat.done", { sessionKey: again.sessionKey, agentId: again.agentId, content: "", done: true });
    await say("And look");
    assert.equal((await it.hook()).message, "And look");
  },

  async approvals_on() {
    const it = await plugin();
    const session = await chatSession();
    await elsewhere("POST", `/v1/sessions/${session.id}/messages`, { text: "Clean up" });
    const hook = await it.hook();
    assert.equal(hook.agentConfig.approvals.enabled, true, "the operator said so");
    assert.ok(it.openclaw.asksBefore(hook.agentId, "exec"));
    assert.equal(it.openclaw.agent(hook.agentId).tools.exec.ask, "off", "people are asked here and nowhere else");
    const asked = it.approve("exec", { command: "rm -rf build" });
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { decision: "allow" });
    assert.equal((await asked).approved, true);
  },

  async own_agent() {
    const it = new Plugin();
    const before = structuredClone(it.openclaw.agent("main"));
    // The first time its models are not known, so what a person says waits for them.
    const line = await it.connect(ACCOUNT, { models: null });
    const session = await chatSession();
    const say = (text) => elsewhere("POST", `/v1/sessions/${session.id}/messages`, { text });
    await say("Hello");
    assert.deepEqual(it.hooks, []);
    it.event("models.sync", { models: ["anthropic/claude", "openai/gpt"] });
    const hook = await it.hook();
    assert.deepEqual([hook.agentId, hook.agentConfig.model], ["askbridge", "anthropic/claude"]);
    it.event("chat.done", { sessionKey: hook.sessionKey, agentId: hook.agentId, content: "", done: true });
    await content(session.id, (event) => event.type === "turn_ended");
    // After a reconnect they are remembered.
    await line.leave();
    await it.connect(ACCOUNT, { models: null });
    await say("Again");
    const again = await it.hook();
    assert.deepEqual([again.message, again.agentConfig.model], ["Again", "anthropic/claude"]);
    assert.equal(it.openclaw.agent("askbridge").model, "anthropic/claude");
    assert.deepEqual(it.openclaw.agent("main"), before, "OpenClaw's own agent is as its person left it");
  },

  async upload() {
    const bytes = new Uint8Array([0, 13, 10, 255, 45, 45]);
    const form = new FormData();
    form.append("file", new Blob([bytes], { type: "image/png" }), "a.png");
    const authorization = `Bearer ${ACCOUNT}`;
    const sent = await fetch(`http://${SERVER}/api/v1/providers/files/upload`, {
      method: "POST",
      headers: { authorization },
      body: form,
    });
    assert.equal(sent.status, 200);
    const file = await sent.json();
    assert.deepEqual(Object.keys(file).sort(), ["id", "mimeType", "originalName", "url"]);
    assert.deepEqual([file.originalName, file.mimeType], ["a.png", "image/png"]);
    const back = await fetch(file.url, { headers: { authorization } });
    assert.deepEqual(new Uint8Array(await back.arrayBuffer()), bytes);
    assert.match(back.headers.get("content-disposition"), /^attachment/);
    assert.equal((await fetch(file.url)).status, 401);
  },

  async unshowable() {
    const it = await plugin();
    const answers = await it.ask([]);
    assert.match(answers.question, /^This could not be shown to a person/);
  },

  async strangers() {
    for (const path of [SOCKET, `${SOCKET}?token=ab_wrong`]) {
      assert.equal((await request("GET", path, { upgrade: true })).status, 401, path);
    }
    const person = new Line(`${SOCKET}?token=${TOKEN}`);
    assert.equal((await person.gone).code, 1008);
    const origin = { origin: "https://evil.example" };
    assert.equal((await request("GET", `${SOCKET}?token=${ACCOUNT}`, { upgrade: true, headers: origin })).status, 403);
  },
});
