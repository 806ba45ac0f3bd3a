import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Ask } from "@askbridge/client";
import { command, denied, viewOf } from "../gallery/asks.ts";
import { alike } from "../src/together/alike.ts";
import { given } from "./given.tsx";

const press = (name: string) => screen.getByRole("button", { name });
const safe = (): Ask => {
  const ask = denied();
  return { ...ask, approval: { ...ask.approval, input: { command: "cargo test" } } };
};

test("a denied call is let through once, as it is", async () => {
  const { user, calls } = given(safe());
  expect(screen.getByRole("heading", { name: "claude was denied Bash" })).toBeTruthy();
  expect(screen.getByText(/it overwrites the history of a shared branch/)).toBeTruthy();
  expect(screen.getByText(/may make exactly this call once more/)).toBeTruthy();
  for (const name of ["Edit", "Always allow…", "Allow once", "Deny…"]) expect(screen.queryByRole("button", { name })).toBeNull();
  await user.click(press("Let it, once"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow" });
});

test("it is left denied with words, and without a way to stop the agent", async () => {
  const { user, calls } = given(safe());
  await user.click(press("Leave it…"));
  expect(screen.queryByRole("button", { name: "Deny and stop" })).toBeNull();
  await user.type(screen.getByRole("textbox"), "make a new commit");
  await user.click(press("Leave it"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "deny", words: "make a new commit" });
});

test("a grave command stays grave", () => {
  given(denied());
  expect(screen.getAllByText("Overwrites history").length).toBeGreaterThan(0);
  // It cannot be let through before it has been in view for a moment, as any grave command.
  expect(press("Let it, once").getAttribute("aria-disabled")).toBe("true");
});

test("the card says whether the agent still waits, and what became of it", () => {
  const { now, rerender: _ } = given({ ...safe(), stranded: true });
  expect(screen.getByText(/The agent went on without it/)).toBeTruthy();
  const over = { answerable: false, state: "answered", settled_at: new Date().toISOString(), by: { person: "ada", device: "phone", via: "native" } } as const;
  now(viewOf({ ...safe(), ...over, answers: { decision: "allow" } } as Ask));
  expect(screen.getByText("Let through, once")).toBeTruthy();
  now(viewOf({ ...safe(), ...over, answers: { decision: "deny" } } as Ask));
  expect(screen.getByText("Left denied")).toBeTruthy();
});

test("it speaks Japanese", () => {
  given(safe(), {}, "ja");
  expect(press("今回だけ通す")).toBeTruthy();
  expect(press("このままにする…")).toBeTruthy();
});

test("denials are not decided together with other approvals", () => {
  const views = [denied(), denied(), command(), command()].map((ask) => viewOf(ask));
  expect(alike(views).map((group) => group.map(({ ask }) => ask.approval.overrule ?? false))).toEqual([[false, false]]);
});
