import { expect, test } from "vitest";
import { inbox, nothing, reduce, serverTime, undoUntil, waitingForPerson, type Ask, type Heard, type ServerFrame } from "../src/index.ts";

const frame = (said: object, at?: number): Heard => ({ type: "frame", frame: said as ServerFrame, ...(at === undefined ? {} : { at }) });
const welcome = (now: number) => ({ type: "welcome", protocol: 1, name: "ada", role: "person", heartbeat_seconds: 25, now });
const ask = (id: string) => ({ id, state: "open", kind: "questions", questions: [], asked_at: "2026-11-15T08:00:00.000Z", settled_at: null }) as unknown as Ask;

test("the server's clock is believed, and the quickest word about it the most", () => {
  const first = reduce(nothing, [frame(welcome(1_000_000), 400_000)]).state;
  expect(serverTime(first, 0)).toBe(600_000);
  // A ping that took two seconds says less; one that was quicker than the welcome says more.
  const slow = reduce(first, [frame({ type: "ping", now: 1_023_000 }, 425_000)]).state;
  expect(slow.ahead).toBe(600_000);
  expect(reduce(slow, [frame({ type: "ping", now: 1_051_000 }, 450_000)]).state.ahead).toBe(601_000);
  // Somebody set this device's clock: the next connection begins anew.
  expect(reduce(slow, [frame(welcome(2_000_000), 2_000_000)]).state.ahead).toBe(0);
});

test("clocks that hardly differ change nothing, and an old server says nothing about its own", () => {
  const before = reduce(nothing, [frame(welcome(5_000), 5_000)]).state;
  expect(reduce(before, [frame({ type: "ping", now: 5_300 }, 5_000)]).state).toBe(before);
  expect(reduce(before, [frame({ type: "ping" }, 9_000)]).state).toBe(before);
});

test("what is held on this device can be undone until then by the server's clock as well", () => {
  const held = { id: "ask_1", ask: ask("ask_1"), sending: { state: "held", what: "answer", until: 5_000 }, draft: null, snoozedUntil: null } as const;
  expect(undoUntil(held, 600_000)).toBe(605_000);
});

test("a snooze of another device hides an ask at once, also one that is not here yet, and shows it again", () => {
  const until = "2026-11-15T09:00:00.000Z";
  const now = Date.parse("2026-11-15T08:30:00.000Z");
  let { state } = reduce(nothing, [{ type: "asks", asks: [ask("ask_1")] }, frame({ type: "snooze", ask: "ask_1", until }), frame({ type: "snooze", ask: "ask_2", until })]);
  expect(waitingForPerson(state, now)).toBe(0);
  ({ state } = reduce(state, [{ type: "asks", asks: [ask("ask_2")] }]));
  expect(waitingForPerson(state, now)).toBe(0);
  expect(waitingForPerson(state, Date.parse(until))).toBe(2);
  ({ state } = reduce(state, [frame({ type: "snooze", ask: "ask_2", until: null })]));
  expect(inbox(state, now).map(({ id }) => id)).toEqual(["ask_2"]);
});

test("that devices changed is told as often as they did", () => {
  const { state } = reduce(nothing, [frame({ type: "devices" }), frame({ type: "devices" })]);
  expect(state.devicesChanged).toBe(2);
});
