/** What the real server told the real client, replayed. `web/e2e` records it (`BLESS=1`). */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nothing, phaseOf, reduce, waitingForPerson, type Ask, type Heard, type ServerFrame, type State } from "../src/index.ts";

const frames = JSON.parse(readFileSync(new URL("./recorded/story.json", import.meta.url), "utf8")) as ServerFrame[];

/** As the client hears a frame: what it asked to see is shown, everything else is a frame. */
const heard = (frame: ServerFrame): Heard =>
  frame.type === "reply" && frame.ok && frame.ask ? { type: "asks", asks: [frame.ask] } : { type: "frame", frame };

const told = (state: State) => [...state.asks.values()].map((view) => [headline(view.ask), phaseOf(view)]);

function headline(ask: Ask): string {
  return ask.kind === "questions" ? (ask.questions[0]?.question ?? "") : ask.kind;
}

const END = [
  ["Are you there?", "open"], ["Which database?", "delivered"], ["Sure?", "dismissed"], ["plan", "withdrawn"],
  ["Quick?", "expired"], ["approval", "stored"],
];

test("the whole story leads to how everything ended", () => {
  const { state } = reduce(nothing, frames.map(heard));
  expect(told(state)).toEqual(END);
  expect(state.me).toEqual({ name: "ada", role: "operator" });
  expect(waitingForPerson(state, Date.now())).toBe(1);
  const answered = [...state.asks.values()][1]?.ask;
  expect(answered?.answers).toEqual({ "Which database?": "Postgres" });
  expect(answered?.by).toMatchObject({ person: "ada", via: "native" });
  expect([...state.asks.values()][2]?.ask.words).toBe("ask me tomorrow");
  expect([...state.asks.values()][4]?.ask.late?.answers).toEqual({ "Quick?": "slowly" });
});

test("it leads there frame by frame as well, and every step says where each ask stands", () => {
  let state = nothing;
  const seen = new Map<string, string[]>();
  for (const frame of frames) {
    state = reduce(state, [heard(frame)]).state;
    for (const [name, phase] of told(state)) {
      const phases = seen.get(name!) ?? [];
      if (phases.at(-1) !== phase) phases.push(phase!);
      seen.set(name!, phases);
    }
  }
  expect(Object.fromEntries(seen)).toEqual({
    "Are you there?": ["open"],
    "Which database?": ["open", "stored", "delivered"],
    "Sure?": ["open", "undoable", "open", "dismissed"],
    plan: ["open", "withdrawn"],
    "Quick?": ["open", "expired"],
    approval: ["open", "stored"],
  });
});

test("hearing everything twice changes nothing", () => {
  const once = reduce(nothing, frames.map(heard)).state;
  const twice = reduce(once, frames.filter((frame) => frame.type !== "snapshot").map(heard)).state;
  expect(told(twice)).toEqual(told(once));
});

test("without the replies, events alone say how each ask that is known stands", () => {
  const asks = frames.flatMap((frame) => (frame.type === "reply" && frame.ok && frame.ask?.state === "open" ? [frame.ask] : []));
  const { state, look } = reduce(nothing, [{ type: "asks", asks }, ...frames.filter(({ type }) => type !== "reply").map(heard)]);
  const byName = Object.fromEntries(told(state));
  expect(byName).toMatchObject({ "Which database?": "delivered", "Sure?": "dismissed", plan: "withdrawn" });
  expect(look.size).toBeGreaterThan(0);
});

test("events of a newer server are passed over, and broken ones break nothing", () => {
  const before = reduce(nothing, frames.map(heard)).state;
  const id = [...before.asks.keys()][0]!;
  const strange = [
    { type: "event", session: "ses_x", at: 1, event: { type: "teleported", ask: id, where: 7 } },
    { type: "event", session: "ses_x", at: 1, event: { type: "asked", ask: { id: "ask_new" } } },
    { type: "hologram", shape: "cube" },
    { type: "event", session: "ses_x", at: 1, event: { type: "delivered", parcel: {} } },
    { type: "delta", session: "ses_unknown", block: 1, kind: "text", offset: 0, text: "hi" },
  ] as unknown as ServerFrame[];
  const { state, look } = reduce(before, strange.map(heard));
  expect(told(state)).toEqual(told(before));
  expect([...look]).toEqual([id, "ask_new"]);
  expect(state.preparing.has("ask_new")).toBe(true);
});

test("after a snapshot, what was open and is not in it is looked for", () => {
  const before = reduce(nothing, frames.map(heard)).state;
  const open = [...before.asks.values()].filter(({ ask }) => ask.state === "open").map(({ id }) => id);
  const { state, look } = reduce(before, [{ type: "frame", frame: { type: "snapshot", asks: [], cursor: "cur_1", drafts: [], more: false } }]);
  expect([...look]).toEqual(open);
  expect(state.asks.size).toBe(before.asks.size);
  expect(reduce(state, [{ type: "unknown", ask: open[0]! }]).state.asks.has(open[0]!)).toBe(false);
});

test("what ended long ago makes room for what ended now", () => {
  const [ask] = [...reduce(nothing, frames.map(heard)).state.asks.values()].map((view) => view.ask);
  const over = Array.from({ length: 700 }, (_, n) => ({ ...ask!, id: `ask_${n}`, state: "answered" as const, settled_at: new Date(n).toISOString() }));
  const { state } = reduce(nothing, [{ type: "asks", asks: [...over, ask!] }]);
  expect(state.asks.size).toBe(501);
  expect(state.asks.has("ask_699")).toBe(true);
  expect(state.asks.has("ask_0")).toBe(false);
  expect(state.asks.has(ask!.id)).toBe(true);
});
