import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Ask } from "@askbridge/client";
import { change, command, form, plan, viewOf } from "../gallery/asks.ts";
import { given } from "./given.tsx";

const press = (name: string) => screen.getByRole("button", { name });

test("an approval is allowed once with one press", async () => {
  const { user, calls } = given(command());
  await user.click(press("Allow once"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow" });
});

test("a tap says which program wants what, as a list, and has nothing to edit", async () => {
  const input = { wants: "Pair a device of ada", program: "askbridge pair", below: "script < tmux", terminal: "pts/3" };
  const approval = { tool: "askbridge", input, summary: input.wants, rules: [] };
  const { user, calls } = given({ ...command(), agent: "askbridge", approval });
  expect(screen.getByRole("heading", { name: "askbridge asks for a tap" })).toBeTruthy();
  expect((await screen.findByText("script < tmux")).tagName).toBe("DD");
  expect(screen.getAllByText("Pair a device of ada")).toHaveLength(1);
  expect(screen.queryByRole("button", { name: "Edit" })).toBeNull();
  await user.click(press("Allow once"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow" });
});

test("a card of a connected machine says which one it is, and no other does", () => {
  given({ ...command(), machine: "laptop" });
  expect(screen.getByRole("img", { name: "Machine" }).parentElement?.textContent).toBe("laptop");
});

test("a card of this machine names none", () => {
  given(command());
  expect(screen.queryByRole("img", { name: "Machine" })).toBeNull();
});

test("always shows each rule to the letter before it is saved", async () => {
  const { user, calls } = given(command());
  await user.click(press("Always allow…"));
  expect(await screen.findByText("Bash(git push origin:*)")).toBeTruthy();
  expect(screen.getByText(/"prefix": "cargo test -p inventory"/)).toBeTruthy();
  expect(calls.onAnswer).not.toHaveBeenCalled();
  await user.click(screen.getAllByRole("radio")[1]!);
  await user.click(press("Allow and save"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow", always: 1 });
});

test("without a rule to offer there is no always", () => {
  given(change());
  expect(screen.queryByRole("button", { name: "Always allow…" })).toBeNull();
});

test("a command can be changed before it is allowed, and the rest of the input stays", async () => {
  const { user, calls } = given(command());
  await user.click(press("Edit"));
  const field = screen.getByRole("textbox");
  await user.clear(field);
  await user.type(field, "cargo test");
  await user.click(press("Allow my version"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({
    decision: "allow",
    input: { command: "cargo test", description: "Test and push", timeout: 120000 },
  });
});

test("an input that is no JSON cannot be allowed", async () => {
  const { user } = given({ ...command(), approval: { tool: "x", input: { list: [1] }, rules: [] } });
  await user.click(press("Edit"));
  await user.type(screen.getByRole("textbox"), "}}");
  expect(press("Allow my version").hasAttribute("disabled")).toBe(true);
  expect(screen.getByText("This is not JSON yet.")).toBeTruthy();
});

test.each([
  ["[1]", "It has to stay an object with fields, like the original."],
  ["{}", "It is empty: the agent would run the original. Deny it instead."],
  ['{"list": [1], "to": 5}', "to has to be text."],
  ['{"list": "1", "to": "ops"}', "list has to be a list."],
])("an input that would not run cannot be allowed, and says why: %s", async (text, why) => {
  const { user, calls } = given({ ...command(), approval: { tool: "x", input: { list: [1], to: "dev" }, rules: [] } });
  await user.click(press("Edit"));
  const field = screen.getByRole("textbox");
  await user.clear(field);
  await user.paste(text);
  expect(screen.getByText(why)).toBeTruthy();
  expect(field.getAttribute("aria-invalid")).toBe("true");
  await user.click(press("Allow my version"));
  expect(calls.onAnswer).not.toHaveBeenCalled();
});

test("the hints look at what would run, not at what was asked", async () => {
  const { user } = given(command({}, "ls"));
  expect(screen.queryByText("Deletes files")).toBeNull();
  await user.click(press("Edit"));
  await user.type(screen.getByRole("textbox"), " && rm -rf x");
  // Above the text, and beside the buttons.
  expect(screen.getAllByText("Deletes files")).toHaveLength(2);
});

test("deny takes words along, and stop only on purpose", async () => {
  const first = given(command());
  await first.user.click(press("Deny…"));
  await first.user.keyboard("use make");
  await first.user.click(press("Deny"));
  expect(first.calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "deny", words: "use make" });
  first.unmount();
  const second = given(command());
  await second.user.click(press("Deny…"));
  await second.user.click(press("Deny and stop"));
  expect(second.calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "deny", stop: true }, { isUndoable: true });
});

test("everything in an input can be seen, also what the tool's name does not promise", async () => {
  given(command());
  await waitFor(() => expect(screen.getByText("timeout")).toBeTruthy());
  expect(screen.getByText("120000")).toBeTruthy();
});

test("a change is shown line by line, and what is folded opens", async () => {
  const { user, container } = given(change());
  await waitFor(() => expect(container.querySelector(".ab-diff")).toBeTruthy());
  expect(container.querySelectorAll("[data-kind=added]")).toHaveLength(3);
  expect(container.querySelectorAll("[data-kind=removed]")).toHaveLength(5);
  expect(screen.queryByText(/five/)).toBeNull();
  await user.click(screen.getByRole("button", { name: /unchanged lines/ }));
  expect(container.textContent).toContain("fn five");
});

test("a plan is approved, changed, or sent back with words", async () => {
  const first = given(plan());
  await first.user.click(press("Approve"));
  expect(first.calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "approve" });
  first.unmount();

  const second = given({ ...plan(), plan: "Do it" });
  await second.user.click(press("Edit"));
  await second.user.type(screen.getByRole("textbox"), " well");
  await second.user.click(press("Approve my version"));
  expect(second.calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "approve", plan: "Do it well" });
  second.unmount();

  const third = given(plan());
  await third.user.click(press("Send back…"));
  expect(press("Send back").hasAttribute("disabled")).toBe(true);
  await third.user.keyboard("smaller steps");
  await third.user.click(press("Send back"));
  expect(third.calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "send_back", words: "smaller steps" });
});

test("a form is sent once everything needed is there, and says what is not", async () => {
  const { user, calls } = given(form());
  await user.click(press("Send"));
  expect(
    screen
      .getAllByRole("alert")
      .map((alert) => alert.textContent)
      .filter(Boolean),
  ).toEqual(["Fill this in.", "Fill this in.", "Please choose"]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Host/ }));
  await user.keyboard("parts.example");
  await user.type(screen.getByRole("textbox", { name: /^Port/ }), "44x");
  await user.click(screen.getByRole("radio", { name: "eu-north" }));
  await user.click(press("Send"));
  expect(screen.getByText("A whole number, please.")).toBeTruthy();
  await user.clear(screen.getByRole("textbox", { name: /^Port/ }));
  await user.type(screen.getByRole("textbox", { name: /^Port/ }), "443{Enter}");
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({
    decision: "accept",
    content: { host: "parts.example", port: "443", region: "eu-north" },
  });
});

test("a form is declined with words", async () => {
  const { user, calls } = given(form());
  await user.click(press("Decline…"));
  await user.keyboard("ask the platform team");
  await user.click(press("Decline"));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "decline", words: "ask the platform team" });
});

test("a page to visit opens elsewhere, and an address that is none does not", () => {
  const visit = (url: string): Ask => ({ ...form(), form: { message: "Sign in", url, fields: [] } });
  const { now } = given(visit("https://a.example/device"));
  const link = screen.getByRole("link", { name: "Open a.example" });
  expect([link.getAttribute("href"), link.getAttribute("rel"), link.getAttribute("target")]).toEqual([
    "https://a.example/device",
    "noopener noreferrer",
    "_blank",
  ]);
  now(viewOf(visit("javascript:alert(1)")));
  expect(screen.queryByRole("link")).toBeNull();
  expect(screen.getByText("This address cannot be opened safely.")).toBeTruthy();
});

test("closing a panel brings the focus back to what opened it, and keeps the words", async () => {
  const { user } = given(command());
  await user.click(press("Deny…"));
  await user.keyboard("not yet{Escape}");
  expect(document.activeElement).toBe(press("Deny…"));
  await user.keyboard("{Enter}");
  expect(screen.getByDisplayValue("not yet")).toBeTruthy();
});
