// The browser front of Claude-Code-Cloud, with its habits: it never answers a ping, unmounts its card when the answer is
// sent, answers with indices, drops the session at any error that says "Session" or "not found", and comes back five times,
// each time later.

import { Line, TOKEN, Wire, assert, elsewhere, openAsk, play, request, until } from "./kit.mjs";

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
    assert.equal((await front.get("/api/auth/me")).username, "ada");
    const { projects } = await front.get("/api/projects");
    front.project = projects[0].id;
    const made = await request("POST", `/api/projects/${front.project}/sessions`, {
      headers: front.headers,
      body: { name: "Morning", ...more },
    });
    assert.equal(made.status, 201, made.text);
    front.session = made.json.id;
    const { sessions } = await front.get(`/api/projects/${front.project}/sessions`);
    assert.equal(sessions[0].id, front.session);
    await front.connect();
    return front;
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
  }

  async question(line = this.line) {
    const asked = await line.type("user_question");
    assert.equal(typeof asked.timestamp, "number");
    // Drawn only inside of a message that streams.
    const at = line.frames.indexOf(asked);
    const drawn = line.frames.slice(0, at).some((frame) => ["thinking", "text", "tool_use_start"].includes(frame.type));
    assert.ok(drawn, "the card needs something to be drawn in");
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
    assert.equal(total, messages.length);
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
