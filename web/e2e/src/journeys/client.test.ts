/** The headless client against the real server: one story, recorded for the tests of the client. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, phaseOf, waitingForPerson, type Client, type State } from "@askbridge/client";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

const store = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (place: number) => [...kept.keys()][place] ?? null,
    get length() {
      return kept.size;
    },
  };
};

/** Waits until the client's state contains something. */
const knows = <T>(client: Client, what: (state: State) => T | undefined | null | false) => until(() => what(client.state));

const FILE = join(import.meta.dirname, "../../../client/tests/recorded/story.json");

test("a story as the client hears it, and as it was recorded", async () => {
  const server = await Server.start();
  const heard: string[] = [];
  class Tapped extends WebSocket {
    constructor(address: string) {
      super(address);
      this.addEventListener("message", ({ data }) => heard.push(String(data)));
    }
  }
  const early = await server.ask({ question: "Are you there?", context: { title: "Early" } });
  const client = connect({ base: server.address, token: await server.person(), undoMs: 0, around: { storage: store(), WebSocket: Tapped } });
  const phase = (id: string) => {
    const view = client.state.asks.get(id);
    return view && phaseOf(view);
  };
  await knows(client, (state) => state.synced && state.asks.has(early.id));
  expect(waitingForPerson(client.state, Date.now())).toBe(1);

  const options = [{ label: "Postgres", description: "the usual" }, { label: "SQLite" }];
  const asked = await server.ask({ questions: [{ question: "Which database?", header: "Data", options }], timeout_seconds: 600 });
  await knows(client, (state) => state.asks.has(asked.id));
  client.draft(asked.id, { text: "Pos" });
  client.extend(asked.id, null);
  await knows(client, (state) => state.asks.get(asked.id)?.ask.deadline === null);
  client.answer(asked.id, { answers: { "Which database?": "Postgres" } });
  await until(() => phase(asked.id) === "stored");
  expect((await server.show(asked.id)).answers).toEqual({ "Which database?": "Postgres" });
  await until(() => phase(asked.id) === "delivered");

  const undone = await server.ask({ question: "Sure?", undo_seconds: 30 });
  await knows(client, (state) => state.asks.has(undone.id));
  client.answer(undone.id, { answers: { "Sure?": "yes" } });
  await until(() => phase(undone.id) === "undoable");
  client.undo(undone.id);
  await until(() => phase(undone.id) === "open");
  client.dismiss(undone.id, "ask me tomorrow");
  await until(() => phase(undone.id) === "dismissed");

  const withdrawn = await server.ask({ plan: "# Tidy up\n\n1. sweep" });
  await knows(client, (state) => state.asks.has(withdrawn.id));
  await server.call("POST", `/v1/asks/${withdrawn.id}/withdraw`, { why: "found out" });
  await until(() => phase(withdrawn.id) === "withdrawn");

  const expiring = await server.ask({ question: "Quick?", timeout_seconds: 0.2 });
  await until(() => phase(expiring.id) === "expired");
  client.answer(expiring.id, { answers: { "Quick?": "slowly" } });
  await knows(client, (state) => state.asks.get(expiring.id)?.ask.late);
  expect(client.state.asks.get(expiring.id)?.sending).toEqual({ state: "stored", what: "answer", late: true });

  const approval = await server.ask({ approval: { tool: "Bash", input: { command: "ls" }, rules: [{ label: "always ls", rule: { allow: "ls" } }] } });
  await knows(client, (state) => state.asks.has(approval.id));
  client.answer(approval.id, { decision: "allow", always: 0 });
  await until(() => phase(approval.id) === "stored");
  client.close();
  await server.stop();

  // The number of heartbeats depends on how long the story took.
  const recorded = heard.map((frame) => JSON.parse(frame)).filter(({ type }) => type !== "ping");
  if (process.env.BLESS) {
    mkdirSync(join(FILE, ".."), { recursive: true });
    writeFileSync(FILE, `[\n${recorded.map((frame) => JSON.stringify(frame)).join(",\n")}\n]\n`);
  }
  // Ids and times differ from run to run; the kinds of frames, and their fields, do not.
  const known = shapes(JSON.parse(readFileSync(FILE, "utf8")));
  expect([...shapes(recorded)].filter((shape) => !known.has(shape))).toEqual([]);
});

/** Returns the kinds of frames, by their types and field names. */
function shapes(frames: readonly any[]): Set<string> {
  const names = (value: unknown): string => (typeof value === "object" && value !== null && !Array.isArray(value) ? `{${Object.keys(value).sort().join()}}` : typeof value);
  return new Set(frames.map((frame) => `${frame.type} ${names(frame)} ${frame.event ? `${frame.event.type} ${names(frame.event)}` : ""}`));
}

test("an answer given without a connection is kept over a reload and sent once", async () => {
  const token = await server.person();
  const asked = await server.ask({ question: "Offline?" });
  const storage = store();
  const before = connect({ base: server.address, token, undoMs: 0, around: { storage } });
  await knows(before, (state) => state.asks.has(asked.id));
  await server.kill();
  await knows(before, (state) => state.connection.state !== "live");
  before.answer(asked.id, { answers: { "Offline?": "yes" } });
  await knows(before, (state) => state.asks.get(asked.id)?.sending.state === "queued");
  before.close();
  await server.run();
  const after = connect({ base: server.address, token, undoMs: 0, around: { storage } });
  await knows(after, (state) => state.synced);
  await until(async () => (await server.show(asked.id)).state === "answered");
  expect((await server.show(asked.id)).answers).toEqual({ "Offline?": "yes" });
  await until(() => !Array.from({ length: storage.length }, (_, at) => storage.key(at)).some((key) => key?.includes(".unsent.")));
  after.close();
});

test("of two people who answer, the second is told who won", async () => {
  const asked = await server.ask({ questions: [{ question: "Who?", options: ["a", "b"] }] });
  const [ada, bob] = await Promise.all(["ada", "bob"].map(async (name) => connect({ base: server.address, token: await server.person(name, `${name}'s phone`), undoMs: 0, around: { storage: store() } })));
  await Promise.all([knows(ada!, (state) => state.asks.has(asked.id)), knows(bob!, (state) => state.asks.has(asked.id))]);
  ada!.answer(asked.id, { answers: { "Who?": "a" } });
  bob!.answer(asked.id, { answers: { "Who?": "b" } });
  const outcomes = await Promise.all([ada!, bob!].map((client) => knows(client, (state) => {
    const sending = state.asks.get(asked.id)?.sending;
    return sending?.state === "stored" || sending?.state === "refused" ? sending : null;
  })));
  expect(outcomes.map(({ state }) => state).sort()).toEqual(["refused", "stored"]);
  const winner = outcomes[0]!.state === "stored" ? "ada" : "bob";
  const refusal = outcomes.find((sending) => sending.state === "refused");
  expect(refusal?.state === "refused" && refusal.because.winner?.by).toMatchObject({ person: winner, device: `${winner}'s phone` });
  ada!.close();
  bob!.close();
});

test("more than a snapshot holds is read in pages, and what comes in a storm as well", async () => {
  const crowd = await Server.start();
  const many = async (n: number, name: string) => {
    for (let from = 0; from < n; from += 50) {
      const { id } = await crowd.call("POST", "/v1/sessions", { parallel: true });
      await Promise.all(Array.from({ length: Math.min(50, n - from) }, (_, i) => crowd.ask({ question: `${name} ${from + i}`, session: id })));
    }
  };
  await many(700, "early");
  const client = connect({ base: crowd.address, token: await crowd.person(), around: { storage: store() } });
  await knows(client, (state) => state.synced && waitingForPerson(state, Date.now()) === 700);
  await many(300, "late");
  await knows(client, (state) => waitingForPerson(state, Date.now()) === 1000);
  client.close();
  await crowd.stop();
});
