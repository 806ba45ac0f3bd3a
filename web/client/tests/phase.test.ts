import { expect, test } from "vitest";
import { phaseOf, type Ask, type AskState, type AskView, type Sending } from "../src/index.ts";

const view = (state: AskState, sending: Sending, delivered_at: string | null = null): AskView => ({
  id: "ask_1", draft: null, snoozedUntil: null, sending,
  ask: {
    kind: "questions", questions: [], id: "ask_1", session: "ses_1", agent: "a", door: "http", answerable: true, answers: {},
    asked_at: "2026-11-15T08:00:00.000Z", by: null, deadline: null, delivered_at, notes: {}, parked: false, stranded: false,
    settled_at: null, skipped: [], state, verdict: null,
  } satisfies Ask,
});

test("what this device hopes never hides how an ask ended", () => {
  const hope: Sending = { state: "sending", what: "answer" };
  expect(phaseOf(view("open", hope))).toBe("sending");
  expect(phaseOf(view("withdrawn", hope))).toBe("withdrawn");
  expect(phaseOf(view("answered", hope))).toBe("stored");
  expect(phaseOf(view("answered", hope, "2026-11-15T08:00:01.000Z"))).toBe("delivered");
});

test("asking for more time leaves the card open", () => {
  expect(phaseOf(view("open", { state: "sending", what: "extend" }))).toBe("open");
});
