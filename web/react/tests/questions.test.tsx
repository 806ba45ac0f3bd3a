import { createEvent, fireEvent, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { database, huge, previews, secret, several } from "../gallery/asks.ts";
import { given } from "./given.tsx";

const WHICH = "Which database should the new service use?";

test("descriptions and numbers are always there, and the recommended option is marked", () => {
  given(database());
  const first = screen.getByRole("radio", { name: "PostgreSQL recommended" });
  expect(first.textContent).toContain("1");
  expect(first.textContent).toContain("Runs already for billing.");
  expect(screen.getAllByRole("radio")).toHaveLength(3);
});

test("one click answers a single choice", async () => {
  const { user, calls } = given(database());
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ answers: { [WHICH]: { options: [1] } } });
  expect(calls.onDraft).not.toHaveBeenCalled();
});

test("once a word is written, a click only chooses", async () => {
  const { user, calls } = given(database());
  await user.type(screen.getByRole("textbox"), "for a year");
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Answer" }));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ answers: { [WHICH]: { options: [1], text: "for a year" } } });
});

test("a draft from another device turns one tap off, and shows", async () => {
  const { user, calls, now } = given(database());
  now({ draft: { kind: "questions", picks: [{ chosen: [2], text: "", note: "not sure", skipped: false }] } });
  expect(screen.getByRole("radio", { name: "Keep the flat files" }).getAttribute("aria-checked")).toBe("true");
  expect(screen.getByDisplayValue("not sure")).toBeTruthy();
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
});

test("our own draft coming back late does not undo what was typed since", async () => {
  const { user, calls, now } = given(database());
  await user.type(screen.getByRole("textbox"), "abc");
  const [[first]] = calls.onDraft.mock.calls as [[unknown]];
  now({ draft: first });
  expect(screen.getByDisplayValue("abc")).toBeTruthy();
});

test("moving the focus chooses nothing", async () => {
  const { user, calls } = given(database());
  screen.getByRole("radio", { name: "PostgreSQL recommended" }).focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}");
  expect(document.activeElement).toBe(screen.getByRole("radio", { name: "SQLite" }));
  expect(screen.queryByRole("radio", { checked: true })).toBeNull();
  expect(calls.onAnswer).not.toHaveBeenCalled();
});

test("a digit chooses and Enter answers", async () => {
  const { user, calls } = given(database());
  screen.getByRole("radio", { name: "PostgreSQL recommended" }).focus();
  await user.keyboard("3");
  expect(calls.onAnswer).not.toHaveBeenCalled();
  await user.keyboard("{Enter}");
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ answers: { [WHICH]: { options: [2] } } });
});

test("digits in a text field are digits", async () => {
  const { user } = given(database());
  await user.type(screen.getByRole("textbox"), "123");
  expect(screen.queryByRole("radio", { checked: true })).toBeNull();
});

test("Enter while composing sends nothing, also where only key code 229 tells", async () => {
  const { user, calls } = given(database());
  const field = screen.getByRole("textbox");
  await user.type(field, "にほん");
  fireEvent(field, createEvent.keyDown(field, { key: "Enter", keyCode: 229 }));
  fireEvent(field, createEvent.keyDown(field, { key: "Enter", isComposing: true }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({ answers: { [WHICH]: { text: "にほん" } } });
});

test("nothing is sent while a question has no answer, and the person is told which", async () => {
  const { user, calls } = given(several());
  await user.click(screen.getByRole("checkbox", { name: "Search" }));
  await user.click(screen.getByRole("button", { name: "Answer" }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
  expect(screen.getByRole("alert").textContent).toContain("2 questions have no answer yet.");
  expect(document.activeElement).toBe(screen.getByRole("radio", { name: "Everyone who is signed in" }));
  await user.click(screen.getByRole("button", { name: "Skip the rest and send" }));
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({
    answers: {
      "Which parts should the first release contain?": { options: [1] },
      "Who may change the stock?": null,
      "What shall the service be called?": null,
    },
  });
});

test("an empty answer is not sent", async () => {
  const { user, calls } = given(several());
  await user.click(screen.getByRole("button", { name: "Answer" }));
  for (const skip of screen.getAllByRole("button", { name: /^Skip:/ })) await user.click(skip);
  await user.click(screen.getByRole("button", { name: "Answer" }));
  expect(screen.getByRole("alert").textContent).toContain("Nothing is answered yet.");
  expect(calls.onAnswer).not.toHaveBeenCalled();
});

test("a note goes along, and a skipped question can be answered after all", async () => {
  const { user, calls } = given(several());
  const [scope, rights, name] = screen.getAllByRole("group").filter((group) => group.hasAttribute("data-question"));
  await user.click(within(scope!).getByRole("checkbox", { name: "Labels" }));
  await user.click(within(scope!).getByRole("button", { name: "Add a note" }));
  await user.keyboard("soon");
  await user.click(within(rights!).getByRole("button", { name: /^Skip/ }));
  await user.click(screen.getByRole("button", { name: "Answer it after all" }));
  await user.click(screen.getByRole("radio", { name: "Only the warehouse" }));
  await user.type(within(name!).getByRole("textbox"), "stock");
  await user.click(screen.getByRole("button", { name: "Answer" }));
  expect(calls.onAnswer.mock.calls[0]).toEqual([
    {
      answers: {
        "Which parts should the first release contain?": { options: [2] },
        "Who may change the stock?": { options: [1] },
        "What shall the service be called?": { text: "stock" },
      },
      notes: { "Which parts should the first release contain?": "soon" },
    },
  ]);
});

test("twelve questions with twenty-six options are answered with a click each", async () => {
  const ask = huge();
  const { user, calls } = given({ ...ask, questions: ask.questions.map((each) => ({ ...each, multiSelect: false })) });
  for (let at = 0; at < 12; at += 1) {
    expect(screen.getAllByRole("radio")).toHaveLength(26);
    await user.click(screen.getByRole("radio", { name: `${String.fromCharCode(65 + at)} · Region ${at + 1}` }));
  }
  await user.click(screen.getByRole("button", { name: "Answer" }));
  expect(Object.values(calls.onAnswer.mock.calls[0]?.[0].answers)).toEqual(
    Array.from({ length: 12 }, (_, at) => ({ options: [at] })),
  );
});

test("a preview is a document without rights", () => {
  const { container } = given(previews());
  const [frame] = container.querySelectorAll("iframe");
  expect(frame?.getAttribute("sandbox")).toBe("");
  expect(frame?.getAttribute("srcdoc")).not.toContain("<script");
});

test("a secret is typed unseen and kept nowhere", async () => {
  const { user, calls, container } = given(secret());
  const field = container.querySelector<HTMLInputElement>("input[type=password]");
  await user.type(field!, "hunter2");
  expect(JSON.stringify(calls.onDraft.mock.calls)).not.toContain("hunter2");
  await user.keyboard("{Enter}");
  expect(calls.onAnswer).toHaveBeenCalledExactlyOnceWith({
    answers: { "What is the passphrase of the signing key?": { text: "hunter2" } },
  });
});

test("dismissing takes words along, and asking differently says so", async () => {
  const { user, calls } = given(database());
  await user.click(screen.getByRole("button", { name: "Ask me differently" }));
  await user.keyboard("with prices");
  await user.click(screen.getByRole("button", { name: "Send back" }));
  expect(calls.onDismiss).toHaveBeenLastCalledWith("Please ask this differently. with prices");
});

test("Escape keeps the words of a dismissal", async () => {
  const { user, calls } = given(database());
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  await user.keyboard("later{Escape}");
  expect(calls.onDismiss).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(screen.getByDisplayValue("later")).toBeTruthy();
});

test("ten more minutes are asked for with one press", async () => {
  const { user, calls } = given(several());
  await user.click(screen.getByRole("button", { name: "10 more minutes" }));
  expect(calls.onExtend).toHaveBeenCalledExactlyOnceWith(600);
});

test("in Japanese everything of ours is Japanese", () => {
  const { container } = given(database({ context: {}, agent: "エージェント" }), {}, "ja");
  const ours = [...container.querySelectorAll("button:not([role]), .ab-waits, .ab-tap-hint, .ab-head-title")].map(
    (element) => element.textContent,
  );
  expect(ours.length).toBeGreaterThan(4);
  for (const text of ours) expect(text).toMatch(/[ぁ-んァ-ヶ一-龠]/);
});

test("a card that somebody came to from a list takes keys at once", async () => {
  const { user, container } = given(database());
  container.querySelector<HTMLElement>("article")?.focus();
  await user.keyboard("2");
  expect(document.activeElement).toBe(screen.getByRole("radio", { name: "SQLite", checked: true }));
});
