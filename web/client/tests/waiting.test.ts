/** Answers that were not sent before the page was loaded anew. */

import { expect, test, vi } from "vitest";
import { connect } from "../src/index.ts";

test("an answer that waits is shown with its ask after a reload without a server", async () => {
  vi.useFakeTimers();
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key), key: (at: number) => [...kept.keys()][at] ?? null, get length() { return kept.size; },
  };
  class Silent { readyState = 0; send() {} close() {} }
  const around = { WebSocket: Silent as never, storage, window: null, document: null, fetch: () => Promise.reject(new Error("no network")) };
  const ask = { id: "ask_1", session: "ses_1", state: "open", kind: "questions", questions: [], asked_at: "2026-01-01T00:00:00Z", settled_at: null, answers: {} };
  const answer = { answers: { Q: { text: "as bright as day" } } };
  kept.set("askbridge.unsent.ask_1", JSON.stringify({ what: "answer", answer, notBefore: null }));
  const client = connect({ base: "http://127.0.0.1:1", token: "t", around });
  (client as unknown as { hear: (heard: object) => void }).hear({ type: "asks", asks: [ask] });
  await vi.advanceTimersByTimeAsync(100);
  expect(client.state.asks.get("ask_1")?.sending).toEqual({ state: "queued", what: "answer", given: answer });
  client.undo("ask_1");
  await vi.advanceTimersByTimeAsync(100);
  expect(client.state.asks.get("ask_1")?.sending).toEqual({ state: "idle" });
  expect(kept.has("askbridge.unsent.ask_1")).toBe(false);
  client.close();
  vi.useRealTimers();
});
