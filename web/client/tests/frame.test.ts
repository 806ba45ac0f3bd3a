/** Frames that the server would not take: they end the connection, so they are never sent. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connect, type Client, type ClientFrame, type ServerFrame } from "../src/index.ts";
import { FRAME_BYTES_MAX, textOf } from "../src/frame.ts";

/** A server that says welcome at once. Ends a connection on a frame that is too large, as the real one does. */
class FakeSocket {
  static all: FakeSocket[] = [];
  static endsOn: (text: string) => boolean = () => false;
  readyState = 1;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: ClientFrame[] = [];

  constructor() {
    FakeSocket.all.push(this);
    queueMicrotask(() => this.onopen?.());
  }
  send(text: string) {
    if (new TextEncoder().encode(text).length > FRAME_BYTES_MAX || FakeSocket.endsOn(text)) return void queueMicrotask(() => this.onclose?.({ code: 1009 }));
    const frame = JSON.parse(text) as ClientFrame;
    this.sent.push(frame);
    if (frame.type === "hello") this.tell({ type: "welcome", protocol: 1, name: "ada", role: "person", heartbeat_seconds: 25 } as unknown as ServerFrame);
  }
  tell(frame: ServerFrame) {
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(frame) }));
  }
  close() {
    this.readyState = 3;
  }
}

const ask = (id: string) => ({
  id, session: "ses_1", state: "open", kind: "questions", agent: "ci", door: "http", questions: [{ question: "Q", options: [], multiSelect: false }],
  parked: false, stranded: false, answerable: true, answers: {}, skipped: [], notes: {}, by: null, verdict: null,
  asked_at: "2026-01-01T00:00:00Z", deadline: null, settled_at: null, delivered_at: null,
});
const large = "あ".repeat(FRAME_BYTES_MAX / 3 + 1);

let client: Client | undefined;
let kept: Map<string, string>;
beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  FakeSocket.endsOn = () => false;
  kept = new Map();
});
afterEach(() => {
  client?.close();
  client = undefined;
  vi.useRealTimers();
});

async function begin(): Promise<Client> {
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key), key: (at: number) => [...kept.keys()][at] ?? null, get length() { return kept.size; },
  };
  client = connect({
    base: "http://127.0.0.1:1", token: "t", undoMs: 0,
    around: { WebSocket: FakeSocket as never, storage, chance: () => 0.5, window: null, document: null, fetch: () => Promise.reject(new Error("no network")) },
  });
  await vi.advanceTimersByTimeAsync(0);
  FakeSocket.all[0]!.tell({ type: "snapshot", cursor: "1", asks: [ask("ask_1"), ask("ask_2")], preparing: [], more: false } as unknown as ServerFrame);
  await vi.advanceTimersByTimeAsync(50);
  return client;
}
const sent = (type: string) => FakeSocket.all.flatMap((socket) => socket.sent).filter((frame) => frame.type === type);

test("a frame is measured in bytes, not in letters", () => {
  const frame = (text: string) => ({ type: "say", tag: 1, session: "s", text }) as ClientFrame;
  const around = new TextEncoder().encode(JSON.stringify(frame(""))).length;
  expect(textOf(frame("x".repeat(FRAME_BYTES_MAX - around)))).not.toBeNull();
  expect(textOf(frame("x".repeat(FRAME_BYTES_MAX - around + 1)))).toBeNull();
  expect(textOf(frame(large))).toBeNull();
});

test("an answer that is too large is refused at once, and nothing waits behind it", async () => {
  const client = await begin();
  client.answer("ask_1", { answers: { Q: { text: large } } });
  client.answer("ask_2", { answers: { Q: { text: "yes" } } });
  await vi.advanceTimersByTimeAsync(100);
  expect(client.state.asks.get("ask_1")?.sending).toMatchObject({
    state: "refused", what: "answer", because: { code: "answer_does_not_fit", parts: [{ detail: "it is longer than 65536 bytes; shorten it" }] },
  });
  expect(sent("answer")).toMatchObject([{ ask: "ask_2" }]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(FakeSocket.all).toHaveLength(1);
  expect([...kept.keys()].filter((key) => key.includes("unsent"))).toEqual(["askbridge.unsent.ask_2"]);
});

test("without a connection, too, it is refused while the person is there", async () => {
  const client = await begin();
  FakeSocket.all[0]!.onclose?.({ code: 1006 });
  client.answer("ask_1", { decision: "allow", input: { command: large } });
  await vi.advanceTimersByTimeAsync(50);
  expect(client.state.asks.get("ask_1")?.sending).toMatchObject({ state: "refused", because: { parts: [{ detail: "it is longer than 262144 bytes; shorten it" }] } });
});

test("a draft that is too large stays on the device, and a message says why it was not sent", async () => {
  const client = await begin();
  client.draft("ask_1", { kind: "questions", text: large });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent("draft")).toEqual([]);
  expect(FakeSocket.all).toHaveLength(1);
  expect(kept.get("askbridge.draft.ask_1")).toContain(large);
  expect(await client.say("ses_1", large)).toMatchObject({ code: "answer_does_not_fit", retry: false });
});

test("whatever ends each connection right after its welcome, the pauses grow", async () => {
  const client = await begin();
  await vi.advanceTimersByTimeAsync(10_000);
  FakeSocket.endsOn = (text) => text.includes('"draft"');
  client.draft("ask_1", { kind: "questions", text: "poison" });
  await vi.advanceTimersByTimeAsync(60_000);
  // 0.4, 0.8, 1.6 … seconds, and none of them again from the start.
  expect(FakeSocket.all.length).toBeLessThan(10);
  FakeSocket.endsOn = () => false;
  await vi.advanceTimersByTimeAsync(60_000);
  const before = FakeSocket.all.length;
  FakeSocket.all.at(-1)!.onclose?.({ code: 1006 });
  await vi.advanceTimersByTimeAsync(500);
  expect(FakeSocket.all.length).toBe(before + 1);
});
