import { expect, test } from "vitest";
import { Outbox } from "../src/outbox.ts";
import type { Surroundings } from "../src/surroundings.ts";
import type { ClientFrame, RefusedServerFrame, ReplyServerFrame } from "../src/types.ts";
import type { Sending } from "../src/view.ts";

const answer = { answers: { "Go on?": "Yes" }, undo_seconds: 5 };

/** An outbox with a line that can be cut, on a device that keeps what is written. */
function device(kept = new Map<string, string>()) {
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    key: (at: number) => [...kept.keys()][at] ?? null,
    get length() {
      return kept.size;
    },
  };
  const sent: ClientFrame[] = [];
  const states: Sending[] = [];
  let isLive = true;
  const outbox = new Outbox({ storage } as unknown as Surroundings, "test", {
    send: (make) => (isLive ? sent.push(make(sent.length + 1)) : null),
    sending: (_, sending) => states.push(sending),
    unsent: () => undefined,
  });
  return {
    outbox,
    sent,
    kept,
    last: () => states.at(-1),
    cut: () => {
      isLive = false;
      outbox.lost();
    },
    mend: () => {
      isLive = true;
      outbox.connected();
    },
    granted: () => outbox.replied({ type: "reply", tag: sent.length, ok: true, news: true } as ReplyServerFrame),
    refused: (code: string) =>
      outbox.replied({ type: "reply", tag: sent.length, ok: false, error: { code, detail: "", retry: false } } as unknown as RefusedServerFrame),
  };
}

test("a tap is sent at once, with the time in which it can be undone", () => {
  const { outbox, sent, last, granted, kept } = device();
  outbox.put("ask_1", { what: "answer", answer });
  expect(sent).toEqual([{ type: "answer", tag: 1, ask: "ask_1", ...answer }]);
  expect(last()).toEqual({ state: "sending", what: "answer" });
  granted();
  expect(last()).toEqual({ state: "stored", what: "answer", late: false });
  expect(kept.size).toBe(0);
});

test("without a connection a tap waits, also over a reload, and goes with the same undo time later", () => {
  const before = device();
  before.cut();
  before.outbox.put("ask_1", { what: "answer", answer });
  expect(before.last()).toEqual({ state: "queued", what: "answer" });
  const after = device(before.kept);
  expect(after.outbox.sendingOf("ask_1")).toEqual({ state: "queued", what: "answer" });
  after.mend();
  expect(after.sent).toEqual([{ type: "answer", tag: 1, ask: "ask_1", ...answer }]);
});

test("what never left is taken back here, and nothing of it is sent", () => {
  const { outbox, sent, cut, mend, last, kept } = device();
  cut();
  outbox.put("ask_1", { what: "answer", answer });
  expect(outbox.takeBack("ask_1")).toBe(true);
  expect([last(), kept.size]).toEqual([{ state: "idle" }, 0]);
  mend();
  expect(sent).toEqual([]);
});

test("what a lost connection may have carried away is taken back from the server as well", () => {
  for (const code of [null, "nothing_to_undo"]) {
    const before = device();
    before.outbox.put("ask_1", { what: "answer", answer });
    before.cut();
    const { outbox, sent, mend, last, granted, refused, kept } = device(before.kept);
    expect(outbox.takeBack("ask_1")).toBe(true);
    mend();
    expect(sent.at(-1)).toMatchObject({ type: "undo", ask: "ask_1" });
    if (code === null) granted();
    else refused(code);
    expect(last()).toEqual(code === null ? { state: "stored", what: "undo", late: false } : { state: "idle" });
    expect(kept.size).toBe(0);
  }
});

test("a second tap on undo sends nothing more", () => {
  const { outbox, sent, granted, kept } = device();
  outbox.put("ask_1", { what: "answer", answer });
  granted();
  outbox.put("ask_1", { what: "undo" });
  expect(outbox.takeBack("ask_1")).toBe(true);
  granted();
  expect([sent.length, kept.size]).toEqual([2, 0]);
});

test("an undo that comes too late is told as refused", () => {
  const { outbox, granted, refused, last } = device();
  outbox.put("ask_1", { what: "answer", answer });
  granted();
  expect(outbox.takeBack("ask_1")).toBe(false);
  outbox.put("ask_1", { what: "undo" });
  refused("nothing_to_undo");
  expect(last()).toMatchObject({ state: "refused", what: "undo" });
});
