/** Asks that are too large for a list: shortened there, whole once they are opened. */

import { expect, test } from "vitest";
import { nothing, reduce, type Ask, type Heard, type State } from "../src/index.ts";

const whole = {
  id: "ask_1", session: "ses_1", state: "open", kind: "approval", agent: "ci", door: "http", context: { text: "all of it" },
  approval: { tool: "Write", input: { content: "x".repeat(80_000) }, rules: [] },
  parked: false, stranded: false, answerable: true, answers: {}, skipped: [], notes: {}, by: null, verdict: null,
  asked_at: "2026-01-01T00:00:00Z", deadline: null, settled_at: null, delivered_at: null,
} as unknown as Ask;

const shortened = {
  ...whole, context: { text: "all…" }, approval: { tool: "Write", input: { content: "xxx…" }, rules: [] }, truncated: { bytes: 80_400 },
} as unknown as Ask;

const heard = (...all: Heard[]) => (state: State) => reduce(state, all);
const asks = (...shown: Ask[]): Heard => ({ type: "asks", asks: shown });
const known = (state: State) => state.asks.get("ask_1");

test("the rest of an ask is loaded, fails and comes, and says so", () => {
  const listed = heard(asks(shortened))(nothing).state;
  expect(known(listed)?.rest).toBeUndefined();
  const loading = heard({ type: "rest", ask: "ask_1", rest: "loading" })(listed).state;
  expect(known(loading)?.rest).toBe("loading");
  const failed = heard({ type: "rest", ask: "ask_1", rest: "failed" })(loading).state;
  expect(known(failed)?.rest).toBe("failed");
  const { state, look } = heard(asks(whole))(failed);
  expect(known(state)).toMatchObject({ ask: whole });
  expect(known(state)).not.toHaveProperty("rest");
  expect(look.size).toBe(0);
});

test("what is here whole stays whole when a list shows it again", () => {
  const { state, look } = heard(asks(whole), asks({ ...shortened, parked: true } as Ask))(nothing);
  expect(known(state)?.ask).toEqual({ ...whole, parked: true });
  expect([...look]).toEqual([]);
});

test("what became of it meanwhile may be shortened too, so the server is asked", () => {
  const answered = { ...shortened, state: "answered", answers: { decision: "allow", input: { content: "yyy…" } } } as unknown as Ask;
  const { state, look } = heard(asks(whole), asks(answered))(nothing);
  expect(known(state)?.ask.state).toBe("answered");
  expect([...look]).toEqual(["ask_1"]);
});
