// One question on every screen at once: prime, ccc, gobby, seline and our own, each on its port. Whoever answers, all are
// told.

import { Line, TOKEN, assert, elsewhere, play, request, until, uuidOf } from "./kit.mjs";

const [ccc, gobby, seline] = process.env.PORTS.split(",");
const MOUTHS = ["prime", "ccc", "gobby", "seline", "native"];
const ANSWER = { "Which?": "B" };

/** Every screen that shows one session. */
class Table {
  static async open(uuid, prime) {
    const table = new Table();
    table.uuid = uuid;
    table.isHosted = Boolean(prime);
    table.prime = prime ?? (await Table.prime(uuid));
    table.ccc = new Line(`/ws/chat/${uuid}?token=${TOKEN}`, ccc);
    await table.ccc.type("connected");
    table.gobby = new Line(`/ws?token=${TOKEN}`, gobby);
    await table.gobby.type("connection_established");
    table.gobby.say({ type: "heartbeat", conversation_id: uuid });
    table.native = new Line("/v1/ws");
    await table.native.opened;
    table.native.say({ type: "hello", token: TOKEN });
    const { asks } = await table.native.type("snapshot");
    table.known = asks.map((ask) => ask.id);
    return table;
  }

  static async prime(name) {
    const line = new Line(`/api/v1/chat/ws/${name}?token=${TOKEN}`);
    await line.type("session_status");
    return line;
  }

  /** Waits until the ask is on all of them. */
  async shown() {
    const asked = (frame) => frame.type === "event" && frame.event.type === "asked";
    const known = this.known.shift();
    const [prime, front, page, ask] = await Promise.all([
      this.prime.type("ask_user_question"),
      this.ccc.type("user_question"),
      this.gobby.hear("the card", (frame) => frame.type === "tool_status" && frame.status === "calling"),
      known ?? this.native.hear("the ask", asked).then(({ event }) => event.ask.id),
    ]);
    this.card = { prime: prime.question_id, ccc: front.tool_use_id, gobby: page.tool_call_id, native: ask };
    this.stream = await Stream.open(this.uuid);
    this.card.seline = (await this.stream.chunk("the card", (it) => it.type === "tool-input-available")).toolCallId;
  }

  async answer(mouth) {
    const card = this.card[mouth];
    if (mouth === "prime") {
      this.prime.say({ type: "ask_user_response", data: { question_id: card, answers: ANSWER } });
    } else if (mouth === "ccc") {
      this.ccc.say({ type: "question_answer", tool_use_id: card, answers: { 0: "1" } });
    } else if (mouth === "gobby") {
      this.gobby.say({ type: "ask_user_response", conversation_id: this.uuid, tool_call_id: card, answers: ANSWER });
    } else if (mouth === "seline") {
      const clicked = await Stream.post("/api/chat/tool-result", { sessionId: this.uuid, toolUseId: card, answers: ANSWER });
      assert.deepEqual(await clicked.json(), { resolved: true });
    } else {
      this.native.say({ type: "answer", tag: 1, ask: card, answers: ANSWER });
    }
  }

  /** Waits until every screen has closed or marked its card. */
  async told(mouth) {
    const closes = (frame) => frame.type === "ask_user_timeout" && frame.question_id === this.card.prime;
    if (mouth !== "prime") assert.equal((await this.prime.hear("the end", closes)).error, "Answered elsewhere by ada");
    // Its own answer closes its card; what a hosted agent's call returned is told all the same.
    if (mouth !== "ccc" || this.isHosted) await this.ccc.hear("the result", (it) => it.type === "tool_result" && it.tool_use_id === this.card.ccc);
    const marked = (frame) => frame.type === "tool_status" && frame.status === "completed";
    const done = await this.gobby.hear("the badge", (it) => marked(it) && it.tool_call_id === this.card.gobby);
    assert.deepEqual(done.result.content.answers, ANSWER);
    const output = await this.stream.chunk("the output", (it) => it.type === "tool-output-available");
    assert.deepEqual(output.output, { answers: ANSWER });
    const settles = (frame) => frame.type === "event" && frame.event.type === "settled";
    const { event } = await this.native.hear("the end", (it) => settles(it) && it.event.ask === this.card.native);
    assert.equal(event.outcome.by.via, mouth);
    this.stream.leave();
  }
}

/** A stream of Seline's, read without its SDK. */
class Stream {
  chunks = [];

  static post(path, body, signal) {
    const headers = { cookie: `zlutty-session=${TOKEN}`, "content-type": "application/json" };
    return fetch(`http://${seline}${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  }

  /** Looks at a session without saying anything: what is open in it is drawn. */
  static async open(sessionId) {
    const stream = new Stream();
    stream.leaving = new AbortController();
    const messages = [{ id: "m", role: "assistant", parts: [{ type: "text", text: "I have to ask." }] }];
    const response = await Stream.post("/api/chat", { sessionId, messages }, stream.leaving.signal);
    assert.equal(response.status, 200);
    stream.read(response.body).catch(() => {});
    return stream;
  }

  async read(body) {
    let text = "";
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const lines = text.split("\n\n");
      text = lines.pop();
      for (const line of lines) if (line.startsWith("data: {")) this.chunks.push(JSON.parse(line.slice(6)));
    }
  }

  chunk(what, fits) {
    return until(what, () => this.chunks.find(fits));
  }

  leave() {
    this.leaving.abort();
  }
}

/** Whimmy's plugin, and the chat that its agent asks in. */
class Plugin {
  asked = 0;

  static async open() {
    const plugin = new Plugin();
    plugin.line = new Line(`/api/v1/providers/ws?token=${process.env.ACCOUNT}`);
    await plugin.line.opened;
    plugin.line.say({ type: "health" });
    const chat = await until("its chat", async () => {
      const { items } = await elsewhere("GET", "/v1/sessions");
      return items.find((session) => session.agent === "askbridge");
    });
    plugin.chat = chat.id;
    plugin.uuid = uuidOf(chat.id);
    return plugin;
  }

  /** Asks as often as there are screens, and each of them answers once. */
  async rounds(table) {
    const option = (label) => ({ label, description: label });
    const questions = [{ question: "Which?", header: "Pick", options: ["A", "B"].map(option), multiSelect: false }];
    for (const mouth of MOUTHS) {
      const questionId = `q-${this.asked++}`;
      const payload = { sessionKey: this.uuid.replaceAll("-", ""), agentId: "main", questionId, questions };
      this.line.say({ type: "event", payload: { event: "ask_user_question", payload } });
      await table.shown();
      await table.answer(mouth);
      const heard = (frame) => frame.type === "hook.ask_user_answer" && frame.payload.questionId === questionId;
      assert.deepEqual((await this.line.hear("the answer", heard)).payload.answers, ANSWER);
      this.line.say({ type: "pong" });
      await table.told(mouth);
    }
  }
}

/** Makes ten thousand decisions, beyond which a session goes on as another one. A new title is the smallest. */
async function grow(session) {
  const titles = Array.from({ length: 10_000 }, (_, number) => ({ title: `${number}` }));
  const hand = async () => {
    for (let title = titles.pop(); title; title = titles.pop()) {
      await elsewhere("POST", `/v1/sessions/${session}/configure`, title);
    }
  };
  await Promise.all(Array.from({ length: 16 }, hand));
}

async function vias() {
  const { items } = await elsewhere("GET", "/v1/asks?state=answered");
  return items.map((ask) => ask.by.via).reverse();
}

await play({
  async all_at_once() {
    const prime = await Table.prime("new");
    prime.say({ type: "user_message", data: { message: "ask" } });
    const { session_id } = await prime.type("session_id");
    const table = await Table.open(session_id, prime);
    for (const [turn, mouth] of MOUTHS.entries()) {
      if (turn > 0) prime.say({ type: "user_message", data: { message: `ask ${turn}` } });
      await table.shown();
      assert.equal(table.card.gobby, table.card.ccc, "a hosted agent's call has one name");
      await table.answer(mouth);
      await table.told(mouth);
      await prime.type("complete");
      await table.ccc.type("result");
    }
    assert.deepEqual(await vias(), MOUTHS);
  },

  /** The same with an ask of whimmy's plugin, which hears every answer under the exact text. */
  async a_plugin_asks() {
    const plugin = await Plugin.open();
    await plugin.rounds(await Table.open(plugin.uuid));
    assert.deepEqual(await vias(), MOUTHS);
    assert.equal((await request("GET", "/v1/asks?state=open", { headers: { authorization: `Bearer ${TOKEN}` } })).json.items.length, 0);
  },

  /** Its session goes on as another one. Every screen goes along, and so does one that comes later under the old name. */
  async a_conversation_that_grew_long() {
    const plugin = await Plugin.open();
    const table = await Table.open(plugin.uuid);
    await plugin.rounds(table);
    await grow(plugin.chat);
    await plugin.rounds(table);
    assert.equal((await elsewhere("GET", `/v1/sessions/${plugin.chat}`)).state, "continued");
    await plugin.rounds(await Table.open(plugin.uuid));
    assert.deepEqual(await vias(), [...MOUTHS, ...MOUTHS, ...MOUTHS]);
  },
});
