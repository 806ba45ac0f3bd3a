/** The service worker, in a small stand-in for its surroundings. The browser's own is in the journeys. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reachWords } from "@askbridge/words";

const { ticketRefused, ticketUnsent, somethingWaits } = reachWords.en;
const source = readFileSync(join(import.meta.dirname, "../public/sw.js"), "utf8").replace("const WORDS = {}", `const WORDS = ${JSON.stringify({ en: { ticketRefused, ticketUnsent, somethingWaits } })}`);

interface Shown {
  title: string;
  [option: string]: any;
}

function worker(fetch: (path: string, init: any) => Promise<Response> = () => Promise.reject(new Error("no network")), windows: any[] = []) {
  const heard = new Map<string, (event: any) => void>();
  const shown: Shown[] = [];
  const opened: string[] = [];
  const badges: number[] = [];
  const self = {
    addEventListener: (name: string, listener: (event: any) => void) => heard.set(name, listener),
    registration: {
      showNotification: async (title: string, options: object) => void shown.push({ title, ...options, close() { shown.splice(shown.indexOf(this as Shown), 1); } }),
      getNotifications: async () => [...shown],
    },
    clients: { matchAll: async () => windows, openWindow: async (path: string) => void opened.push(path) },
    navigator: { language: "en-US", setAppBadge: async (count: number) => void badges.push(count), clearAppBadge: async () => void badges.push(0) },
  };
  new Function("self", "location", "caches", "fetch", source)(self, new URL("https://bridge.example.org/"), {}, fetch);
  const happens = async (name: string, event: object) => {
    let done: Promise<unknown> = Promise.resolve();
    heard.get(name)!({ ...event, waitUntil: (promise: Promise<unknown>) => (done = promise) });
    await done;
  };
  const push = (message: unknown) => happens("push", { data: { json: () => JSON.parse(typeof message === "string" ? message : JSON.stringify(message)) } });
  return { shown, opened, badges, happens, push };
}

const notice = {
  web_push: 8030,
  notification: {
    title: "claude asks in shop", body: "Deploy now?", dir: "auto", silent: false, tag: "k7q2", renotify: true, requireInteraction: false,
    navigate: "https://bridge.example.org/asks/ask_1",
    actions: [{ action: "0", title: "Allow", navigate: "https://x" }, { action: "1", title: "Deny", navigate: "https://x" }],
    data: { ask: "ask_1", tag: "k7q2", link: "https://bridge.example.org/asks/ask_1", tickets: { 0: "yes", 1: "no" } },
  },
  app_badge: 3, mutable: true,
};

test("a push is shown with its buttons, and takes the place of what the page had shown", async () => {
  const it = worker();
  it.shown.push({ title: "claude asks", tag: "ask_1", close() { it.shown.splice(it.shown.indexOf(this as Shown), 1); } }, { title: "another", tag: "ask_2" });
  await it.push(notice);
  expect(it.shown.map(({ title, tag }) => [title, tag])).toEqual([["another", "ask_2"], ["claude asks in shop", "k7q2"]]);
  expect(it.shown[1]).toMatchObject({ body: "Deploy now?", renotify: true, actions: [{ action: "0", title: "Allow" }, { action: "1", title: "Deny" }] });
  expect(it.badges).toEqual([3]);
});

test("the icon has no number once nothing waits, and keeps the one it has where none is said", async () => {
  const it = worker(async () => Response.json({ ask: "ask_1", waiting: 0 }));
  await it.push(notice);
  await tapped(it, "0");
  expect(it.badges).toEqual([3, 0]);
  const { app_badge: _, ...silent } = notice;
  await it.push(silent);
  await it.push({ ...notice, app_badge: 0 });
  expect(it.badges).toEqual([3, 0, 0]);
});

test("a push is shown whatever it holds", async () => {
  for (const broken of ["", "null", "{", "[]", '{"notification":{}}', '{"notification":{"tag":"","renotify":true}}']) {
    const it = worker();
    await it.push(broken);
    expect(it.shown.map(({ title, body }) => [title, body]), broken).toEqual([["askbridge", "Something waits for you."]]);
  }
  const empty = worker();
  await empty.happens("push", { data: null });
  expect(empty.shown).toHaveLength(1);
});

test("a push that the system has read itself is shown from its notification", async () => {
  const it = worker();
  await it.happens("push", { data: null, notification: notice.notification, appBadge: 2 });
  expect(it.shown[0]).toMatchObject({ title: "claude asks in shop", tag: "k7q2", data: notice.notification.data });
  expect(it.badges).toEqual([2]);
});

const tapped = (it: ReturnType<typeof worker>, action: string) => it.happens("notificationclick", { notification: it.shown[0], action });

test("a button sends its ticket, and nothing more is shown once it counts", async () => {
  const sent: unknown[] = [];
  const it = worker(async (path, { method, body }) => {
    sent.push([method, path, JSON.parse(body)]);
    return Response.json({ ask: "ask_1", waiting: 2 });
  });
  await it.push(notice);
  await tapped(it, "1");
  expect(it.badges, "what is settled is no longer on the icon").toEqual([3, 2]);
  expect(sent).toEqual([["POST", "/v1/tickets", { ticket: "no" }]]);
  expect(it.shown).toEqual([]);
  expect(it.opened).toEqual([]);
});

test("a notification says under its receipt that it was shown, and that it was tapped", async () => {
  const sent: unknown[] = [];
  const it = worker(async (_, { body }) => {
    sent.push(JSON.parse(body));
    return Response.json({ ask: "ask_1" });
  });
  await it.push({ ...notice, notification: { ...notice.notification, data: { ...notice.notification.data, receipt: "r1" } } });
  expect(sent).toEqual([{ ticket: "r1", shown: true }]);
  await tapped(it, "");
  expect(sent).toEqual([{ ticket: "r1", shown: true }, { ticket: "r1" }]);
  expect(it.opened).toEqual(["/asks/ask_1"]);
});

test("a button that does not count says why, and offers no further ones", async () => {
  const it = worker(async () => Response.json({ code: "ticket_refused", detail: "this was decided already by grace" }, { status: 409 }));
  await it.push(notice);
  await tapped(it, "0");
  expect(it.shown).toHaveLength(1);
  expect(it.shown[0]).toMatchObject({ title: "That did not count", body: "this was decided already by grace", data: { ask: "ask_1" } });
  expect(it.shown[0]!.data.tickets).toBeUndefined();
  await tapped(it, "");
  expect(it.opened).toEqual(["/asks/ask_1"]);
});

test("a button without a network keeps the question and its buttons", async () => {
  const it = worker();
  await it.push(notice);
  await tapped(it, "0");
  expect(it.shown[0]).toMatchObject({ title: "claude asks in shop", actions: [{ action: "0", title: "Allow" }, { action: "1", title: "Deny" }], data: notice.notification.data });
  expect(it.shown[0]!.body).toBe("Not sent yet: the server cannot be reached. Tap again.\nDeploy now?");
});

test("a tap on the text opens the card: in an open window, in a new one, and under this page's own address", async () => {
  const told: unknown[] = [];
  const open = worker(undefined, [{ postMessage: (message: unknown) => told.push(message), focus: async () => told.push("focus") }]);
  await open.push(notice);
  await tapped(open, "");
  expect(told).toEqual([{ type: "open", path: "/asks/ask_1" }, "focus"]);
  const elsewhere = worker();
  await elsewhere.push({ ...notice, notification: { ...notice.notification, data: { ask: "ask_1", link: "https://other.example.org/x/asks/ask_1" } } });
  await tapped(elsewhere, "");
  const test = worker();
  await test.push({ notification: { title: "askbridge reaches you here", data: {} } });
  await tapped(test, "");
  expect([elsewhere.opened, test.opened]).toEqual([["/asks/ask_1"], ["/"]]);
});
