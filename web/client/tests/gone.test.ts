/** What becomes of what is known when sessions are forgotten. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nothing, reduce, type Heard, type ServerFrame } from "../src/index.ts";

const frames = JSON.parse(readFileSync(new URL("./recorded/story.json", import.meta.url), "utf8")) as ServerFrame[];
const heard = (frame: ServerFrame): Heard =>
  frame.type === "reply" && frame.ok && frame.ask ? { type: "asks", asks: [frame.ask] } : { type: "frame", frame };

test("what was forgotten leaves every list, and a page that shows it says so", () => {
  const story = reduce(nothing, frames.map(heard)).state;
  const [one, other] = [...new Set([...story.asks.values()].map((view) => view.ask.session))];
  expect(other).toBeDefined();
  const listed = (id: string) => ({
    id, state: "closed" as const, agent: "ci", door: "http", title: null, folder: null, branch: null,
    waiting_for_person: false, open_asks: 0, headline: null, single_ask: false, started_at: "2026-11-15T08:30:00.000Z", last_activity: "2026-11-15T08:30:00.000Z",
  });
  const before = reduce(story, [
    { type: "sessions", items: [listed(one!), listed(other!)], next: null, from: null },
    { type: "watch", session: one! },
    { type: "watch", session: other! },
  ]).state;
  const { state } = reduce(before, [{ type: "frame", frame: { type: "gone", sessions: [one!] } }]);
  expect(state.sessions.items.map(({ id }) => id)).toEqual([other]);
  expect([...state.asks.values()].filter((view) => view.ask.session === one)).toEqual([]);
  expect([...state.asks.values()].filter((view) => view.ask.session === other).length).toBeGreaterThan(0);
  expect(state.conversations.get(one!)).toMatchObject({ session: null, gone: true, loading: false });
  expect(state.conversations.get(other!)?.gone).toBeUndefined();
});
