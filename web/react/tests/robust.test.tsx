import { screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import type { Ask } from "@askbridge/client";
import { command, database } from "../gallery/asks.ts";
import { given } from "./given.tsx";

// React says on the console what it caught.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

const wild = (change: object) => ({ ...database(), ...change }) as unknown as Ask;

test("a card that cannot be drawn shows what was sent, and takes an answer in words", async () => {
  const { user, calls, container } = given(wild({ questions: [{ question: "Go on?", options: "no list" }] }));
  expect(container.textContent).toContain('"options": "no list"');
  await user.type(screen.getByRole("textbox"), "yes, go on");
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ answers: { "Go on?": { text: "yes, go on" } } });
});

test("words about an approval that cannot be drawn deny it", async () => {
  const { user, calls } = given({ ...command(), approval: null } as unknown as Ask);
  await user.type(screen.getByRole("textbox"), "what is this?");
  await user.click(screen.getByRole("button", { name: "Deny it" }));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "deny", words: "what is this?" });
});

test("a kind of ask from the future is shown raw, and its words dismiss it", async () => {
  const { user, calls, container } = given(wild({ kind: "riddle", riddle: "What walks on four legs?" }));
  expect(container.textContent).toContain("What walks on four legs?");
  await user.type(screen.getByRole("textbox"), "a man");
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(calls.onDismiss).toHaveBeenCalledExactlyOnceWith("a man");
});

test("once the ask is whole, the card is drawn again", () => {
  const { now, container } = given(wild({ questions: null }));
  expect(container.querySelector("[data-phase=broken]")).toBeTruthy();
  now({ ask: database() });
  expect(container.querySelector("[data-phase=broken]")).toBeNull();
  expect(screen.getAllByRole("radio")).toHaveLength(3);
});

test.each([
  ["no context", { context: null }],
  ["no questions", { questions: [] }],
  ["an agent without a name", { agent: "" }],
  ["a deadline that is no time", { deadline: "soon" }],
  ["answers that are no answers", { state: "answered", answerable: false, settled_at: "x", by: null, answers: { a: { b: 1 } } }],
  ["a draft of something else", { draft: 7 }],
])("%s does not break a card", (_, change) => {
  const { container } = given(wild(change), { draft: { kind: "questions", picks: "x" } });
  expect(container.querySelector("article")?.textContent).not.toBe("");
});

test("hidden characters are named wherever an agent's words are shown", () => {
  given(database({ agent: "cla\u200bude", questions: [] } as object));
  expect(screen.getAllByRole("img", { name: "hidden character U+200B" }).length).toBeGreaterThan(0);
});
