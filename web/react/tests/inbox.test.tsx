import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { nothing, type Ask as AskData, type Client, type State } from "@askbridge/client";
import { command, database, viewOf } from "../gallery/asks.ts";
import { many } from "../gallery/samples.ts";
import { Ask, Askbridge, Inbox, headlineOf, useLingeringInbox } from "../src/index.ts";

test("a row says who asks, what, since when, and can be put off", async () => {
  const [onSelect, onSnooze] = [vi.fn(), vi.fn()];
  const view = viewOf(database());
  render(<Inbox views={[view]} language="en" onSelect={onSelect} onSnooze={onSnooze} />);
  const row = screen.getByRole("button", { name: /^claude/ });
  expect(row.textContent).toMatch(/claude.*Database.*(3|4) min/);
  await userEvent.click(screen.getByRole("button", { name: "Not now: Which database should the new service use?" }));
  await userEvent.click(row);
  expect([onSelect.mock.calls, onSnooze.mock.calls]).toEqual([[[view.id]], [[view.id]]]);
});

test("a row that ended stays in its place and says by whom", () => {
  const ended = viewOf(
    database({
      state: "answered",
      settled_at: new Date(Date.now() - 12.5 * 60_000).toISOString(),
      by: { person: "ada", device: "phone", via: "native" },
    }),
  );
  render(<Inbox views={[viewOf(database()), ended, viewOf(command())]} language="en" onSelect={() => {}} onSnooze={() => {}} />);
  expect(screen.getAllByRole("listitem")[1]?.textContent).toContain("Answered by ada (phone) 12 minutes ago");
  expect(screen.getAllByRole("button", { name: /^Not now/ })).toHaveLength(2);
});

test("ten thousand rows are a few elements, and every row knows its place", async () => {
  const user = userEvent.setup();
  render(<Inbox views={many(10_000)} language="en" onSelect={() => {}} />);
  expect(screen.getAllByRole("listitem").length).toBeLessThan(40);
  act(() => screen.getAllByRole("button")[0]?.focus());
  await user.keyboard("jj{ArrowDown}k");
  expect(document.activeElement?.closest("li")?.getAttribute("aria-posinset")).toBe("3");
  await user.keyboard("{End}");
  expect(document.activeElement?.closest("li")?.getAttribute("aria-posinset")).toBe("10000");
  expect(screen.getAllByRole("listitem").length).toBeLessThan(40);
});

test("a headline is one line, and says what would run", () => {
  expect(headlineOf(command({}, "a\n  b"))).toBe("Bash: a b");
  expect(headlineOf({ ...database(), kind: "plan", plan: "\n\n## Move it\n\nx" } as AskData)).toBe("Move it");
});

test("a row of an approval that the list has shortened says that its hints are not all", () => {
  const ask = { ...command({}, `ls ${"x".repeat(200)}`), truncated: { bytes: 80_000 } } as AskData;
  const { rerender } = render(<Inbox views={[viewOf(ask)]} language="en" onSelect={() => {}} />);
  expect(screen.getByRole("listitem").textContent).toContain("Long: open it before you decide");
  rerender(<Inbox views={[viewOf(command())]} language="en" onSelect={() => {}} />);
  expect(screen.getByRole("listitem").textContent).not.toContain("Long:");
});

/** A client as far as hooks look at it. */
function clientOf(first: State) {
  const listeners = new Set<() => void>();
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const client = {
    state: first,
    onScreen: () => () => undefined,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    answer: note("answer"),
    dismiss: note("dismiss"),
    extend: note("extend"),
    undo: note("undo"),
    draft: note("draft"),
  };
  const tell = (state: State) =>
    act(() => {
      client.state = state;
      for (const listener of listeners) listener();
    });
  return { client: client as unknown as Client, calls, tell };
}

const known = (...asks: AskData[]): State => ({
  ...nothing,
  me: { name: "grace", role: "operator" },
  asks: new Map(asks.map((ask) => [ask.id, viewOf(ask)])),
});

test("an ask by its id is its place first, then its card, bound to the client", async () => {
  const ask = database();
  const { client, calls, tell } = clientOf({ ...nothing, preparing: new Set([ask.id]) });
  render(
    <Askbridge client={client} language="en">
      <Ask id={ask.id} />
    </Askbridge>,
  );
  expect(screen.getByRole("status").textContent).toBe("A question is being written…");
  tell(known(ask));
  await userEvent.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls).toEqual([["answer", ask.id, { answers: { "Which database should the new service use?": { options: [1] } } }]]);
});

test("what ends while the list is looked at stays a while, where it was", () => {
  const [first, second, third] = [1, 2, 3].map((n) => database({ asked_at: `2026-11-15T08:0${n}:00.000Z` })) as [
    AskData,
    AskData,
    AskData,
  ];
  const { client, tell } = clientOf(known(first, second, third));
  const now = Date.parse("2026-11-15T09:00:00.000Z");
  let shown: string[] = [];
  function List({ at }: { at: number }) {
    shown = useLingeringInbox(at).map(({ id }) => id);
    return null;
  }
  const page = (at: number) => (
    <Askbridge client={client} language="en">
      <List at={at} />
    </Askbridge>
  );
  const { rerender } = render(page(now));
  tell(known(first, { ...second, state: "answered", settled_at: new Date(now).toISOString() }, third));
  expect(shown).toEqual([first.id, second.id, third.id]);
  rerender(page(now + 31_000));
  expect(shown).toEqual([first.id, third.id]);
});
