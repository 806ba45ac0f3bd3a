/** People who are away: channels on their page, what was rung on the card, and Web Push into the real service worker. */

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, CDPSession, Worker } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { BrowserKeys, Receiver } from "../kit/pushes.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
let receiver: Receiver;
beforeAll(async () => {
  // Push services want a contact that exists on the Internet; no request is made to it.
  server = await Server.start({ ASKBRIDGE_NOTIFY_GRACE: "0", ASKBRIDGE_PUBLIC_URL: "https://bridge.example.org" });
  receiver = await Receiver.open();
});
beforeEach(() => server.isUp());
afterAll(async () => {
  receiver.close();
  await server.stop();
});

test("a webhook is added, tested, rings, is named on the card, and is removed after a second word", async () => {
  const ada = await Person.pair(server, PHONE, "ada");
  const { page } = ada;
  await ada.go("/settings");
  await page.getByRole("link", { name: "Channels" }).click();
  await page.getByText("You are not rung yet.").waitFor();
  await ada.isAccessible("the page without channels");
  await page.getByRole("button", { name: "Add a channel" }).first().click();
  await ada.isAccessible("the kinds of channels");
  await page.getByRole("button", { name: /^Webhook/ }).click();

  // What the server refuses stands at the form, and what was typed stays.
  await page.getByLabel("Address").fill(`${receiver.address}/hook`);
  await page.getByLabel("Secret for the signature").fill("short");
  await page.getByLabel("Name").fill("my pager");
  await page.getByRole("button", { name: "Add it" }).click();
  await page.getByRole("alert").getByText("secret").waitFor();
  expect(await page.getByLabel("Address").inputValue()).toBe(`${receiver.address}/hook`);
  await page.getByRole("button", { name: "Make one" }).click();
  await ada.isAccessible("the form of a webhook");
  await ada.fits("the form of a webhook");
  await page.getByRole("button", { name: "Add it" }).click();
  const row = page.getByRole("listitem", { name: "my pager" });
  await row.getByText("Shows the question").waitFor();
  await row.getByText("It has not rung yet.").waitFor();

  await row.getByRole("button", { name: "Send a test over my pager" }).click();
  await row.getByText("Sent. It should be on your screen in a moment.").waitFor();
  expect((await receiver.next()).headers["webhook-signature"]).toMatch(/^v1,/);
  receiver.status = 400;
  await row.getByRole("button", { name: "Send a test over my pager" }).click();
  await row.getByText("It could not be sent:").waitFor();
  await receiver.next();
  receiver.status = 201;

  const { id } = await server.ask({ question: "Deploy?", options: ["yes", "no"] });
  await receiver.next();
  await row.getByText(/^rang \d/).first().waitFor();
  await row.locator("summary", { hasText: "What it tells" }).click();
  const turns = row.getByRole("checkbox", { name: "An agent has finished its turn" });
  await turns.click();
  await until(async () => ((await server.call("GET", "/v1/channels", undefined, await server.person("ada"))).items[0].tells as string[]).includes("turn_ended"));
  await row.locator("summary", { hasText: "What was rung" }).click();
  await ada.isAccessible("the page with a channel");
  await ada.fits("the page with a channel");
  await row.getByRole("link", { name: "Show the question" }).click();
  await page.getByRole("list", { name: "Where it rang" }).getByText(/^rang my pager \d/).waitFor();
  await ada.isAccessible("a card that rang");
  // Whoever opens the card has seen what rang.
  const mine = await server.person("ada");
  await until(async () => (await server.call("GET", `/v1/asks/${id}`, undefined, mine)).rings?.[0]?.seen_at);
  await server.call("POST", `/v1/asks/${id}/withdraw`, {});

  await ada.go("/settings/reach");
  await row.getByRole("button", { name: "Remove the channel my pager" }).click();
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "Remove the channel my pager" }).click();
  await row.getByRole("button", { name: "Remove it" }).click();
  await page.getByText("You are not rung yet.").waitFor();
  await ada.leave();
});

test("a channel is added with keys alone", async () => {
  const grace = await Person.pair(server, {}, "grace");
  const { page } = grace;
  await grace.go("/settings/reach");
  const marks = join(server.work, "rung.txt");
  const program = join(server.work, "ring.sh");
  writeFileSync(program, `#!/bin/sh\ncat >> ${marks}\n`);
  chmodSync(program, 0o755);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole("button", { name: "Add a channel" }).first().focus();
  await press("Enter");
  await until(() => page.evaluate(() => document.activeElement?.id === "add-title"));
  // The kinds stand below the title; the program is the last of six.
  await press("Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Enter");
  await until(() => page.evaluate(() => document.activeElement?.textContent === "Program"));
  await press("Tab");
  await page.keyboard.type(program);
  await press("Enter");
  const row = page.getByRole("listitem", { name: "command" });
  await row.waitFor();
  await row.getByRole("button", { name: "Send a test over command" }).press("Enter");
  await row.getByText("Sent.").waitFor();
  await until(() => readFileSync(marks, "utf8").includes("This is a test of the channel"));
  await grace.leave();
});

/** A browser that subscribes to the push service of this test. Its keys and its endpoint are ours; all else is the browser's. */
async function subscribing(person: Person, endpoint: string, keys: BrowserKeys) {
  await person.context.grantPermissions(["notifications"]);
  await person.context.addInitScript(([at, p256dh, auth]) => {
    const KEY = "e2e.endpoint";
    const made = () => ({
      endpoint: localStorage.getItem(KEY),
      toJSON: () => ({ endpoint: localStorage.getItem(KEY), keys: { p256dh, auth } }),
      unsubscribe: async () => (localStorage.removeItem(KEY), true),
    });
    PushManager.prototype.subscribe = async (options?: PushSubscriptionOptionsInit) => {
      const key = options?.applicationServerKey as Uint8Array;
      // A point of P-256, uncompressed: anything else a browser refuses.
      if (key?.length !== 65 || key[0] !== 4 || !options?.userVisibleOnly) throw new Error("not a key");
      const nth = Number(localStorage.getItem("e2e.nth") ?? 0) + 1;
      localStorage.setItem("e2e.nth", String(nth));
      localStorage.setItem(KEY, `${at}/${nth}`);
      return made() as unknown as PushSubscription;
    };
    PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEY) ? (made() as unknown as PushSubscription) : null);
  }, [endpoint, keys.p256dh, keys.auth] as const);
}

/** Delivers pushes to the service worker as the browser does. */
class Pusher {
  private readonly cdp: CDPSession;
  private readonly registration: string;
  private readonly origin: string;
  readonly worker: Worker;

  private constructor(cdp: CDPSession, registration: string, origin: string, worker: Worker) {
    this.cdp = cdp;
    this.registration = registration;
    this.origin = origin;
    this.worker = worker;
  }

  static async of(person: Person, context: BrowserContext = person.context): Promise<Pusher> {
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    const cdp = await context.newCDPSession(person.page);
    const known = new Promise<string>((found) => cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(server.address));
      if (own) found(own.registrationId);
    }));
    await cdp.send("ServiceWorker.enable");
    // Chromium forgets a notification that is looked for while it is being shown, so the journeys wait until it is.
    await worker.evaluate(() => {
      const scope = self as any;
      scope.shownCount = 0;
      const show = scope.registration.showNotification.bind(scope.registration);
      // What is on the icon of the app, as the worker has set it.
      scope.badge = null;
      Object.assign(scope.navigator, { setAppBadge: async (count: number) => void (scope.badge = count), clearAppBadge: async () => void (scope.badge = 0) });
      scope.registration.showNotification = (...given: unknown[]) => show(...given).then(() => void (scope.shownCount += 1));
    });
    return new Pusher(cdp, await known, server.address, worker);
  }

  /** Delivers a push, and waits until something is shown. */
  push = (message: unknown) =>
    this.shows(() => this.cdp.send("ServiceWorker.deliverPushMessage", { origin: this.origin, registrationId: this.registration, data: JSON.stringify(message) }));

  async shows(happens: () => Promise<unknown>) {
    const count = () => this.worker.evaluate(() => (self as any).shownCount as number);
    const before = await count();
    await happens();
    await until(async () => (await count()) > before);
  }

  badge = (): Promise<number | null> => this.worker.evaluate(() => (self as any).badge);

  shown = (): Promise<{ title: string; body: string; actions: string[]; ask: string | undefined }[]> =>
    this.worker.evaluate(async () => (await (self as any).registration.getNotifications()).map((it: any) => ({ title: it.title, body: it.body, actions: it.actions.map(({ title }: any) => title), ask: it.data?.ask })));

  /** Taps a notification: a button by its label, or its text. */
  tap = (ask: string, label: string | null) =>
    this.worker.evaluate(async ([about, wanted]) => {
      const scope = self as any;
      const notification = (await scope.registration.getNotifications()).find((it: any) => it.data?.ask === about);
      const action = wanted === null ? "" : notification.actions.find(({ title }: any) => title === wanted).action;
      scope.dispatchEvent(new scope.NotificationEvent("notificationclick", { notification, action }));
    }, [ask, label] as const);
}

test("this browser is rung, and a button of the notification answers", async () => {
  const keys = new BrowserKeys();
  const bob = await Person.stranger(server);
  await subscribing(bob, `${receiver.address}/bob`, keys);
  await bob.page.goto(await server.link("bob"));
  await bob.isIn();
  await bob.go("/settings/reach");
  const { page } = bob;
  await page.getByRole("button", { name: "Add a channel" }).first().click();
  await page.getByRole("button", { name: /^This browser/ }).click();
  await page.getByLabel("Name").fill("bob's laptop");
  await page.getByRole("button", { name: "Ring this browser" }).click();
  const row = page.getByRole("listitem", { name: "bob's laptop" });
  await row.getByText("This browser", { exact: true }).first().waitFor();
  const pusher = await Pusher.of(bob);

  await row.getByRole("button", { name: "Send a test" }).click();
  const tested = await receiver.next(({ path }) => path === "/bob/1");
  expect(tested.headers["content-encoding"]).toBe("aes128gcm");
  await pusher.push(keys.open(tested));
  await until(async () => (await pusher.shown()).find(({ title }) => title === "askbridge reaches you here"));

  // The icon shows how many asks wait for the person, one of which was there before.
  const other = await server.ask({ question: "Lunch?", options: ["yes", "no"] });
  expect(keys.open(await receiver.next(({ path }) => path === "/bob/1")).app_badge).toBe(1);
  const asked = await server.ask({ question: "Deploy now?", options: ["yes", "no"] });
  const rung = keys.open(await receiver.next(({ path }) => path === "/bob/1"));
  expect(rung.app_badge).toBe(2);
  await pusher.push(rung);
  await until(async () => (await pusher.badge()) === 2);
  const notice = await until(async () => (await pusher.shown()).find(({ ask }) => ask === asked.id));
  // The worker says that it showed it.
  const his = await server.person("bob");
  await until(async () => (await server.call("GET", `/v1/asks/${asked.id}`, undefined, his)).rings?.[0]?.state === "delivered");
  expect(notice).toMatchObject({ body: expect.stringContaining("Deploy now?"), actions: ["yes", "no"] });
  await pusher.tap(asked.id, "no");
  const settled = await until(async () => {
    const ask = await server.show(asked.id);
    return ask.state === "answered" && ask;
  });
  expect(settled.answers).toEqual({ "Deploy now?": "no" });
  expect(settled.by).toMatchObject({ person: "bob", device: "bob's laptop" });
  await until(async () => !(await pusher.shown()).some(({ ask }) => ask === asked.id));
  await until(async () => (await pusher.badge()) === 1);
  // The server notes that the notice is over at the same time; the later note stays.
  await row.getByText(/answered from here|decided by bob \(bob's laptop\)/).first().waitFor();
  await server.call("POST", `/v1/asks/${other.id}/withdraw`, {});

  // What was decided elsewhere closes its notification, and a late tap says that it did not count.
  const second = await server.ask({ question: "And now?", options: ["yes", "no"] });
  const late = keys.open(await receiver.next(({ path }) => path === "/bob/1"));
  await pusher.push(late);
  await until(async () => (await pusher.shown()).some(({ ask }) => ask === second.id));
  await server.call("POST", `/v1/asks/${second.id}/answer`, { answers: { "And now?": "yes" } }, await server.person("bob"));
  await until(async () => !(await pusher.shown()).some(({ ask }) => ask === second.id));
  await page.goto("about:blank");
  await pusher.push(late);
  await until(async () => (await pusher.shown()).some(({ ask }) => ask === second.id));
  await pusher.shows(() => pusher.tap(second.id, "no"));
  const refused = await until(async () => (await pusher.shown()).find(({ title }) => title === "That did not count"));
  expect(refused.body).toContain("decided already");
  await bob.leave();
});

test("a tap on the text of a notification opens its card in the open window", async () => {
  const keys = new BrowserKeys();
  const eve = await Person.stranger(server);
  await subscribing(eve, `${receiver.address}/eve`, keys);
  await eve.page.goto(await server.link("eve"));
  await eve.isIn();
  await eve.go("/settings");
  const pusher = await Pusher.of(eve);
  const { id } = await server.ask({ question: "Which colour?", options: ["red", "blue", "green"] });
  await pusher.push({ web_push: 8030, notification: { title: "claude asks", body: "Which colour?", tag: "t", data: { ask: id, link: `https://bridge.example.org/asks/${id}` } } });
  await until(async () => (await pusher.shown()).some(({ ask }) => ask === id));
  await pusher.tap(id, null);
  await eve.page.waitForURL(`**/asks/${id}`);
  await eve.page.getByRole("radio", { name: /blue/ }).or(eve.page.getByRole("button", { name: /blue/ })).first().waitFor();
  await eve.leave();
});

test("a person who looks at the card is not rung for it, and is once the page is gone", async () => {
  const patient = await Server.start({ ASKBRIDGE_NOTIFY_GRACE: "2s", ASKBRIDGE_PUBLIC_URL: "https://bridge.example.org" });
  const ida = await Person.pair(patient, {}, "ida");
  const token = await patient.person("ida");
  await patient.call("POST", "/v1/channels", { kind: "webhook", url: `${receiver.address}/ida` }, token);
  const { id } = await patient.ask({ question: "Look?", options: ["yes", "no"] });
  await ida.go(`/asks/${id}`);
  await ida.page.getByRole("heading", { name: /Look\?/ }).or(ida.page.getByText("Look?")).first().waitFor();
  const ring = async () => (await patient.call("GET", `/v1/asks/${id}`, undefined, token)).rings?.[0];
  await until(async () => (await ring())?.state === "suppressed");
  expect((await ring()).why).toBe("you look at it");
  await ida.leave();
  await receiver.next(({ path }) => path === "/ida");
  await until(async () => (await ring())?.state === "sent");
  await patient.stop();
});

test("a page that is loaded renews a subscription that the browser has lost, and ends one that was removed elsewhere", async () => {
  const keys = new BrowserKeys();
  const joe = await Person.stranger(server);
  await subscribing(joe, `${receiver.address}/joe`, keys);
  await joe.page.goto(await server.link("joe"));
  await joe.isIn();
  await joe.go("/settings/reach");
  await joe.page.getByRole("button", { name: "Add a channel" }).first().click();
  await joe.page.getByRole("button", { name: /^This browser/ }).click();
  await joe.page.getByLabel("Name").fill("joe's laptop");
  await joe.page.getByRole("button", { name: "Ring this browser" }).click();
  await joe.page.getByRole("listitem", { name: "joe's laptop" }).waitFor();
  const token = await server.person("joe");
  const listed = async () => (await server.call("GET", "/v1/channels", undefined, token)).items as { id: string; name: string }[];
  const [before] = await listed();

  await joe.page.evaluate(() => localStorage.removeItem("e2e.endpoint"));
  await joe.page.reload();
  await joe.isIn();
  const renewed = await until(async () => {
    const now = await listed();
    return now.length === 1 && now[0]!.id !== before!.id && now[0];
  });
  expect(renewed.name).toBe("joe's laptop");
  await server.call("POST", `/v1/channels/${renewed.id}/test`, {}, token);
  keys.open(await receiver.next(({ path }) => path === "/joe/2"));

  await server.call("DELETE", `/v1/channels/${renewed.id}`, undefined, token);
  await joe.page.reload();
  await joe.isIn();
  await until(() => joe.page.evaluate(() => localStorage.getItem("e2e.endpoint") === null && localStorage.getItem("askbridge.push") === null));
  expect(await listed()).toEqual([]);
  await joe.leave();
});

test("an iPhone whose page is not installed is told what to do first", async () => {
  const kim = await Person.stranger(server, { ...PHONE, userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/605" });
  await kim.page.goto(await server.link("kim"));
  await kim.page.getByRole("button", { name: "Here in Safari" }).click();
  await kim.isIn();
  await kim.go("/settings/reach");
  await kim.page.getByRole("button", { name: "Add a channel" }).first().click();
  await kim.page.getByRole("button", { name: /^This browser/ }).click();
  await kim.page.getByText("Share, then “Add to Home Screen”.").waitFor();
  expect(await kim.page.getByRole("button", { name: "Ring this browser" }).count()).toBe(0);
  await kim.isAccessible("a phone that cannot be rung yet");
  await kim.leave();
});
