import { expect, test } from "vitest";
import type { Ask, AskView, Item, State } from "@askbridge/client";
import { nothing } from "@askbridge/client";
import { appWords } from "@askbridge/words";
import { spent } from "./chat/spent.ts";
import { inWords } from "./parts/in_words.ts";
import { outcome } from "./parts/outcome.ts";
import { isLongOver, rows } from "./pages/rows.ts";
import { recentFolders } from "./parts/FolderField.tsx";
import { placeOf } from "./router.tsx";
import { secretIn } from "./identity.ts";
import { ago } from "./time.ts";

const ask = (more: object): Ask => ({
  kind: "questions", questions: [{ question: "Q", multiSelect: false, options: [] }], id: "ask_1", session: "ses_1", agent: "a", door: "http",
  answerable: true, answers: {}, asked_at: "2026-11-15T08:00:00.000Z", by: null, deadline: null, delivered_at: null, notes: {}, parked: false,
  stranded: false, settled_at: null, skipped: [], state: "open", verdict: null, ...more,
}) as Ask;
const view = (more: object, of: Partial<AskView> = {}): AskView => ({ id: ask(more).id, ask: ask(more), sending: { state: "idle" }, draft: null, snoozedUntil: null, ...of });
const state = (...views: AskView[]): State => ({ ...nothing, asks: new Map(views.map((one) => [one.id, one])) });

test("words never allow, approve or accept anything", () => {
  expect(inWords(ask({}), "yes")).toEqual({ answers: { Q: { text: "yes" } } });
  expect(inWords(ask({ questions: [{ question: "Q" }, { question: "R" }] }), "yes")).toBeNull();
  for (const kind of ["approval", "plan", "form"]) {
    expect(["deny", "send_back", "decline"]).toContain(inWords(ask({ kind }), "yes, allow it")?.decision);
  }
  expect(inWords(ask({ kind: "hologram" }), "yes")).toBeNull();
});

test("the inbox has what waits, and for a minute what ended; the order and the filter are the person's", () => {
  const now = Date.parse("2026-11-15T09:00:00.000Z");
  const all = state(
    view({ id: "old" }), view({ id: "new", asked_at: "2026-11-15T08:30:00.000Z", agent: "b" }),
    view({ id: "just", asked_at: "2026-11-15T08:40:00.000Z", state: "answered", settled_at: "2026-11-15T08:59:30.000Z" }),
    view({ id: "over", state: "answered", settled_at: "2026-11-15T08:50:00.000Z" }),
    view({ id: "snoozed" }, { snoozedUntil: now + 1000 }),
  );
  const ids = (...rest: [Parameters<typeof rows>[1], "longest" | "newest"]) => rows(all, ...rest, now).map(({ id }) => id);
  const everything = { text: "", kind: "", agent: "", snoozed: false } as const;
  expect(ids(everything, "longest")).toEqual(["old", "new", "just"]);
  expect(ids(everything, "newest")).toEqual(["just", "new", "old"]);
  expect(ids({ ...everything, agent: "b" }, "longest")).toEqual(["new"]);
  expect(ids({ ...everything, snoozed: true }, "longest")).toEqual(["snoozed"]);
  expect(ids({ ...everything, text: "nothing like it" }, "longest")).toEqual([]);
});

test("every address leads somewhere, or says that it does not", () => {
  expect(placeOf("/")).toEqual({ page: "inbox", ask: null });
  expect(placeOf("/asks/ask_1")).toEqual({ page: "inbox", ask: "ask_1" });
  expect(placeOf("/sessions/new")).toEqual({ page: "new_session" });
  expect(placeOf("/sessions/ses_1")).toEqual({ page: "session", session: "ses_1" });
  expect(placeOf("/settings/")).toEqual({ page: "settings" });
  for (const path of ["/asks", "/x", "/sessions/a/b", "/history/x"]) expect(placeOf(path), path).toEqual({ page: "unknown" });
});

test("how an ask ended is one line in every language", () => {
  for (const words of Object.values(appWords)) {
    for (const of of ["open", "proposed", "answered", "dismissed", "expired", "ruled", "withdrawn", "overtaken"]) {
      expect(outcome(ask({ state: of, by: { person: "ada", device: "phone", via: "native" } }), words)).not.toBe("");
    }
  }
});

test("what turns cost is added up, and what nobody said stays unsaid", () => {
  const turn = (usage: object | null) => ({ key: "k", at: 0, kind: "turn_ended", reason: "completed", usage }) as Item;
  expect(spent([turn(null)])).toBeNull();
  expect(spent([turn({ costUsd: 1, tokensIn: null, tokensOut: 2 }), turn({ costUsd: 2, tokensIn: null, tokensOut: 3 })])).toEqual({ costUsd: 3, tokensIn: null, tokensOut: 5 });
});

test("a secret is found in a link, and a bare one is one", () => {
  expect(secretIn("http://127.0.0.1:4760/#pair=pair_abc")).toBe("pair_abc");
  expect(secretIn(" pair_abc ")).toBe("pair_abc");
});

test("times are said in the largest unit that fits", () => {
  expect(ago(0, 12_000, "en")).toBe("12 seconds ago");
  expect(ago(0, 3_700_000, "ja")).toBe("1 時間前");
});

test("recent folders are those where people had agents work, not those that an agent names", () => {
  const session = (door: string, folder: string | null) => ({ door, folder });
  expect(recentFolders([session("http", "/home/ada/\u202eevil"), session("mcp", "/tmp/x"), session("hook", "/tmp/y")])).toEqual([]);
  expect(recentFolders([session("http", "/bad"), session("claude", "/a"), session("claude", null), session("claude", "/b"), session("claude", "/a")])).toEqual(["/a", "/b"]);
});

test("what ended a while ago is not what a desk comes back to", () => {
  const now = Date.parse("2026-11-15T09:00:00.000Z");
  const ended = (at: string, more: object = {}) => view({ state: "answered", settled_at: at, ...more });
  expect(isLongOver(ended("2026-11-15T08:50:00.000Z"), now)).toBe(true);
  expect(isLongOver(ended("2026-11-15T08:59:30.000Z"), now)).toBe(false);
  expect(isLongOver(view({}), now)).toBe(false);
});
