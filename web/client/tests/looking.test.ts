import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Looking } from "../src/looking.ts";
import { browser } from "../src/surroundings.ts";
import type { ClientFrame } from "../src/types.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function page() {
  const heard = new Map<string, () => void>();
  const on = { addEventListener: (name: string, listener: () => void) => void heard.set(name, listener), removeEventListener: (name: string) => void heard.delete(name) };
  const document = { ...on, visibilityState: "visible" as DocumentVisibilityState };
  const said: string[][] = [];
  const send = (frame: ClientFrame) => void (frame.type === "looking" && said.push(frame.asks));
  const looking = new Looking({ ...browser(), now: Date.now, window: on as never, document: document as never }, send);
  const becomes = (state: DocumentVisibilityState) => {
    document.visibilityState = state;
    heard.get("visibilitychange")?.();
  };
  return { looking, said, heard, becomes };
}

test("a card is said to be looked at while it is shown on a visible page", () => {
  const { looking, said, becomes } = page();
  looking.connected();
  const hide = looking.show("ask_1");
  becomes("hidden");
  becomes("visible");
  hide();
  expect(said).toEqual([["ask_1"], [], ["ask_1"], []]);
});

test("the same card in two places is said once, until both are gone", () => {
  const { looking, said } = page();
  looking.connected();
  const [one, two] = [looking.show("ask_1"), looking.show("ask_1")];
  one();
  expect(said).toEqual([["ask_1"]]);
  two();
  expect(said).toEqual([["ask_1"], []]);
});

test("a page that nobody touches does not count after a while, and does again once it is touched", () => {
  const { looking, said, heard } = page();
  looking.connected();
  looking.show("ask_1");
  vi.advanceTimersByTime(119_000);
  expect(said).toEqual([["ask_1"]]);
  vi.advanceTimersByTime(2_000);
  expect(said).toEqual([["ask_1"], []]);
  heard.get("keydown")!();
  expect(said).toEqual([["ask_1"], [], ["ask_1"]]);
});

test("it is said again to each connection and with each ping, and nothing is said without a connection", () => {
  const { looking, said } = page();
  looking.show("ask_1");
  looking.again();
  expect(said).toEqual([]);
  looking.connected();
  looking.again();
  looking.lost();
  looking.show("ask_2");
  looking.connected();
  expect(said).toEqual([["ask_1"], ["ask_1"], ["ask_1", "ask_2"]]);
});

test("a page that is left says so", () => {
  const { looking, said, heard } = page();
  looking.connected();
  looking.show("ask_1");
  heard.get("pagehide")!();
  expect(said).toEqual([["ask_1"], []]);
});
