import { expect, test } from "vitest";
import { EMPTY, choose, fresh, nextOpen, read, saysAnything, takesOneTap, toAnswer, write } from "../src/questions/picks.ts";
import { database, several } from "../gallery/asks.ts";

const draft = (...picks: Partial<typeof EMPTY>[]) => ({
  kind: "questions" as const,
  picks: picks.map((pick) => ({ ...EMPTY, ...pick })),
});

test("an answer names options by index, and what was skipped is null", () => {
  const answer = toAnswer(
    several(),
    draft({ chosen: [0, 2], note: " soon " }, { skipped: true, chosen: [1] }, { text: " stock " }),
  );
  expect(answer).toEqual({
    answers: {
      "Which parts should the first release contain?": { options: [0, 2] },
      "Who may change the stock?": null,
      "What shall the service be called?": { text: "stock" },
    },
    notes: { "Which parts should the first release contain?": "soon" },
  });
});

test("words stand beside a choice, and blank words are none", () => {
  const both = toAnswer(database(), draft({ chosen: [1], text: "for now" })).answers;
  expect(both).toEqual({ "Which database should the new service use?": { options: [1], text: "for now" } });
  expect(saysAnything(draft({ text: "  \n" }))).toBe(false);
});

test("an answer that skips everything says nothing", () => {
  expect(saysAnything(draft({ skipped: true }, { skipped: true }, { skipped: true }))).toBe(false);
});

test("one tap answers only a single choice to which nothing was said", () => {
  const ask = database();
  expect(takesOneTap(ask, fresh(ask))).toBe(true);
  for (const begun of [{ note: "x" }, { text: "x" }, { chosen: [1] }]) expect(takesOneTap(ask, draft(begun))).toBe(false);
  expect(takesOneTap(several(), fresh(several()))).toBe(false);
  expect(takesOneTap({ ...ask, questions: ask.questions.map((each) => ({ ...each, multiSelect: true })) }, fresh(ask))).toBe(
    false,
  );
  expect(takesOneTap({ ...ask, state: "expired" }, fresh(ask))).toBe(false);
});

test("choosing keeps what was typed, and one choice takes the place of another", () => {
  const [one] = database().questions;
  const [many] = several().questions;
  expect(choose({ ...EMPTY, chosen: [0], text: "t", note: "n" }, 2, one!)).toEqual({
    chosen: [2],
    text: "t",
    note: "n",
    skipped: false,
  });
  expect(choose({ ...EMPTY, chosen: [2] }, 0, many!).chosen).toEqual([0, 2]);
  expect(choose({ ...EMPTY, chosen: [0, 2] }, 0, many!).chosen).toEqual([2]);
});

test("the next open question comes after this one, then from the beginning", () => {
  expect(nextOpen(draft({}, { chosen: [0] }, {}), 1)).toBe(2);
  expect(nextOpen(draft({}, { chosen: [0] }, { skipped: true }), 1)).toBe(0);
  expect(nextOpen(draft({ note: "n" }, { chosen: [0] }, { text: "x" }))).toBeNull();
});

test("a draft from anywhere is read as far as it fits", () => {
  const ask = several();
  const raw = {
    kind: "questions",
    picks: [{ chosen: [2, 2, 9, "1", -1], text: 7, note: "n" }, { chosen: [0, 1] }, null, { chosen: [0] }],
  };
  expect(read(raw, ask)?.picks).toEqual([{ ...EMPTY, chosen: [2], note: "n" }, { ...EMPTY, chosen: [0] }, EMPTY]);
  for (const other of [null, "x", { kind: "plan" }, { kind: "questions", picks: {} }]) expect(read(other, ask)).toBeNull();
});

test("a secret never becomes a draft", () => {
  const ask = { ...database(), questions: [{ question: "Key?", multiSelect: false, secret: true, options: [] }] };
  expect(write(draft({ text: "hunter2" }), ask)).toBeNull();
  expect(JSON.stringify(write(draft({ text: "hunter2", note: "n" }), ask))).not.toContain("hunter2");
  expect(toAnswer(ask, draft({ text: "hunter2" })).answers).toEqual({ "Key?": { text: "hunter2" } });
});
