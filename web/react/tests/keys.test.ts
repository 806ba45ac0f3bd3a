import { expect, test } from "vitest";
import { deedOf, find, type Place, type Stroke } from "../src/questions/keys.ts";

const stroke = (key: string, more: Partial<Stroke> = {}): Stroke => ({
  key,
  keyCode: 0,
  isComposing: false,
  shift: false,
  chord: false,
  ...more,
});
const option: Place = { on: "option", option: 1, options: 4, touch: false };
const text: Place = { ...option, on: "text" };

test.each([
  ["3", option, { does: "choose", option: 2 }],
  ["9", option, null],
  ["0", option, { does: "find", letter: "0" }],
  ["ArrowDown", option, { does: "focus", option: 2 }],
  ["ArrowUp", { ...option, option: 0 }, { does: "focus", option: 3 }],
  ["End", option, { does: "focus", option: 3 }],
  ["Home", option, { does: "focus", option: 0 }],
  [" ", option, { does: "choose", option: 1 }],
  ["Enter", option, { does: "submit" }],
  ["q", option, { does: "find", letter: "q" }],
  ["Tab", option, null],
  ["Escape", option, null],
  ["3", text, null],
  [" ", text, null],
  ["Enter", text, { does: "submit" }],
  ["Enter", { ...text, touch: true }, null],
  ["Escape", text, { does: "leave" }],
  ["2", { ...option, on: "elsewhere" }, { does: "choose", option: 1 }],
  ["Enter", { ...option, on: "elsewhere" }, null],
] as const)("%s means %j", (key, place, deed) => {
  expect(deedOf(stroke(key), place as Place)).toEqual(deed);
});

test("no key does anything while a word is being composed, however that is told", () => {
  for (const key of ["Enter", "Escape", "1", " ", "a"]) {
    for (const place of [option, text]) {
      expect(deedOf(stroke(key, { isComposing: true }), place)).toBeNull();
      expect(deedOf(stroke(key, { keyCode: 229 }), place)).toBeNull();
    }
  }
});

test("Shift+Enter is a new line, and Control+Enter sends from anywhere", () => {
  expect(deedOf(stroke("Enter", { shift: true }), text)).toBeNull();
  expect(deedOf(stroke("Enter", { chord: true }), { ...text, touch: true })).toEqual({ does: "submit" });
  expect(deedOf(stroke("1", { chord: true }), option)).toBeNull();
});

test("letters find an option, the same letter again the next one", () => {
  const labels = ["Postgres", "SQLite", "Redis", "sled", "ｓｃｙｌｌａ"];
  expect(find(labels, "s", 0)).toBe(1);
  expect(find(labels, "s", 1)).toBe(3);
  expect(find(labels, "sss", 3)).toBe(4);
  expect(find(labels, "sl", 1)).toBe(3);
  expect(find(labels, "x", 1)).toBeNull();
  expect(find([], "x", 0)).toBeNull();
});
