// A client of prime-agent, as its document tells one to be: a card for one question, which closes when its answer is
// sent and opens again when the question comes again; both spellings are looked at.

import { readFileSync } from "node:fs";
import https from "node:https";
import * as model from "./prime_models.mjs";
import { Line, TOKEN, assert, elsewhere, openAsk, play, request, until } from "./kit.mjs";

const SOCKET = "/api/v1/chat/ws";

/** What the screen shows. */
class App {
  constructor(name, base = "") {
    this.line = new Line(`${base}${SOCKET}/${name}?token=${TOKEN}`);
  }

  static async open(name) {
    const app = new App(name);
    const connected = await app.line.type("connected");
    assert.match(connected.connection_id, /^conn_[0-9a-f]{16}$/);
    assert.equal(connected.connectionId, connected.connection_id);
    app.status = await app.line.type("session_status");
    assert.deepEqual(app.line.frames.slice(0, 2).map((frame) => frame.type), ["connected", "session_status"]);
    app.connected = connected;
    return app;
  }

  say(message) {
    this.line.say({ type: "user_message", data: { message } });
  }

  async question() {
    const asked = await this.line.type("ask_user_question");
    assert.match(asked.question_id, /^q_[0-9a-f]{32}$/);
    assert.equal(asked.questionId, asked.question_id);
    assert.ok(Number.isInteger(asked.timeout_seconds) && asked.timeout_seconds > 0);
    for (const question of asked.questions) {
      for (const field of ["question", "header", "options", "multiSelect"]) assert.ok(field in question, field);
    }
    this.card = asked;
    return asked;
  }

  answer(answers, more = {}) {
    this.line.say({ type: "ask_user_response", data: { question_id: this.card.question_id, answers, ...more } });
    this.card = null;
  }

  async complete() {
    const complete = await this.line.type("complete");
    assert.equal(complete.status, "success");
    assert.equal(complete.costUsd, complete.cost_usd);
    assert.equal(complete.durationMs, complete.duration_ms);
  }

  types() {
    return this.line.frames.map((frame) => frame.type);
  }

  async sessionId() {
    const named = await this.line.type("session_id");
    assert.match(named.session_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(named.sessionId, named.session_id);
    return named.session_id;
  }
}

/** The relay to which its server pushes: it writes down what comes, and knows no device at `/push/gone`. */
class Relay {
  static async open() {
    const relay = new Relay();
    relay.pushes = [];
    const tls = { cert: readFileSync(process.env.CERT), key: readFileSync(process.env.KEY) };
    const server = https.createServer(tls, (request, response) => {
      let text = "";
      request.on("data", (piece) => (text += piece));
      request.on("end", () => {
        relay.pushes.push({ method: request.method, path: request.url, ...JSON.parse(text) });
        response.writeHead(request.url === "/push/gone" ? 410 : 200, { "content-type": "application/json" });
        response.end('{"queued":true}');
      });
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    relay.url = `https://127.0.0.1:${server.address().port}`;
    return relay;
  }

  async push(what, fits) {
    return until(what, () => this.pushes.find(fits));
  }
}

async function register(installation_id, push_url, more = {}) {
  const body = { installation_id, device_type: "iphone", push_url, ...more };
  const made = await request("POST", "/api/v1/devices/register", { headers: bearer, body });
  assert.equal(made.status, 200, made.text);
  assert.equal(model.registered(made.json).success, true);
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const get = async (path) => (await request("GET", path, { headers: bearer })).json;

await play({
  async chat_and_question() {
    const app = await App.open("new");
    assert.ok(!("session_id" in app.connected));
    assert.match(app.status.session_id, /^pending_[0-9a-f]{32}$/);
    app.say("ask");
    const id = await app.sessionId();
    await app.question();
    assert.deepEqual(app.card.questions[0].options.map((option) => option.label), ["A", "B"]);
    assert.equal(app.card.timeout_seconds, 55);
    const tool = app.line.frames.findIndex((frame) => frame.type === "tool_use" && frame.name === "AskUserQuestion");
    const asked = app.line.frames.findIndex((frame) => frame.type === "ask_user_question");
    assert.ok(tool >= 0 && tool < asked, `the call is shown before the question: ${app.types()}`);
    app.answer({ "Which?": "B" });
    await app.complete();
    assert.ok(!app.types().includes("ask_user_timeout"), "an answer of one's own closes nothing");
    assert.equal(app.types().filter((type) => type === "tool_use").length, 1);

    const history = await get(`/api/v1/chat/sessions/${id}/messages`);
    assert.equal(history.session_id, id);
    assert.equal(history.message_count, history.messages.length);
    assert.deepEqual([history.messages[0].role, history.messages[0].content], ["user", "ask"]);
    const list = await get("/api/v1/claude-sessions/?limit=5");
    assert.equal(list.sessions[0].session_id, id);
    assert.equal((await get(`/api/v1/claude-sessions/${id}`)).session_id, id);
  },

  async answered_elsewhere() {
    const app = await App.open("new");
    app.say("ask");
    const asked = await app.question();
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { answers: { "Which?": "A" } });
    const closed = await app.line.type("ask_user_timeout");
    assert.deepEqual([closed.question_id, closed.questionId], [asked.question_id, asked.question_id]);
    assert.equal(closed.error, "Answered elsewhere by ada");
    await app.complete();
  },

  async wrong_then_right() {
    const app = await App.open("new");
    app.say("ask");
    await app.question();
    const wrong = [
      [{ answers: { "Which?": 7 } }, /“Which\?” has to be text, or a list of texts$/],
      [{ answers: { "Which?": ["A", 7] } }, /has to be text, or a list of texts$/],
      [{ answers: ["A"] }, /`answers` has to be an object/],
      [{ answers: { "Whose?": "A" } }, /none of these is a question that was asked$/],
      [{ answers: {}, cancelled: "maybe" }, /`cancelled` has to be true or false$/],
    ];
    for (const [said, says] of wrong) {
      app.line.say({ type: "ask_user_response", data: { question_id: app.card.question_id, ...said } });
      const { error } = await app.line.type("error");
      assert.match(error, /^Invalid ask_user_response: /);
      assert.match(error, says);
      assert.doesNotMatch(error, /enum|variant|serde|line \d/, "words for people");
      await app.question();
    }
    // What is said to no question is passed over, as the original does.
    app.answer({ "Which?": "neither, thank you", "Whose?": "mine" });
    await app.complete();
    model.frames(app.line.frames);
  },

  async a_list_for_one_choice() {
    const app = await App.open("new");
    app.say("ask");
    await app.question();
    app.answer({ "Which?": ["A", "B"] });
    await app.complete();
  },

  async cancel_without_answers() {
    const app = await App.open("new");
    app.say("ask");
    const { questionId } = await app.question();
    app.line.say({ type: "ask_user_response", data: { questionId, cancelled: true } });
    await app.complete();
    assert.ok(!app.types().includes("error"));
  },

  async every_field() {
    const app = await App.open("new");
    model.frames(app.line.frames);
    assert.deepEqual([app.status.status, app.status.is_processing], ["waiting", false]);
    assert.ok(Date.parse(app.status.last_activity) > 0, "a new session has a time");
    app.say("bash");
    const id = await app.sessionId();
    await app.complete();
    model.placeholder((await request("POST", "/api/v1/chat/sessions", { headers: bearer, body: {} })).json);
    const at = `/api/v1/claude-sessions/${id}`;
    const whole = model.session(await get(at));
    assert.ok(whole.some((message) => message.tool_name === "Bash" && message.tool_input.command === "echo hi"));
    model.summary(await get(`${at}/summary`));
    const roles = async (query) => new Set(model.messages(await get(`${at}/messages${query}`)).map(({ role }) => role));
    assert.deepEqual(await roles("?roles=user"), new Set(["user"]));
    assert.deepEqual(await roles("?roles=user&roles=assistant"), new Set(["user", "assistant"]));
    assert.deepEqual(await roles(""), new Set(["user", "assistant"]));
    assert.equal(model.history(await get(`/api/v1/chat/sessions/${id}/messages`))[0].content, "bash");
    assert.deepEqual([model.list(await get("/api/v1/claude-sessions/"))[0].status], ["done"]);
    // While it works, and while it waits.
    app.say("ask");
    await app.question();
    const [line] = model.list(await get("/api/v1/claude-sessions/"));
    assert.deepEqual([line.status, line.is_running], ["waiting", false], "as in the original");
    app.answer({ "Which?": "A" });
    await app.complete();
    for (const [name, status] of [["nonsense", 404], ["00000000-0000-4000-8000-000000000000", 404], ["a%20b", 400]]) {
      for (const path of [`/api/v1/claude-sessions/${name}`, `/api/v1/chat/sessions/${name}/messages`]) {
        assert.equal((await request("GET", path, { headers: bearer })).status, status, path);
      }
    }
    model.frames(app.line.frames);
  },

  async a_turn_each() {
    const app = await App.open("new");
    app.say("ask");
    await app.question();
    for (const text of ["later one", "later two", "later three"]) app.say(text);
    app.answer({ "Which?": "A" });
    for (let turn = 0; turn < 4; turn++) await app.complete();
    const waited = app.line.frames.filter((frame) => frame.type === "text" && frame.chunk === "it waited");
    assert.equal(waited.length, 3, "each message has an answer of its own");
  },

  async reconnect_with_an_open_question() {
    const app = await App.open("new");
    app.say("ask");
    const id = await app.sessionId();
    const asked = await app.question();
    await app.line.leave();
    const back = await App.open(id);
    assert.equal(back.connected.session_id, id);
    assert.deepEqual(
      [back.status.waiting_for_user, back.status.is_processing, back.status.pending_question_id, back.status.status],
      [true, true, asked.question_id, "waiting"],
    );
    await back.question();
    assert.equal(back.card.question_id, asked.question_id);
    back.answer({ "Which?": "B" });
    await back.complete();
    // Everything was seen: coming back shows the end of the turn again and nothing else.
    await back.line.leave();
    const again = await App.open(id);
    await again.complete();
    assert.deepEqual(again.types(), ["connected", "session_status", "complete"]);
    assert.equal(again.status.status, "done");
  },

  async missed_while_away() {
    const app = await App.open("new");
    app.say("ask");
    const id = await app.sessionId();
    await app.question();
    await app.line.leave();
    const ask = (await openAsk()).id;
    await elsewhere("POST", `/v1/asks/${ask}/answer`, { answers: { "Which?": "A" } });
    const session = `ses_${ask.split("_")[1]}`;
    await until("the turn to end", async () => {
      const { items } = await elsewhere("GET", `/v1/sessions/${session}/events`);
      return items.some((entry) => entry.events.some((event) => event.type === "turn_ended"));
    });
    const back = await App.open(id);
    await back.complete();
    assert.ok(back.line.frames.some((frame) => frame.type === "text" && frame.chunk === "done"));
    assert.ok(!back.types().includes("ask_user_question"));
    assert.ok(!back.line.frames.some((frame) => frame.type === "text" && frame.chunk === "I have to ask."));
  },

  async takeover() {
    const first = await App.open("new");
    first.say("ask");
    const id = await first.sessionId();
    await first.question();
    const second = await App.open(id);
    await first.line.type("session_taken");
    assert.deepEqual(await first.line.gone, { code: 1000, reason: "" });
    await second.question();
    second.answer({ "Which?": "B" });
    await second.complete();
  },

  async nobody_answers() {
    const app = await App.open("new");
    app.say("soon");
    const asked = await app.question();
    assert.ok(asked.timeout_seconds <= 2, "what is left is counted down from");
    const closed = await app.line.type("ask_user_timeout");
    assert.equal(closed.error, "User response timed out");
    await app.complete();
    // Late: nothing is said to the client, and the agent hears it as a message.
    app.card = asked;
    app.answer({ "Soon?": "A" });
    await app.complete();
  },

  async cancel_stops_the_turn() {
    const app = await App.open("new");
    app.say("ask");
    await app.question();
    app.answer({}, { cancelled: true });
    await app.complete();
    assert.ok(!app.types().includes("ask_user_timeout"));
  },

  async a_message_waits() {
    const app = await App.open("new");
    app.say("ask");
    await app.question();
    app.say("later");
    app.answer({ "Which?": "A" });
    await app.complete();
    await app.line.hear("the answer to the message", (frame) => frame.type === "text" && frame.chunk === "it waited");
    await app.complete();
  },

  async interrupt() {
    const app = await App.open("new");
    app.say("ask");
    await app.question();
    app.line.say({ type: "interrupt" });
    // That the question is taken back and that the turn is over are told in either order.
    await until("both ends", () => ["complete", "ask_user_timeout"].every((type) => app.types().includes(type)));
    const closed = app.line.frames.find((frame) => frame.type === "ask_user_timeout");
    assert.match(closed.error, /^No longer asked: /);
  },

  async rings_while_nobody_is_connected() {
    const relay = await Relay.open();
    await register("phone-1", `${relay.url}/push/1/secret`, { device_name: "Ada's phone" });
    const app = await App.open("new");
    app.say("ask");
    const id = await app.sessionId();
    const asked = await app.question();
    await app.line.leave();
    const question = await relay.push("a push about the question", (push) => push.data?.type === "ask_user_question");
    const about = { session_id: id, deeplink_url: `prime://chat/session/${id}` };
    assert.deepEqual(question, {
      method: "POST",
      path: "/push/1/secret",
      title: "Question from claude",
      body: "Which?",
      data: { type: "ask_user_question", question_id: asked.question_id, ...about },
    });
    await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { answers: { "Which?": "A" } });
    const complete = await relay.push("a push about the end", (push) => push.data?.type === "chat_complete");
    assert.equal(complete.title, "Chat response ready");
    assert.deepEqual([complete.data.session_id, complete.data.deeplink_url, complete.data.status], [id, about.deeplink_url, "success"]);
    const kinds = new Set(relay.pushes.map((push) => push.data.type));
    assert.deepEqual([...kinds], ["ask_user_question", "chat_complete"], JSON.stringify(relay.pushes));
    const listed = await request("GET", "/api/v1/devices", { headers: bearer });
    assert.equal(listed.json.devices[0].device_name, "Ada's phone");
    assert.doesNotMatch(listed.text, /secret/, "whoever knows the address may push");
  },

  async notifications() {
    const relay = await Relay.open();
    await register("phone-1", `${relay.url}/push/1`, { device_name: "phone" });
    await register("mac-1", `${relay.url}/push/gone`, { device_type: "mac", device_name: "mac" });
    const send = (body, headers = bearer) => request("POST", "/api/v1/notifications/send", { headers, body });
    const sent = await send({ title: "Hello", body: "World", data: { a: 1 } });
    assert.equal(sent.status, 200, sent.text);
    const { devices, ...counts } = sent.json;
    assert.deepEqual(counts, { success: true, sent: 1, failed: 0, invalid_tokens_removed: 1 });
    const ends = Object.fromEntries(model.sent({ ...counts, devices }).map(({ name, status }) => [name, status]));
    assert.deepEqual(ends, { phone: "sent", mac: "invalid_binding" });
    const { method, path, ...push } = relay.pushes.find((it) => it.path === "/push/1");
    assert.deepEqual([method, push], ["POST", { title: "Hello", body: "World", data: { a: 1 } }]);
    await until("it to be forgotten", async () => (await get("/api/v1/devices")).total === 1);
    const filtered = await send({ title: "Hello", body: "World", device_filter: "mac" });
    assert.deepEqual([filtered.json.success, filtered.json.sent], [true, 0], "nothing failed");
    // A device that is known may leave out its address, and keeps the day of its first registration.
    const [before] = model.devices(await get("/api/v1/devices?device_filter=PHO"));
    const again = await request("POST", "/api/v1/devices/register", {
      headers: bearer,
      body: { installation_id: "phone-1", device_name: "my phone" },
    });
    assert.equal(again.status, 200, again.text);
    const [after] = model.devices(await get("/api/v1/devices"));
    assert.deepEqual([after.device_name, after.registered_at], ["my phone", before.registered_at]);
    assert.equal((await send({ title: "Hello", body: "again" })).json.sent, 1);
    for (const body of ["{", {}, { installation_id: "new-1" }, { installation_id: 7 }, { installation_id: "a", device_type: "tv" }]) {
      const refused = await request("POST", "/api/v1/devices/register", { headers: bearer, body });
      assert.ok([400, 422].includes(refused.status), refused.text);
      assert.doesNotMatch(refused.json.detail, /line \d|missing field|expected/, "words for people");
    }
    assert.equal(model.devices(await get("/api/v1/devices")).length, 1, "what was refused changed nothing");
    assert.equal((await send({ title: "x".repeat(101), body: "World" })).status, 422);
    assert.deepEqual((await send({ title: "a", body: "b" }, {})).json, { detail: "Not authenticated" });
  },

  async other_tools_run() {
    const app = await App.open("new");
    app.say("bash");
    await app.line.hear("the call", (frame) => frame.type === "tool_use" && frame.name === "Bash");
    await app.complete();
    assert.ok(!app.types().includes("ask_user_question"));
    assert.deepEqual((await elsewhere("GET", "/v1/asks?state=open")).items, []);
  },

  async a_plan_is_a_question() {
    const app = await App.open("new");
    app.say("plan");
    const asked = await app.question();
    assert.deepEqual(asked.questions[0].options.map((option) => option.label), ["Approve", "Send back"]);
    app.answer({ [asked.questions[0].question]: "Approve" });
    await app.complete();
  },

  async a_form_is_questions() {
    const app = await App.open("new");
    app.say("form");
    const asked = await app.question();
    assert.deepEqual(asked.questions.length, 4);
    const [host, , tier] = asked.questions.map((question) => question.question);
    app.answer({ [host]: "db.example", [tier]: "small" });
    await app.complete();
  },

  async strangers() {
    const unknown = await request("GET", `${SOCKET}/00000000-0000-4000-8000-000000000000?token=${TOKEN}`, { upgrade: true });
    assert.equal(unknown.status, 403);
    const none = await request("GET", `${SOCKET}/new`, { upgrade: true });
    assert.deepEqual([none.status, none.json], [401, { detail: "Not authenticated" }]);
    const wrong = await request("GET", `${SOCKET}/new?token=ab_x`, { upgrade: true });
    assert.deepEqual([wrong.status, wrong.json], [401, { detail: "Invalid authentication token" }]);
    const site = await request("GET", `${SOCKET}/new?token=${TOKEN}`, {
      upgrade: true,
      headers: { origin: "http://evil.example" },
    });
    assert.equal(site.status, 403);
    for (const path of [`/t/${TOKEN}${SOCKET}/new`, `${SOCKET}/new?token=${TOKEN}`]) {
      assert.equal((await request("GET", path, { upgrade: true })).status, 101, path);
    }
    assert.equal((await request("GET", `${SOCKET}/new`, { upgrade: true, headers: bearer })).status, 101);
  },

  async garbage() {
    const app = await App.open("new");
    app.line.say({ type: "dance" });
    assert.match((await app.line.type("error")).error, /^Invalid message format: /);
    app.line.say({ type: "text" });
    app.line.say({ type: "user_message", data: {} });
    assert.equal((await app.line.type("error")).error, "Missing 'message' field in data");
    app.line.say("not json");
    assert.deepEqual(await app.line.gone, { code: 1000, reason: "" });
  },
});
