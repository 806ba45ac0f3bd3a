import { expect, test } from "vitest";
import { isOneTap, type Ask, type NewAnswer } from "../src/index.ts";

const ask = (more: object): Ask => ({ kind: "questions", questions: [{ question: "Q", multiSelect: false, options: [{ label: "a" }, { label: "b" }] }], ...more }) as Ask;

test.each<[string, Ask, NewAnswer, boolean]>([
  ["a label", ask({}), { answers: { Q: "a" } }, true],
  ["an index", ask({}), { answers: { Q: { options: [1] } } }, true],
  ["free text", ask({}), { answers: { Q: "something else" } }, false],
  ["an index with text", ask({}), { answers: { Q: { options: [1], text: "and" } } }, false],
  ["a note", ask({}), { answers: { Q: "a" }, notes: { Q: "hm" } }, false],
  ["skipping", ask({}), { answers: { Q: null } }, false],
  ["several choices", ask({ questions: [{ question: "Q", multiSelect: true, options: [{ label: "a" }] }] }), { answers: { Q: ["a"] } }, false],
  ["several questions", ask({ questions: [{ question: "Q", multiSelect: false, options: [] }, { question: "R", multiSelect: false, options: [] }] }), { answers: { Q: "a" } }, false],
  ["a decision", { kind: "approval" } as Ask, { decision: "allow" }, false],
])("%s", (_, given, answer, expected) => {
  expect(isOneTap(given, answer)).toBe(expected);
});
