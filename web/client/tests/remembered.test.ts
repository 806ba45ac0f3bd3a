/** What is kept on the device for when the server cannot be reached. */

import { expect, test } from "vitest";
import { nothing, reduce, type Ask, type Heard, type State } from "../src/index.ts";
import { Remembered } from "../src/remembered.ts";
import type { Surroundings } from "../src/surroundings.ts";

const ask = (id: string, more: object = {}) =>
  ({ id, session: "ses_1", state: "open", kind: "questions", questions: [], agent: "a", asked_at: `2026-01-01T00:00:0${id.slice(-1)}Z`, settled_at: null, ...more }) as unknown as Ask;

function device(full = false) {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (full) throw new Error("no room");
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
    key: () => null,
    length: 0,
  };
  return { kept, around: { storage, now: () => 7_000 } as unknown as Surroundings };
}
const known = (...asks: Ask[]): State => reduce(nothing, [{ type: "asks", asks }, { type: "synced" }]).state;

test("what waits is kept and read again by the same device, and says since when it is old", () => {
  const { around } = device();
  const memory = new Remembered(around, "p", "tok_ada");
  memory.note(known(ask("ask_1"), ask("ask_2", { state: "answered", settled_at: "2026-01-01T00:00:09Z" })));
  memory.close();
  const read = new Remembered(around, "p", "tok_ada").read(nothing);
  expect([[...read.asks.keys()], read.rememberedAt, read.synced]).toEqual([["ask_1"], 7_000, false]);
  const heard: Heard = { type: "synced" };
  expect(reduce(read, [heard]).state.rememberedAt).toBeNull();
});

test("another person's token finds nothing, nor does what is broken or of another release", () => {
  const { around, kept } = device();
  const memory = new Remembered(around, "p", "tok_ada");
  memory.note(known(ask("ask_1")));
  memory.close();
  expect(new Remembered(around, "p", "tok_bob").read(nothing)).toBe(nothing);
  for (const broken of ["{", "null", '{"version":0}', '{"version":1,"asks":7}']) {
    kept.set("p.known", broken);
    expect(new Remembered(around, "p", "tok_ada").read(nothing)).toBe(nothing);
  }
});

test("what is too large is left out, and a full device keeps nothing wrong", () => {
  const { around } = device();
  const memory = new Remembered(around, "p", "t");
  memory.note(known(ask("ask_1", { context: { text: "x".repeat(300_000) } }), ask("ask_2")));
  memory.close();
  expect([...new Remembered(around, "p", "t").read(nothing).asks.keys()]).toEqual(["ask_2"]);
  const full = device(true);
  const there = new Remembered(full.around, "p", "t");
  there.note(known(ask("ask_1")));
  expect(() => there.close()).not.toThrow();
  expect(full.kept.size).toBe(0);
});

test("what the server does not know is gone, until it is shown again", () => {
  const lost = reduce({ ...known(ask("ask_1")), unsent: new Map([["ask_1", "answer"]]) }, [{ type: "unknown", ask: "ask_1" }]).state;
  expect([lost.asks.size, lost.gone.get("ask_1")]).toEqual([0, { answer: "lost" }]);
  expect(reduce(lost, [{ type: "asks", asks: [ask("ask_1")] }]).state.gone.size).toBe(0);
});
