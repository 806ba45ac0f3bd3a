// A page of gobby's web chat, with its habits: it takes only frames whose request_id is that of its own last message (null
// after a reload), draws messages by id and calls by id, closes a card when its answer is sent, and loads a conversation
// before it follows it.

import { Line, SERVER, TOKEN, assert, elsewhere, openAsk, play, request, until } from "./kit.mjs";

let requests = 0;

class Page {
  /** Logs in as the page does, and makes a conversation. */
  static async open(mode = "normal") {
    const status = await request("GET", "/api/auth/status");
    assert.deepEqual(status.json, { auth_required: true, authenticated: false });
    const login = await request("POST", "/api/auth/login", {
      headers: { "content-type": "application/json" },
      body: { username: "ada", password: TOKEN, remember_me: false },
    });
    assert.deepEqual([login.status, login.json], [200, { ok: true }]);
    const page = new Page();
    const [cookie] = login.headers["set-cookie"][0].split(";");
    assert.ok(!cookie.includes(TOKEN), "a cookie is never the token");
    page.headers = { cookie, origin: `http://${SERVER}`, "content-type": "application/json" };
    assert.equal((await page.get("/api/auth/status")).authenticated, true);
    assert.ok(Array.isArray(await page.get("/api/projects")));
    assert.deepEqual(await page.get("/api/providers/models"), {});
    const [project] = await page.get("/api/files/projects");
    const made = await request("POST", "/api/sessions/web-chat", {
      headers: page.headers,
      body: { project_id: project.id, provider: null, model: null, reasoning_effort: null, chat_mode: mode, title: null },
    });
    assert.equal(made.json.status, "created", made.text);
    page.conversation = made.json.session.id;
    await page.load();
    return page;
  }

  async get(path) {
    const answer = await request("GET", path, { headers: this.headers });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.json;
  }

  /** As after F5: what was shown is what the server knows. */
  async load() {
    this.active = null;
    this.calls = new Map();
    this.texts = new Map();
    this.plan = null;
    this.sent = new Set();
    this.done = 0;
    this.session = (await this.get(`/api/sessions/${this.conversation}`)).session;
    assert.equal(this.session.session_type, "web_chat");
    const { messages } = await this.get(`/api/chat/${this.conversation}/messages?limit=100&after_seq=0`);
    for (const message of messages) {
      for (const block of message.content_blocks) {
        if (block.type === "text") this.texts.set(message.id, block.content);
        for (const call of block.tool_calls ?? []) this.calls.set(call.id, { ...call, message: message.id });
      }
    }
    this.connect();
    await this.line.type("connection_established");
    await this.line.type("subscribe_success");
  }

  connect() {
    this.line = new Line(`/ws?token=${TOKEN}`);
    this.line.opened.then(() => {
      this.line.say({ type: "subscribe", events: ["chat_stream", "tool_status"] });
      this.line.say({ type: "heartbeat", conversation_id: this.conversation });
    });
    const listen = this.line.socket.onmessage;
    this.line.socket.onmessage = (event) => {
      this.take(JSON.parse(event.data));
      listen(event);
    };
  }

  take(frame) {
    if (frame.type === "plan_pending_approval" && frame.conversation_id === this.conversation) this.plan = frame;
    if (frame.type === "mode_changed" && frame.reason === "plan_approved") this.plan = null;
    if (frame.type === "error") this.error = frame;
    const filtered = ["chat_stream", "chat_thinking", "chat_error", "tool_status"].includes(frame.type);
    if (!filtered || (frame.status !== "pending_approval" && frame.request_id !== this.active)) return;
    if (frame.type === "chat_stream") {
      this.texts.set(frame.message_id, (this.texts.get(frame.message_id) ?? "") + frame.content);
      if (frame.done) this.done += 1;
      if (frame.done) this.end = frame;
    }
    if (frame.type === "tool_status") {
      const known = this.calls.get(frame.tool_call_id) ?? { arguments: frame.arguments, tool_name: frame.tool_name };
      const { status, result, error, message_id } = frame;
      this.calls.set(frame.tool_call_id, { ...known, id: frame.tool_call_id, message: message_id, status, result, error });
    }
  }

  say(content) {
    this.active = `request-${++requests}`;
    this.line.say({
      type: "chat_message",
      content,
      message_id: `user-${requests}`,
      conversation_id: this.conversation,
      request_id: this.active,
    });
  }

  /** The card that can be clicked. */
  async card(status = "calling", name = "AskUserQuestion") {
    const isLive = (call) => call.tool_name === name && call.status === status && !this.sent.has(call.id);
    const find = () => [...this.calls.values()].find(isLive);
    return until(`a card that is ${status}`, find);
  }

  answer(call, answers) {
    // Whatever becomes of it, this card never opens again.
    this.sent.add(call.id);
    this.line.say({
      type: "ask_user_response",
      conversation_id: this.conversation,
      tool_call_id: call.id,
      answers,
    });
  }

  async ended(count = 1) {
    await until(`${count} turns to end`, () => this.done >= count);
  }

  /** As both generations of the page read it. */
  badge(call) {
    const { result } = this.calls.get(call.id);
    return result?.kind === "json" && Object.keys(result.content.answers).length > 0 ? "Answered" : "No response";
  }
}

await play({
  async chat_and_questions() {
    const page = await Page.open();
    page.say("three");
    const card = await page.card();
    assert.equal(card.id, "toolu_1");
    assert.match(card.message, /^assistant-[0-9a-f]{12}$/);
    assert.deepEqual(card.arguments.questions.map((question) => question.question), ["First?", "Second?", "Who?"]);
    page.answer(card, { "First?": "B", "Second?": "A, C", "Who?": "Bob" });
    await page.ended();
    assert.equal(page.badge(card), "Answered");
    assert.deepEqual(page.calls.get(card.id).result.content.answers, { "First?": "B", "Second?": "A, C", "Who?": "Bob" });
    assert.ok([...page.texts.values()].includes("done"));
  },

  async reload_with_an_open_question() {
    const page = await Page.open();
    page.say("ask");
    const before = await page.card();
    await page.line.leave();
    await page.load();
    const card = await page.card();
    assert.deepEqual([card.id, card.message], [before.id, before.message], "drawn in the same place");
    assert.equal([...page.calls.values()].length, 1);
    page.answer(card, { "Which?": "A" });
    await page.ended();
    assert.equal(page.badge(card), "Answered");
    await page.line.leave();
    await page.load();
    assert.equal(page.badge(card), "Answered", "also from the history");
  },

  async a_cut_line() {
    const page = await Page.open();
    page.say("ask");
    const card = await page.card();
    await page.line.leave();
    page.connect();
    await page.line.type("connection_established");
    page.answer(card, { "Which?": "B" });
    await page.ended();
    assert.equal(page.badge(card), "Answered");
  },

  async wrong_then_right() {
    const page = await Page.open();
    page.say("ask");
    const card = await page.card();
    page.answer(card, { "Who?": "Bob" });
    await until("a visible refusal", () => page.error);
    const again = await until("a card that opens again", () =>
      [...page.calls.values()].find((call) => call.status === "calling" && call.id !== card.id),
    );
    page.answer(again, { "Which?": "A" });
    await page.ended();
    assert.equal(page.badge(again), "Answered");
  },

  async answered_elsewhere() {
    const page = await Page.open();
    page.say("ask");
    const card = await page.card();
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { answers: { "Which?": "A" } });
    await page.ended();
    assert.equal(page.badge(card), "Answered");
  },

  async nobody_answers() {
    const page = await Page.open();
    page.say("soon");
    // On a slow machine it may be over before anybody has looked.
    const card = await until("the card", () => page.calls.get("toolu_1"));
    await page.ended();
    assert.equal(page.badge(card), "No response");
    page.answer(card, { "Soon?": "A" });
    await page.ended(2);
  },

  async a_new_message_cancels() {
    const page = await Page.open();
    page.say("ask");
    const card = await page.card();
    page.say("later");
    await until("the answer to it", () => [...page.texts.values()].includes("it waited"));
    assert.equal(page.badge(card), "No response");
    assert.deepEqual((await elsewhere("GET", "/v1/asks?state=open")).items, []);
  },

  async stop() {
    const page = await Page.open();
    page.say("ask");
    await page.card();
    page.line.say({ type: "stop_chat", conversation_id: page.conversation });
    await page.ended();
    assert.equal(page.end.interrupted, true);
  },

  async approve() {
    const page = await Page.open();
    page.say("bash");
    const card = await page.card("pending_approval", "Bash");
    assert.equal(card.arguments.command, "echo hi");
    page.line.say({
      type: "tool_approval_response",
      conversation_id: page.conversation,
      tool_call_id: card.id,
      decision: "approve",
    });
    await page.ended();
    assert.equal(page.calls.get(card.id).status, "completed");
  },

  async reject() {
    const page = await Page.open();
    page.say("bash");
    const card = await page.card("pending_approval", "Bash");
    page.line.say({
      type: "tool_approval_response",
      conversation_id: page.conversation,
      tool_call_id: card.id,
      decision: "reject",
    });
    await page.ended();
    assert.equal(page.calls.get(card.id).status, "error");
  },

  async bypass_never_asks() {
    const page = await Page.open("bypass");
    assert.equal(page.session.chat_mode, "bypass");
    page.say("bash");
    await page.ended();
    assert.equal(page.calls.get("toolu_1").status, "completed");
  },

  async a_plan_is_approved() {
    const page = await Page.open("plan");
    page.say("plan");
    await until("the plan", () => page.plan);
    assert.equal(page.plan.plan_content, "1. Do it");
    page.line.say({ type: "plan_approval_response", conversation_id: page.conversation, decision: "approve" });
    await page.ended();
    assert.equal(page.plan, null);
  },

  async a_plan_is_sent_back() {
    const page = await Page.open("plan");
    page.say("plan");
    await until("the plan", () => page.plan);
    page.line.say({
      type: "plan_approval_response",
      conversation_id: page.conversation,
      decision: "request_changes",
      feedback: "smaller steps",
    });
    await page.ended();
  },

  async a_form_is_questions() {
    const page = await Page.open("bypass");
    page.say("form");
    const card = await page.card();
    const [host, , tier] = card.arguments.questions.map((question) => question.question);
    page.answer(card, { [host]: "db.example", [tier]: "small" });
    await page.ended();
  },

  async two_conversations_stay_apart() {
    const first = await Page.open();
    const second = await Page.open();
    first.say("ask");
    await first.card();
    // The second page looks at another conversation, has spoken of nothing, and draws nothing.
    second.line.say({ type: "ping" });
    await second.line.type("pong");
    assert.equal(second.calls.size, 0);
  },

  async lists() {
    const page = await Page.open("plan");
    page.say("later");
    await page.ended();
    const [project] = await page.get("/api/projects");
    for (const field of ["id", "name", "display_name", "repo_path", "session_count", "open_task_count"]) {
      assert.ok(project[field] !== undefined, `a project has ${field}: ${JSON.stringify(project)}`);
    }
    assert.equal(project.session_count, 1);
    const all = await page.get("/api/sessions");
    const mine = await page.get(`/api/sessions?status_in=active&status_in=paused&project_id=${project.id}&limit=100`);
    assert.equal(all.count, 1, JSON.stringify(all));
    assert.equal(mine.count, 1, JSON.stringify({ mine, all, project }));
    const [session] = mine.sessions;
    const read = ["id", "external_id", "ref", "source", "session_type", "project_id", "status", "title", "chat_mode", "created_at"];
    for (const field of read.concat("updated_at")) assert.equal(typeof session[field], "string", `${field}: ${session[field]}`);
    assert.deepEqual([session.chat_mode, session.title, session.source], ["plan", "later", "claude"]);
    assert.ok(session.message_count >= 2, "the dialog leaves out what has no messages");
    assert.equal(mine.next_cursor, null);
    // Pages of 0.2 and 0.3 ask for everything, and take what is of this source.
    assert.equal(all.sessions[0].source, "claude_sdk_web_chat");
    for (const none of ["status_in=expired", "mode=auto", "sources=codex", "project_id=x", "created_before=2020-01-01T00:00:00.000Z"]) {
      assert.equal((await page.get(`/api/sessions?${none}`)).count, 0, none);
    }
    // A page that was refused before it logged in asks again when it is told to.
    const events = new Line(`/ws?token=${TOKEN}`);
    await events.type("connection_established");
    events.say({ type: "subscribe", events: ["project_event", "session_event"] });
    await events.type("project_event");
    page.say("later");
    const changed = await events.hear("the session to have changed", (frame) => frame.event === "session_updated");
    assert.equal(changed.session_id, session.id);
    // A list that is longer than the page wants goes on.
    const second = await request("POST", "/api/sessions/web-chat", { headers: page.headers, body: { project_id: project.id } });
    assert.equal(second.json.status, "created", second.text);
    const first = await page.get(`/api/sessions?project_id=${project.id}&limit=1`);
    assert.equal(first.count, 1);
    const { updated_at, id } = first.next_cursor;
    const rest = `cursor_updated_at=${encodeURIComponent(updated_at)}&cursor_id=${encodeURIComponent(id)}`;
    const next = await page.get(`/api/sessions?project_id=${project.id}&limit=1&${rest}`);
    assert.deepEqual([first.sessions[0].id, next.sessions[0].id], [second.json.session.id, session.id]);
  },

  async about_sessions() {
    const page = await Page.open();
    const path = `/api/sessions/${page.conversation}`;
    const json = (method, where, body, headers = page.headers) => request(method, where, { headers, body });
    page.say("ask");
    const card = await page.card();
    // Nothing for strangers; the token of this machine, which agents can read, removes no traces; and not while something is open.
    const strange = { "content-type": "application/json" };
    for (const [method, where] of [["POST", "/rename"], ["POST", "/expire"], ["POST", "/generate-summary"], ["DELETE", ""]]) {
      assert.equal((await json(method, `${path}${where}`, { title: "mine" }, strange)).status, 401, where);
    }
    const local = { ...strange, authorization: `Bearer ${process.env.LOCAL}` };
    assert.equal((await json("DELETE", path, undefined, local)).status, 403);
    const open = await json("DELETE", path);
    assert.equal(open.status, 409, open.text);
    assert.equal((await json("DELETE", path.replace(/.$/, "x"))).status, 404);
    page.answer(card, { "Which?": "B" });
    await page.ended();
    // Renamed, and every list hears it.
    assert.equal((await json("POST", `${path}/rename`, { title: " " })).status, 400);
    assert.equal((await json("POST", `${path}/rename`, { title: "x".repeat(201) })).status, 400);
    const renamed = await json("POST", `${path}/rename`, { title: "The database" });
    assert.deepEqual([renamed.status, renamed.json], [200, { status: "success", title: "The database" }]);
    assert.equal((await page.get(path)).session.title, "The database");
    // Summed up, from what was recorded.
    const { summary_markdown } = (await json("POST", `${path}/generate-summary`)).json;
    assert.match(summary_markdown, /^# The database\n/);
    assert.match(summary_markdown, /- Which\?: B\n/);
    assert.match(summary_markdown, /## Said last\n\ndone$/);
    // Files are refused in words that the page shows.
    const upload = await json("POST", "/api/chat/attachments", "--b--", { ...page.headers, "content-type": "multipart/form-data; boundary=b" });
    assert.equal(upload.status, 415);
    assert.match(upload.json.detail, /passes on text alone/);
    // Expired: the agent is let go. Then it can be deleted.
    const expired = await json("POST", `${path}/expire`);
    assert.deepEqual([expired.status, expired.json.status], [200, "expired"]);
    assert.equal((await page.get(path)).session.status, "expired");
    const deleted = await until("it to be deleted", async () => {
      const answer = await json("DELETE", path);
      return answer.status === 409 ? null : answer;
    });
    assert.deepEqual([deleted.status, deleted.json.status], [200, "deleted"]);
    assert.equal((await json("GET", path)).status, 404);
  },

  async settings_at_once() {
    const login = await request("POST", "/api/auth/login", { body: { username: "ada", password: TOKEN } });
    const headers = { cookie: login.headers["set-cookie"][0].split(";")[0], origin: `http://${SERVER}` };
    const changes = Array.from({ length: 20 }, (_, place) => ({ [`setting${place}`]: place, shared: "same" }));
    const puts = changes.map((body) => request("PUT", "/api/config/ui-settings", { headers, body }));
    assert.deepEqual((await Promise.all(puts)).map(({ status }) => status), changes.map(() => 200));
    const kept = (await request("GET", "/api/config/ui-settings", { headers })).json;
    assert.deepEqual(kept, Object.assign({}, ...changes));
  },

  async strangers() {
    assert.equal((await request("GET", "/ws", { upgrade: true })).status, 401);
    const wrong = await request("POST", "/api/auth/login", { body: { username: "ada", password: "x" } });
    assert.deepEqual([wrong.status, wrong.json.ok], [401, false]);
    for (const listed of ["/api/files/projects", "/api/projects", "/api/sessions"]) {
      assert.equal((await request("GET", listed)).status, 401, listed);
    }
    // What says nothing of anybody's is told to pages that are not logged in yet: they do not ask again.
    assert.deepEqual((await request("GET", "/api/config/ui-settings")).json, {});
    const login = await request("POST", "/api/auth/login", { body: { username: "ada", password: TOKEN } });
    const headers = { cookie: login.headers["set-cookie"][0].split(";")[0] };
    const origin = `http://${SERVER}`;
    assert.equal((await request("GET", "/ws", { upgrade: true, headers: { ...headers, origin } })).status, 101);
    assert.equal((await request("GET", "/ws", { upgrade: true, headers })).status, 401, "a program that says nothing of a page");
    const old = { cookie: `gobby_session=${TOKEN}`, origin };
    assert.equal((await request("GET", "/ws", { upgrade: true, headers: old })).status, 401, "a token is no cookie");
    const site = await request("GET", "/ws", { upgrade: true, headers: { ...headers, origin: "http://localhost:3000" } });
    assert.equal(site.status, 403, "a cookie goes to every port of a machine; another page may not use it");
  },
});
