// The browser front of Claude-Code-Cloud, with its habits: it never answers a ping, unmounts its card when the answer is
// sent, answers with indices, drops the session at any error that says "Session" or "not found", and comes back five times,
// each time later.

import * as page from "./ccc_page.mjs";
import { Line, SERVER, TOKEN, Wire, assert, elsewhere, openAsk, play, request, until, uuidOf } from "./kit.mjs";

class Front {
  /** Logs in with a form, takes the first project, makes a session, opens its socket. */
  static async open(more = {}) {
    const login = await request("POST", "/api/auth/login", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `username=ada&password=${encodeURIComponent(TOKEN)}`,
    });
    assert.deepEqual([login.status, login.json.token_type], [200, "bearer"]);
    const front = new Front();
    front.headers = { authorization: `Bearer ${login.json.access_token}`, "content-type": "application/json" };
    front.cookie = login.headers["set-cookie"][0];
    assert.equal(page.account(await front.get("/api/auth/me")), "ada");
    const { projects } = await front.get("/api/projects");
    front.project = projects.map(page.project)[0].id;
    const made = await front.send("POST", `/api/projects/${front.project}/sessions`, { name: "Morning", ...more });
    assert.equal(made.status, 201, made.text);
    front.session = page.session(made.json).id;
    const { sessions } = await front.get(`/api/projects/${front.project}/sessions`);
    assert.equal(sessions.map(page.session)[0].id, front.session);
    await front.connect();
    return front;
  }

  send(method, path, body) {
    return request(method, path, { headers: this.headers, body });
  }

  async get(path) {
    const answer = await request("GET", path, { headers: this.headers });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.json;
  }

  async connect() {
    this.line = await Front.dial(this.session);
  }

  /** Five tries, each after twice the time of the one before; the original begins with a second. Pings get no answer. */
  static async dial(session, server) {
    for (let attempt = 1; ; attempt++) {
      const line = new Line(`/t/${TOKEN}/ws/chat/${session}`, server);
      try {
        const connected = await line.type("connected");
        assert.equal(connected.session_id, session);
        return line;
      } catch (error) {
        if (attempt === 5) throw error;
        await new Promise((go) => setTimeout(go, Math.min(30_000, 10 * 2 ** attempt)));
      }
    }
  }

  async chat(content) {
    const check = await this.get(`/api/projects/${this.project}/cost-limit-check`);
    assert.equal(check.can_use, true);
    this.line.say({ type: "chat", content });
    this.line.frames.push({ type: "sent here" });
  }

  async question(line = this.line) {
    const asked = await line.type("user_question");
    assert.equal(typeof asked.timestamp, "number");
    const before = line.frames.slice(0, line.frames.indexOf(asked));
    assert.ok(page.drawn(before).isDrawn, "the card needs something to be drawn in");
    page.card(asked);
    this.card = asked;
    return asked;
  }

  answer(answers, line = this.line) {
    line.say({ type: "question_answer", tool_use_id: this.card.tool_use_id, answers });
    this.card = null;
  }

  async result(line = this.line) {
    const result = await line.type("result");
    for (const field of ["input_tokens", "output_tokens", "total_cost_usd", "duration_ms"]) {
      assert.equal(typeof result.usage[field], "number", field);
    }
    for (const { type, error } of line.frames) {
      if (type === "error") assert.doesNotMatch(error, /not found|Session/, "this would end the session");
    }
    return result;
  }

  types(line = this.line) {
    return line.frames.map((frame) => frame.type);
  }
}

await play({
  async chat_and_questions() {
    const front = await Front.open();
    await front.chat("three");
    const asked = await front.question();
    assert.equal(asked.tool_use_id, "toolu_1");
    assert.deepEqual(asked.questions.map((question) => question.multiSelect), [false, true, false]);
    front.answer({ 0: "1", 1: "0,2", 2: "other:Bob" });
    const done = await front.line.type("tool_result");
    assert.deepEqual([done.tool_use_id, done.success], ["toolu_1", true]);
    assert.equal((await front.result()).interrupted, false);
    assert.ok(!front.types().includes("tool_use_start"), "the call of a question is not shown");

    const { messages, total } = await front.get(`/api/sessions/${front.session}/messages`);
    assert.equal(total, messages.map(page.message).length);
    assert.deepEqual(messages.map((message) => message.role), ["user", "assistant"]);
    assert.deepEqual(JSON.parse(messages[0].content), [{ type: "text", text: "three" }]);
    assert.equal((await front.get(`/api/sessions/${front.session}`)).is_processing, false);
  },

  async wrong_then_right() {
    const front = await Front.open();
    await front.chat("ask");
    const { tool_use_id } = await front.question();
    for (const wrong of [{ 0: "seven" }, { 0: "9" }, { 5: "0" }]) {
      front.answer(wrong);
      assert.equal((await front.line.type("error")).code, "processing_error");
      await front.question();
    }
    front.card = { tool_use_id: "toolu_nobody" };
    front.answer({ 0: "0" });
    assert.equal((await front.line.type("error")).error, "Tool use ID mismatch");
    await front.question();
    assert.equal(front.card.tool_use_id, tool_use_id);
    front.answer({ 0: "0" });
    await front.result();
    front.card = { tool_use_id };
    front.answer({ 0: "1" });
    assert.equal((await front.line.type("error")).error, "No pending question to answer");
  },

  async two_share() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    const second = await Front.dial(front.session);
    await front.question(second);
    // The first goes; the question and the second stay.
    await front.line.leave();
    front.answer({ 0: "1" }, second);
    await front.result(second);
  },

  async reconnect() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    await front.line.leave();
    assert.equal((await front.get(`/api/sessions/${front.session}`)).is_processing, true);
    await front.connect();
    front.line.say({ type: "resume" });
    await front.question();
    assert.equal((await front.line.type("resume_started")).sdk_session_id, front.session);
    front.line.say({ type: "get_state" });
    const state = await front.line.type("state");
    assert.deepEqual([state.session_id, state.is_processing, state.connection_state], [front.session, true, "connected"]);
    front.answer({ 0: "0" });
    await front.result();
    front.line.say({ type: "resume" });
    await front.line.type("resume_not_needed");
  },

  async five_tries() {
    const front = await Front.open();
    const wire = await Wire.lay();
    front.line = await Front.dial(front.session, wire.address);
    await front.chat("ask");
    const { tool_use_id } = await front.question();
    wire.cut(4);
    await front.line.gone;
    front.line = await Front.dial(front.session, wire.address);
    assert.equal(wire.refused, 4, "the fifth try is the last one that it makes");
    assert.equal((await front.question()).tool_use_id, tool_use_id);
    front.answer({ 0: "1" });
    await front.result();
  },

  async an_error_leaves_the_card() {
    const front = await Front.open();
    await front.chat("bare");
    await front.question();
    // Another tab, which does not know that the agent works.
    const other = await Front.dial(front.session);
    await front.question(other);
    other.say({ type: "chat", content: "me too" });
    await other.type("error");
    await other.type("thinking");
    assert.ok(page.drawn(other.frames).isDrawn, "its card is there");
    front.answer({ 0: "0" }, other);
    await front.result(other);
  },

  async ended_while_away() {
    const front = await Front.open();
    await front.chat("bare");
    await front.question();
    const before = front.line.frames;
    await front.line.leave();
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { answers: { "Bare?": "A" } });
    await until("the turn to be over", async () => !(await front.get(`/api/sessions/${front.session}`)).is_processing);
    await front.connect();
    await front.line.type("resume_not_needed");
    // The same page has seen both: what came before, and what comes now.
    assert.ok(page.drawn(before).isBusy);
    assert.ok(!page.drawn([...before, ...front.line.frames]).isBusy, "it takes a message again");
  },

  async paragraphs() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    front.answer({ 0: "0" });
    await front.result();
    assert.equal(page.drawn(front.line.frames).texts.join(""), "I have to ask.\n\ndone");
  },

  async asks_outside_of_a_turn() {
    const [one, two] = [await Front.open(), await Front.open()];
    const { items } = await elsewhere("GET", "/v1/sessions");
    const own = (front) => items.find(({ id }) => uuidOf(id) === front.session).id;
    const ask = (front, question) => elsewhere("POST", "/v1/asks", { session: own(front), questions: [{ question, options: ["A", "B"] }] });
    const [first, second] = [await ask(one, "First?"), await ask(two, "Second?")];
    const stale = (await one.question()).tool_use_id;
    await two.question();
    assert.notEqual(two.card.tool_use_id, stale);
    // A card that the page could not close is also drawn in the next session; clicked there, it answers nothing.
    two.line.say({ type: "question_answer", tool_use_id: stale, answers: { 0: "1" } });
    assert.equal((await two.line.type("error")).error, "Tool use ID mismatch");
    await two.question();
    assert.equal((await elsewhere("GET", `/v1/asks/${second.id}`)).state, "open");
    two.answer({ 0: "0" });
    await two.result();
    assert.ok(!page.drawn(two.line.frames).isBusy, "it takes a message again");
    await two.chat("later");
    await two.line.hear("the answer", (frame) => frame.type === "text" && frame.content === "it waited");
    // Answered elsewhere: the words are drawn, and then the page takes a message again.
    await elsewhere("POST", `/v1/asks/${first.id}/answer`, { answers: { "First?": "A" } });
    await one.result();
    assert.deepEqual(page.drawn(one.line.frames).texts, ["Answered elsewhere by ada"]);
    assert.equal((await one.get(`/api/sessions/${one.session}`)).is_processing, false);
  },

  async answered_elsewhere() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { answers: { "Which?": "A" } });
    const marked = await front.line.type("tool_result");
    assert.equal(marked.tool_use_id, "toolu_1");
    await front.result();
  },

  async nobody_answers() {
    const front = await Front.open();
    await front.chat("soon");
    const asked = await front.question();
    const marked = await front.line.type("tool_result");
    assert.deepEqual([marked.tool_use_id, marked.success], [asked.tool_use_id, false]);
    await front.result();
    front.card = asked;
    front.answer({ 0: "0" });
    await front.result();
  },

  async busy() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    await front.chat("more");
    const refused = await front.line.type("error");
    assert.deepEqual([refused.error, refused.code], ["Already processing a message. Please wait.", "processing_error"]);
    front.answer({ 0: "0" });
    await front.result();
    await until("the turn to be over", async () => !(await front.get(`/api/sessions/${front.session}`)).is_processing);
    await front.chat("later");
    await front.line.hear("the answer", (frame) => frame.type === "text" && frame.content === "it waited");
  },

  async interrupt() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    front.line.say({ type: "interrupt" });
    await until("both", () => ["interrupted", "result"].every((type) => front.types().includes(type)));
    const said = front.line.frames.find((frame) => frame.type === "interrupted");
    assert.equal(said.message, "Processing interrupted");
    assert.equal(front.line.frames.find((frame) => frame.type === "result").interrupted, true);
  },

  async dismissed() {
    const front = await Front.open();
    await front.chat("ask");
    await front.question();
    front.answer({});
    await front.result();
  },

  async other_tools_run() {
    const front = await Front.open();
    await front.chat("bash");
    const called = await front.line.type("tool_use_start");
    assert.deepEqual([called.tool, called.tool_use_id], ["Bash", "toolu_1"]);
    await front.result();
    assert.ok(!front.types().includes("user_question"));
  },

  async a_plan_is_a_question() {
    const front = await Front.open();
    await front.chat("plan");
    const asked = await front.question();
    assert.deepEqual(asked.questions[0].options.map((option) => option.label), ["Approve", "Send back"]);
    front.answer({ 0: "0" });
    await front.result();
  },

  async a_form_is_questions() {
    const front = await Front.open();
    await front.chat("form");
    const asked = await front.question();
    assert.equal(asked.questions.length, 4);
    front.answer({ 0: "other:db.example", 2: "0" });
    await front.result();
  },

  async every_page() {
    const front = await Front.open({ model: "default" });
    await front.chat("bash");
    await front.result();
    const project = page.project(await front.get(`/api/projects/${front.project}`));
    assert.ok(project.folder.startsWith("/"), project.folder);
    const listed = (await front.get(`/api/projects/${front.project}/sessions`)).sessions.map(page.session);
    assert.deepEqual([listed[0].model, listed[0].drawn[0]], ["default", "Morning"]);
    assert.ok(Number(listed[0].drawn[2]) >= 2, `messages were counted: ${listed[0].drawn}`);
    page.session(await front.get(`/api/sessions/${front.session}`));
    for (const list of ["/api/models/recommended", "/api/models"]) assert.equal(page.models(await front.get(list))[0], "default");
    const of = (what) => front.get(`/api/projects/${front.project}/${what}`);
    const [, , sessions, messages] = page.prices(await of("usage"), await of("cost-limit-check"));
    assert.ok(Number(sessions) >= 1 && Number(messages) >= 2, `${sessions} sessions, ${messages} messages`);
    const available = [await front.get("/api/commands/available"), await front.get("/api/skills/available")];
    assert.deepEqual(page.suggestions(...available, await of("commands"), await of("skills")), []);
    for (const empty of ["/api/templates?include_public=true", `/api/projects/${front.project}/mcp-servers`]) {
      assert.deepEqual(await front.get(empty), []);
    }
    assert.deepEqual((await of("commands/public-settings")).commands.map(String), []);
    assert.deepEqual((await front.get(`/api/cron/projects/${front.project}/schedules`)).schedules.map(String), []);
    assert.equal((await front.send("GET", `/api/projects/${front.project}/public-access`)).status, 404, "which it takes for none");
    assert.equal((await request("GET", "/api/health")).json.status, "ok");
  },

  async renamed_and_deleted() {
    const front = await Front.open();
    const address = `/api/sessions/${front.session}`;
    for (const [body, says] of [[{ model: 7 }, /model/], ["{", /JSON/], [{ name: "x".repeat(101) }, /100 characters/]]) {
      const refused = await front.send("PUT", address, body);
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.json.detail, says);
    }
    assert.equal(page.session(await front.get(address)).model, "default", "what was refused changed nothing");
    const changed = await front.send("PUT", address, { model: "haiku" });
    assert.deepEqual([changed.status, page.session(changed.json).model], [200, "haiku"]);
    assert.equal((await front.send("PUT", address, { title: "Evening" })).json.name, "Evening");
    const { sessions } = await front.get(`/api/projects/${front.project}/sessions`);
    assert.deepEqual([sessions[0].name, sessions[0].model], ["Evening", "haiku"]);
    // What is open is never deleted.
    await front.chat("ask");
    await front.question();
    const kept = await front.send("DELETE", address);
    assert.equal(kept.status, 409, kept.text);
    front.answer({ 0: "0" });
    await front.result();
    await until("the turn to be over", async () => (await front.send("DELETE", address)).status === 200);
    assert.equal((await front.send("GET", address)).status, 404);
    assert.equal((await front.send("PUT", address, { model: "opus" })).status, 404);
  },

  async projects() {
    const front = await Front.open();
    const made = (body) => front.send("POST", "/api/projects", body);
    for (const body of ["{", { name: "" }, { name: "/nowhere/at/all" }, { name: "a", api_key: "sk-1" }, { name: "../etc" }]) {
      const refused = await made(body);
      assert.equal(refused.status, 422, `${JSON.stringify(body)}: ${refused.text}`);
    }
    const own = page.project((await front.get("/api/projects")).projects[0]);
    assert.equal((await front.get("/api/projects")).projects.length, 1, "what was refused made nothing");
    const shop = await made({ name: "shop", description: "Our shop" });
    assert.equal(shop.status, 201, shop.text);
    assert.equal(page.project(shop.json).folder, `${own.folder}/shop`);
    const renamed = await front.send("PUT", `/api/projects/${shop.json.id}`, { name: "The shop" });
    assert.deepEqual([renamed.json.name, renamed.json.description], ["The shop", "Our shop"]);
    const found = await front.get("/api/projects?search=the%20sh&limit=100");
    assert.deepEqual([found.total, found.projects.map((project) => project.name)], [1, ["The shop"]]);
    const begun = await front.send("POST", `/api/projects/${shop.json.id}/sessions`, { model: "opus" });
    assert.equal(page.session(begun.json).model, "opus");
    assert.equal((await front.get(`/api/projects/${shop.json.id}`)).session_count, 1);
    assert.equal((await front.send("DELETE", `/api/projects/${shop.json.id}`)).status, 409, "there is a conversation in it");
    await front.send("DELETE", `/api/sessions/${begun.json.id}`);
    assert.equal((await front.send("DELETE", `/api/projects/${shop.json.id}`)).status, 200);
    assert.equal((await front.send("GET", `/api/projects/${shop.json.id}`)).status, 404);
    assert.equal((await front.send("DELETE", `/api/projects/${own.id}`)).status, 409);
    const limits = `/api/projects/${own.id}/cost-limits`;
    assert.equal((await front.send("PUT", limits, { cost_limit_daily: 3 })).status, 422);
    page.project((await front.send("DELETE", limits)).json);
  },

  async not_here() {
    const front = await Front.open();
    const project = `/api/projects/${front.project}`;
    for (const [method, path] of [
      ["POST", `${project}/mcp-servers`],
      ["PUT", `${project}/agents/1`],
      ["DELETE", `${project}/skills/1`],
      ["POST", "/api/templates"],
      ["PATCH", "/api/templates/1"],
      ["POST", `/api/cron/projects/${front.project}/schedules`],
      ["GET", "/api/files/content?path=a"],
      ["POST", `${project}/public-access`],
    ]) {
      const answer = await front.send(method, path, method === "GET" ? undefined : {});
      assert.equal(answer.status, 501, `${method} ${path}: ${answer.text}`);
      assert.match(answer.json.detail, /here/);
      const stranger = await request(method, path);
      assert.equal(stranger.status, 401, `nobody learns even that without a token: ${method} ${path} ${stranger.text}`);
    }
    // On one connection after another: a body that is refused is not taken for the next request.
    for (let round = 0; round < 300; round += 1) {
      assert.equal((await front.send("DELETE", `${project}/skills/1`, {})).status, 501);
      assert.equal((await request("DELETE", `${project}/skills/1`)).status, 401, `round ${round}`);
    }
  },

  async cookie() {
    const front = await Front.open();
    assert.match(front.cookie, /^ccc_chat=abc_\S+; Path=\/ws\/chat\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    const [cookie] = front.cookie.split(";");
    const origin = `http://${SERVER}`;
    const socket = `/ws/chat/${front.session}`;
    const knock = async (headers, path = socket, upgrade = true) => (await request("GET", path, { upgrade, headers })).status;
    assert.equal(await knock({ cookie, origin }), 101, "its own page opens its socket, and has no token to send");
    assert.equal(await knock({ cookie }), 401, "a program that says nothing of a page");
    assert.equal(await knock({ cookie, origin: "http://localhost:3000" }), 403, "another page");
    assert.equal(await knock({ cookie: "ccc_chat=ab_wrong", origin }), 401);
    assert.equal(await knock({ cookie, origin }, "/api/auth/me", false), 401, "it counts for nothing else");
    assert.equal(await knock({ cookie, origin }, `/api/sessions/${front.session}`, false), 401);
    assert.equal(await knock({ cookie: `ccc_chat=${TOKEN}`, origin }), 401, "a token is no cookie");
    assert.equal(await knock({ authorization: `Bearer ${cookie.split("=")[1]}` }, "/api/auth/me", false), 401, "nor the other way round");
    const out = await request("POST", "/api/auth/logout", { headers: { ...front.headers, cookie, origin } });
    for (const cleared of out.headers["set-cookie"]) assert.match(cleared, /^ccc_chat=; .*Max-Age=0$/);
    assert.equal(await knock({ cookie, origin }), 401, "it ends with the logout");
  },

  async models() {
    const front = await Front.open({ model: "default" });
    const turn = async (model) => {
      if (model) assert.equal((await front.send("PUT", `/api/sessions/${front.session}`, { model })).json.model, model);
      await until("the turn to be over", async () => !(await front.get(`/api/sessions/${front.session}`)).is_processing);
      await front.chat("later");
      await front.result();
    };
    await turn();
    await turn("haiku");
    await turn("default");
  },

  async strangers() {
    assert.equal((await request("GET", "/ws/chat/x", { upgrade: true })).status, 401);
    const wrong = await request("POST", "/api/auth/login", { body: "username=ada&password=ab_x" });
    assert.equal(wrong.status, 401);
    assert.deepEqual((await request("GET", "/api/projects")).json, { detail: "Not authenticated" });
    const headers = { authorization: "Bearer nonsense" };
    assert.deepEqual((await request("GET", "/api/projects", { headers })).json, { detail: "Could not validate credentials" });
    const line = new Line(`/ws/chat/nobody?token=${TOKEN}`);
    const error = await line.type("error");
    const expected = {
      type: "error",
      error: "Session nobody not found",
      code: "session_not_found",
      details: null,
      timestamp: null,
    };
    assert.deepEqual(error, expected);
    assert.equal((await line.gone).code, 1000);
  },
});
