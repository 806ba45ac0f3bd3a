import { render, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Ask, Ring } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { database, viewOf } from "../gallery/asks.ts";
import { AskCard } from "../src/index.ts";
import { RingWatcher } from "../src/rings.ts";

const nothing = () => undefined;
const ring = (more: Partial<Ring>): Ring => ({ channel: "phone", kind: "ntfy", person: "grace", state: "sent", at: new Date().toISOString(), times: 1, ...more });

function lines(rings: readonly Ring[], change: Partial<Ask> = {}, language: Language = "en"): (string | null)[] {
  const view = viewOf({ ...database(), ...change } as Ask);
  const { container } = render(<AskCard view={view} language={language} rings={rings} onAnswer={nothing} onDismiss={nothing} onExtend={nothing} onUndo={nothing} onDraft={nothing} />);
  const list = within(container).queryByRole("list", { name: language === "en" ? "Where it rang" : "呼び出した先" });
  return [...(list?.children ?? [])].map(({ textContent }) => textContent?.replaceAll("\u202f", " ") ?? null);
}

test("an open card says where it rang, where it did not, and why", () => {
  expect(lines([
    ring({}), ring({ channel: "desk", state: "suppressed", why: "you are at a terminal of this machine" }),
    ring({ channel: "ntfy", state: "failed", why: "the server answered 500" }),
  ])).toEqual([
    expect.stringMatching(/^rang phone \d+:\d\d [AP]M$/),
    "did not ring desk: you are at a terminal of this machine",
    "could not ring ntfy: the server answered 500 (trying again)",
  ]);
});

test("once it is settled, only what rang is worth a line, and nothing is tried again", () => {
  expect(lines(
    [ring({ state: "answered" }), ring({ channel: "desk", state: "suppressed", why: "you have snoozed it" }), ring({ channel: "ntfy", state: "failed", why: "no" })],
    { state: "answered", settled_at: new Date().toISOString() },
  )).toEqual([expect.stringMatching(/^answered from phone /), "could not ring ntfy: no"]);
});

test("reasons that the server says in English are Japanese on a Japanese card", () => {
  expect(lines([ring({ state: "suppressed", why: "these are quiet hours" })], {}, "ja")).toEqual(["phone は呼び出さず：静かな時間帯です"]);
});

test("a card that rang nowhere says nothing about it", () => {
  expect(lines([])).toEqual([]);
});

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

test("events in quick succession make one request, and a later one another", async () => {
  const ask = vi.fn(async () => ({ rings: [ring({})] }) as Ask);
  const told = vi.fn();
  const watcher = new RingWatcher({ api: { ask } } as unknown as ConstructorParameters<typeof RingWatcher>[0], "ask_1", told);
  for (let n = 0; n < 5; n += 1) watcher.look();
  await vi.advanceTimersByTimeAsync(0);
  expect(ask).toHaveBeenCalledTimes(1);
  for (let n = 0; n < 5; n += 1) watcher.look();
  await vi.advanceTimersByTimeAsync(2_900);
  expect(ask).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(told).toHaveBeenCalledTimes(2);
  watcher.look();
  watcher.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ask).toHaveBeenCalledTimes(2);
});
