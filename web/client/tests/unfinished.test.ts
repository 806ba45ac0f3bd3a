import { expect, test } from "vitest";
import { nothing, reduce, unfinished, type Heard, type ServerFrame } from "../src/index.ts";

const whole = JSON.stringify({ questions: [
  { question: "Which \"fruit\"?\nSay.", header: "Fruit", options: [{ label: "Äpfel", description: "red" }, { label: "Pear" }] },
  { question: "How many?", options: [] },
] });

test("however far it goes, what can be read of a question is read", () => {
  for (const nothing of ["", "{", '{"questions":[{"header":"Fr', "no json", '{"questions":7', "null"]) expect(unfinished(nothing), nothing).toBeNull();
  expect(unfinished('{"questions":[{"question":"Which fr')).toEqual({ question: "Which fr", options: [] });
  for (const half of ["a\\", "a\\u", "a\\u00", "a\\u00e"]) expect(unfinished(`{"questions":[{"question":"${half}`), half).toEqual({ question: "a", options: [] });
  expect(unfinished('{"questions":[{"question":"a\\u00e4b')).toEqual({ question: "aäb", options: [] });
  expect(unfinished('{"questions":[{"question":"C:\\\\')).toEqual({ question: "C:\\", options: [] });
  expect(unfinished('{"plan":"# Tidy')).toEqual({ question: "# Tidy", options: [] });
  // Whatever comes first.
  expect(unfinished('{"questions":[{"options":["Apple",{"label":"Pe')).toEqual({ question: "", options: ["Apple", "Pe"] });
  expect(unfinished('{"questions":[{"options":["Apple"],"question":"Wh')).toEqual({ question: "Wh", options: ["Apple"] });
  expect(unfinished(whole.slice(0, whole.indexOf("Pear") + 2))).toEqual({ question: 'Which "fruit"?\nSay.', options: ["Äpfel", "Pe"] });
  expect(unfinished(whole)).toEqual({ question: "How many?", options: [] });
});

test("no beginning of it ever throws, and the question only grows", () => {
  let last = "";
  const end = whole.indexOf('{"question":"How many');
  for (let at = 0; at < end; at += 1) {
    const read = unfinished(whole.slice(0, at))?.question ?? "";
    expect(read.startsWith(last), whole.slice(0, at)).toBe(true);
    last = read;
  }
  expect(last).toBe('Which "fruit"?\nSay.');
});

test("a question that is being written is there until it is an ask", () => {
  const delta = (offset: number, text: string): Heard => ({ type: "frame", frame: { type: "delta", session: "ses_1", block: 3, kind: "asking", offset, text } as ServerFrame });
  const before = reduce(nothing, [{ type: "watch", session: "ses_1" }, delta(0, '{"questions":'), delta(13, '[{"question":"Wh')]).state;
  const live = before.conversations.get("ses_1")?.live;
  expect(live).toMatchObject({ kind: "asking", text: '{"questions":[{"question":"Wh' });
  const after = (type: string) => reduce(before, [{ type: "after", session: "ses_1", entries: [{ position: 1, at: 1, events: [{ type, block: 1, text: "x", ask: { id: "ask_1" } } as never] }] }]).state;
  expect(after("text").conversations.get("ses_1")?.live).toEqual(live);
  expect(after("asked").conversations.get("ses_1")?.live).toBeNull();
});
