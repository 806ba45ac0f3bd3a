import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Ask, Sending } from "@askbridge/client";
import { command, database, viewOf } from "../gallery/asks.ts";
import { samples } from "../gallery/samples.ts";
import { AskCard, Preparing } from "../src/index.ts";
import { Ahead } from "../src/now.ts";
import { given } from "./given.tsx";

const WHICH = "Which database should the new service use?";
const ada = { person: "ada", device: "phone", via: "native" };
const settled_at = () => new Date(Date.now() - 12.5 * 60_000).toISOString();
const status = () => screen.getByRole("status").textContent;

test.each([
  [{ state: "sending", what: "answer" }, "Sending…"],
  [{ state: "queued", what: "answer" }, "Not sent yet. Kept on this device, and sent as soon as there is a connection."],
  [{ state: "held", what: "answer", until: Date.now() + 60_000 }, "Your answer goes in a moment."],
] satisfies [Sending, string][])("while it is %j, nothing can be chosen", (sending, words) => {
  given(database(), { sending });
  expect(status()).toBe(words);
  expect(screen.queryByRole("radio")).toBeNull();
  expect(screen.getByText(WHICH)).toBeTruthy();
});

test("what was tapped shows while it can be undone, and undo brings the question back", async () => {
  const { user, calls, now } = given(database());
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  now({ ask: database({ state: "proposed", undo_until: new Date(Date.now() + 60_000).toISOString() }) });
  expect(screen.getByText("SQLite")).toBeTruthy();
  expect(screen.getByText(/Not chosen:/).parentElement?.textContent).toContain("PostgreSQL · Keep the flat files");
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(calls.onUndo).toHaveBeenCalledOnce();
  now({ ask: database() });
  expect(screen.queryByRole("radio", { checked: true })).toBeNull();
});

test("what was written is still there after an undo", async () => {
  const { user, now } = given(database());
  await user.type(screen.getByRole("textbox"), "MariaDB{Enter}");
  now({
    ask: {
      ...database(),
      state: "proposed",
      undo_until: new Date(Date.now() + 60_000).toISOString(),
      answers: { [WHICH]: "MariaDB" },
    },
    draft: null,
  });
  expect(status()).toBe("Answered. It can still be taken back.");
  now({ ask: database() });
  expect(screen.getByDisplayValue("MariaDB")).toBeTruthy();
});

test("an answer is stored, then delivered, and says who gave it", () => {
  const ask = database({
    state: "answered",
    answerable: false,
    settled_at: settled_at(),
    by: ada,
    answers: { [WHICH]: "SQLite" },
  });
  const { now } = given(ask);
  expect(status()).toMatch(/^Answered by ada \(phone\) 12 minutes ago.*Stored, and on its way/);
  now({ ask: { ...ask, delivered_at: settled_at() } });
  expect(status()).toMatch(/The agent heard it at /);
});

test("an answer beside an open terminal is not certain, and a decision through MCP is handed and no more", () => {
  const answered = { state: "answered", answerable: false, settled_at: settled_at(), by: ada } as const;
  const { now } = given(command({ ...answered, certain: false }));
  expect(status()).toMatch(/Sent\. The terminal may have answered first\.$/);
  now({ ask: command({ ...answered, delivered_at: settled_at() }) });
  expect(status()).toMatch(/The agent heard it at /);
  now({ ask: command({ ...answered, handed_at: settled_at() }) });
  expect(status()).toMatch(/Handed to the agent’s program\. It does not say what it ran\.$/);
});

test("what the person did themselves is called theirs", () => {
  given(
    database({
      state: "answered",
      answerable: false,
      settled_at: settled_at(),
      by: { ...ada, person: "grace" },
      answers: { [WHICH]: "SQLite" },
    }),
  );
  expect(status()).toMatch(/^Answered by you \(phone\)/);
});

test.each([
  [
    database({ state: "dismissed", answerable: false, settled_at: settled_at(), by: ada, words: "not now" }),
    /Dismissed by ada \(phone\).*not now/,
  ],
  [
    database({ state: "withdrawn", answerable: false, settled_at: settled_at(), words: "interrupted" }),
    /The agent no longer asks.*interrupted/,
  ],
  [
    database({ state: "overtaken", answerable: false, settled_at: settled_at(), words: "the terminal" }),
    /Answered elsewhere first.*the terminal/,
  ],
  [
    command({ state: "overtaken", answerable: false, settled_at: settled_at(), words: "the terminal", ran: { command: "rm -r build" } }),
    /What ran is not what you allowed\. This ran:[^]*rm -r build[^]*the terminal/,
  ],
] satisfies [Ask, RegExp][])("the end is told with its reason", (ask, words) => {
  given(ask);
  expect(status()).toMatch(words);
  expect(screen.queryByRole("radio")).toBeNull();
});

test("an expired question says what the agent was told, and takes a late answer on purpose", async () => {
  const { user, calls } = given(
    database({ state: "expired", settled_at: settled_at(), verdict: { ruling: "assume", words: "Assume SQLite." } }),
  );
  expect(screen.getByText("Nobody answered in time.").parentElement?.textContent).toContain("You can still answer.");
  expect(screen.getByText("Assume SQLite.")).toBeTruthy();
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Answer" }));
  expect(calls.onAnswer).toHaveBeenCalledOnce();
});

test("a late answer is shown, and cannot be given twice", () => {
  given(
    database({
      state: "expired",
      settled_at: settled_at(),
      verdict: { ruling: "deny", words: "" },
      late: { answers: { [WHICH]: "SQLite" }, notes: {}, by: ada, at: settled_at() },
    }),
  );
  expect(status()).toMatch(/ada \(phone\) answered late/);
  expect(screen.queryByRole("radio")).toBeNull();
  expect(screen.getByText("SQLite")).toBeTruthy();
});

test("parked and stranded questions say so, and can be answered", () => {
  const { now } = given(database({ parked: true }));
  expect(screen.getByText("The agent sleeps. Your answer wakes it.")).toBeTruthy();
  now({ ask: database({ stranded: true }) });
  expect(screen.getByText(/The way back to the agent is gone/)).toBeTruthy();
  expect(screen.getAllByRole("radio")).toHaveLength(3);
});

test("whoever came second is told who was first", () => {
  const because = {
    code: "already_decided" as const,
    detail: "",
    parts: [],
    winner: { by: ada, at: settled_at() },
    retry: false,
  };
  given(database({ state: "answered", answerable: false, settled_at: settled_at(), by: ada, answers: { [WHICH]: "SQLite" } }), {
    sending: { state: "refused", what: "answer", because },
  });
  expect(screen.getByRole("alert").textContent).toMatch(/ada \(phone\) was first, 12 minutes ago. Yours did not count./);
});

test("a refused answer can be mended: nothing that was written is gone", async () => {
  const { user, now } = given(database());
  await user.type(screen.getByRole("textbox"), "MariaDB{Enter}");
  now({
    sending: {
      state: "refused",
      what: "answer",
      because: {
        code: "answer_does_not_fit",
        detail: "x",
        parts: [{ question: WHICH, detail: "too long" }],
        winner: null,
        retry: false,
      },
    },
  });
  expect(screen.getByText("too long").closest("[role=alert]")).toBeTruthy();
  expect(screen.getByDisplayValue("MariaDB")).toBeTruthy();
});

test("asking for more time leaves the form as it is", async () => {
  const { user, now } = given(database({ deadline: new Date(Date.now() + 60_000).toISOString() }));
  await user.type(screen.getByRole("textbox"), "Maria");
  now({ sending: { state: "sending", what: "extend" } });
  expect(screen.getByDisplayValue("Maria")).toBeTruthy();
});

test("every sample of the gallery is drawn in both languages", () => {
  for (const language of ["en", "ja"] as const) {
    for (const { name, view } of samples()) {
      if (name === "broken") continue;
      const { container, unmount } = given(view.ask, view, language);
      expect(container.querySelector("[data-phase='broken']"), name).toBeNull();
      expect(container.querySelector("article")?.textContent?.length, name).toBeGreaterThan(20);
      unmount();
    }
  }
});

test("a card of a rule's decision names the rule", () => {
  given(
    command({
      state: "ruled",
      answerable: false,
      settled_at: settled_at(),
      by: { rule: "nightly" },
      verdict: { ruling: "deny", words: "No." },
    }),
  );
  expect(screen.getByText(/The rule “nightly” decided/)).toBeTruthy();
});

test("the focus stays in the card: on undo after an answer, on the question after an undo", async () => {
  const { user, now } = given(database());
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  now({ sending: { state: "held", what: "answer", until: Date.now() + 60_000 } });
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Undo" }));
  await user.keyboard("{Enter}");
  now({ sending: { state: "idle" } });
  expect(document.activeElement).toBe(screen.getAllByRole("radio")[0]);
});

test("a card that ends by itself takes no focus from elsewhere", () => {
  const field = document.body.appendChild(document.createElement("textarea"));
  field.focus();
  const { now } = given(database());
  now({ ask: database({ state: "withdrawn", answerable: false, settled_at: settled_at() }) });
  expect(document.activeElement).toBe(field);
  field.remove();
});

test("what was not sent yet never says that it was answered, and can be taken back", async () => {
  const { user, calls } = given(database(), { sending: { state: "queued", what: "answer" } });
  expect(status()).toMatch(/^Not sent yet/);
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(calls.onUndo).toHaveBeenCalledOnce();
});

test("a vote can be taken back while more people have to agree", async () => {
  const quorum = { needed: 2, answered: [ada], agree: 1 };
  const { user, calls, now } = given(database({ quorum }));
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  now({ ask: database({ quorum: { ...quorum, answered: [{ ...ada, person: "grace" }] } }) });
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(calls.onUndo).toHaveBeenCalledOnce();
});

test("only whoever answered can take it back", () => {
  const ask = (person: string) =>
    database({
      state: "proposed",
      undo_until: new Date(Date.now() + 60_000).toISOString(),
      answers: { [WHICH]: "SQLite" },
      by: { ...ada, person },
    });
  const { now } = given(ask("ada"));
  expect(status()).toBe("Answered by ada (phone). It can still be taken back.");
  expect(screen.getByText(/^Counts in (59|60) s$/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  now({ ask: ask("grace") });
  expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
});

test("how many of those who have to agree have answered is on the card", () => {
  const quorum = { needed: 2, answered: [ada], agree: 1 };
  const { now } = given(database({ quorum }));
  expect(status()).toBe("1 of 2 answered. ada (phone). It counts once 2 people say the same. ");
  now({ ask: database({ quorum: { ...quorum, answered: [ada, { ...ada, person: "grace", device: "desk" }] } }) });
  expect(status()).toBe("2 of 2 answered. ada (phone), you (desk). Their answers differ; it counts once enough people say the same. Yours is in, and you can still change it.");
  expect(screen.getAllByRole("radio")).toHaveLength(3);
});

test("words for closing it are a draft like any other: kept, and taken over from another device", async () => {
  const { user, calls, now } = given(database());
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  await user.type(screen.getByRole("textbox", { name: /Words for the agent/ }), "no");
  expect(calls.onDraft).toHaveBeenLastCalledWith({ parting: "no" });
  now({ draft: { parting: "not today" } });
  expect(screen.getByDisplayValue("not today")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  // Something is half written: one tap would answer over it.
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls.onAnswer).not.toHaveBeenCalled();
  expect(calls.onDraft).toHaveBeenLastCalledWith({ kind: "questions", picks: [{ chosen: [1], text: "", note: "", skipped: false }], parting: "not today" });
});

test("a countdown is the server's, whatever this device's clock says", () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const AHEAD = 10 * 60_000;
  const deadline = new Date(Date.now() + AHEAD + 90_000).toISOString();
  const actions = { onAnswer: () => undefined, onDismiss: () => undefined, onExtend: () => undefined, onUndo: () => undefined, onDraft: () => undefined };
  render(<Ahead.Provider value={AHEAD}><AskCard view={viewOf(database({ deadline }))} language="en" {...actions} /></Ahead.Provider>);
  expect(screen.getByRole("timer").textContent).toBe("1:30 left");
  vi.useRealTimers();
});

test("a question that is being written shows as far as it goes", () => {
  render(<Preparing language="en" text="Which data" options={["Post"]} />);
  expect(screen.getByText("Which data")).toBeTruthy();
  expect(screen.getByText("Post")).toBeTruthy();
  expect(screen.getByRole("article").getAttribute("aria-busy")).toBe("true");
});

test("an ask of which only the beginning is here cannot be decided before the rest is", async () => {
  const ask = { ...command(), truncated: { bytes: 81_234 } };
  const { user, calls, now } = given(ask, { rest: "loading" });
  expect(status()).toBe("This is large (82 kB). Loading the rest…");
  expect(screen.queryByRole("button")).toBeNull();
  now({ rest: "failed" });
  expect(screen.getByRole("alert").textContent).toContain("The rest could not be loaded. You can decide once all of it is here.");
  expect(screen.getAllByRole("button")).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Load it again" }));
  expect(calls.onComplete).toHaveBeenCalledOnce();
  now({ ask: command() });
  expect(screen.getByRole("button", { name: "Allow once" })).toBeTruthy();
});
