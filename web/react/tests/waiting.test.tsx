/** Answers that wait on this device, on a page that was loaded anew. */

import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { command, database, plan } from "../gallery/asks.ts";
import { given } from "./given.tsx";

afterEach(cleanup);

test("a card that was loaded anew shows which answer waits", () => {
  given(database(), { sending: { state: "queued", what: "answer", given: { answers: { "Which database should the new service use?": { options: [1] } } } } });
  expect(document.querySelector(".ab-given-answer")?.textContent).toBe("SQLite");
  expect(document.querySelector(".ab-given-others")?.textContent).toMatch(/^Not chosen: PostgreSQL/);
});

test("and so does one of an approval or a plan", () => {
  given(command(), { sending: { state: "queued", what: "answer", given: { decision: "deny", words: "not today" } } });
  expect(screen.getByText("Denied")).toBeTruthy();
  expect(screen.getByText("not today")).toBeTruthy();
  cleanup();
  given(plan(), { sending: { state: "sending", what: "answer", given: { decision: "approve" } } });
  expect(screen.getByText("Approved")).toBeTruthy();
});

test("who was first on another device of theirs reads it as a sentence", () => {
  const winner = { by: { person: "grace", device: "phone", via: "native" }, at: new Date(Date.now() - 61_000).toISOString() };
  given(database(), { sending: { state: "refused", what: "answer", because: { code: "already_decided", detail: "", parts: [], winner, retry: false } } });
  expect(screen.getByText("You answered first (phone), 1 minute ago. This one did not count.")).toBeTruthy();
});

test("an agent's name of five hundred characters leaves room for what it wants", () => {
  given(command({ agent: "x".repeat(500) }));
  const title = screen.getByRole("heading", { level: 2 });
  expect(title.textContent).toBe(`${"x".repeat(40)}… wants to use Bash`);
  expect(title.title).toContain("x".repeat(500));
});
