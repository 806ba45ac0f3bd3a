/** The pages around the cards: pairing, devices, history, settings, and what applies to all of them. */

import jsQR from "jsqr";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
beforeEach(() => server.isUp());
afterAll(() => server.stop());

test("a link pairs a browser once, and its secret leaves the address", async () => {
  const link = await server.link();
  const ada = await Person.stranger(server);
  await ada.page.goto(link);
  await ada.page.getByText("Connected as ada").waitFor();
  expect(new URL(ada.page.url()).hash).toBe("");
  const second = await Person.stranger(server);
  await second.page.goto(link);
  await second.page.getByRole("alert").getByText("was used").waitFor();
  await second.page.getByLabel("Or paste the link").fill(await server.link());
  await second.page.getByRole("button", { name: "Pair this browser" }).click();
  await second.page.getByText("Connected as ada").waitFor();
  await ada.page.reload();
  await ada.page.getByText("Connected as ada").waitFor();
  await ada.leave();
  await second.leave();
});

test("a phone is brought in by the code of a paired browser, and sent away while it is connected", async () => {
  const ada = await Person.pair(server, {}, "grace");
  await ada.go("/devices");
  await ada.page.getByRole("button", { name: "Add a device" }).click();
  const link = await ada.page.getByLabel("Or open this link there").inputValue();
  expect(await scanned(ada), "what a camera reads").toBe(link);
  const phone = await Person.stranger(server, { ...PHONE, userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/605" });
  await phone.page.goto(link);
  await phone.page.getByRole("button", { name: "Here in Safari" }).click();
  await phone.isIn();
  // The list updates by itself.
  const row = ada.page.getByRole("listitem").filter({ hasText: "Safari · iPhone" });
  await row.getByRole("button", { name: "Remove Safari · iPhone" }).click();
  await row.getByRole("button", { name: "Remove it" }).click();
  await phone.page.getByRole("heading", { name: "This browser is not paired yet" }).waitFor();
  await row.waitFor({ state: "detached" });
  await ada.leave();
  await phone.leave();
});

test("signing out asks first, ends the token on the server, and leaves nothing of the person here", async () => {
  const ada = await Person.pair(server, PHONE, "grace");
  await server.ask({ question: "Kept?" });
  await ada.page.getByText("Kept?").waitFor();
  await ada.go("/settings");
  const token = await ada.page.evaluate(() => localStorage.getItem("askbridge.token")!);
  await ada.page.getByRole("button", { name: "Sign out here" }).click();
  await ada.page.getByText("Sign this browser out?").waitFor();
  await ada.isAccessible("signing out");
  await ada.page.getByRole("button", { name: "Cancel" }).click();
  expect((await server.call("GET", "/v1/me", undefined, token)).name).toBe("grace");
  await ada.page.getByRole("button", { name: "Sign out here" }).click();
  await ada.page.getByRole("button", { name: "Sign out", exact: true }).click();
  await ada.page.getByRole("heading", { name: "This browser is not paired yet" }).waitFor();
  await expect(server.call("GET", "/v1/me", undefined, token)).rejects.toThrow("401");
  expect(await ada.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("askbridge.") && key !== "askbridge.settings"))).toEqual([]);
  await ada.leave();
});

/** Returns what a camera would read from the QR code on the screen. */
async function scanned({ page }: Person): Promise<string | undefined> {
  const { data, side } = await page.getByRole("img", { name: "Pairing link as a QR code" }).evaluate(async (code) => {
    const picture = new Image();
    picture.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(code))}`;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 400;
    const paper = canvas.getContext("2d")!;
    paper.drawImage(picture, 0, 0, 400, 400);
    return { data: [...paper.getImageData(0, 0, 400, 400).data], side: 400 };
  });
  return jsQR(Uint8ClampedArray.from(data), side, side)?.data;
}

test("the tab's title and icon say how much waits, and a snooze takes from it", async () => {
  const own = await Server.start();
  const ada = await Person.pair(own);
  expect(await ada.page.title()).toBe("askbridge");
  const icon = () => ada.page.locator('link[rel="icon"]').getAttribute("href");
  const calm = await icon();
  await own.ask({ question: "One?" });
  await own.ask({ question: "Two?" });
  await until(async () => (await ada.page.title()) === "(2) askbridge");
  expect(await icon()).not.toBe(calm);
  await ada.page.getByRole("button", { name: "Not now" }).click();
  await ada.page.getByRole("button", { name: "In 1 hour" }).click();
  await until(async () => (await ada.page.title()) === "(1) askbridge");
  await ada.page.getByText("One?").first().waitFor({ state: "detached" });
  await ada.page.getByRole("button", { name: "Snoozed (1)" }).click();
  await ada.page.getByText("One?").first().waitFor();
  const phone = await Person.pair(own, PHONE);
  await until(async () => (await phone.page.title()) === "(1) askbridge");
  await ada.leave();
  await phone.leave();
  await own.stop();
});

test("history is found by words", async () => {
  const own = await Server.start();
  const token = await own.person();
  for (const name of ["apples", "pears", "plums"]) {
    const { id } = await own.ask({ question: `How many ${name}?` });
    await own.call("POST", `/v1/asks/${id}/answer`, { answers: { [`How many ${name}?`]: `seven ${name}` } }, token);
  }
  const ada = await Person.pair(own);
  await ada.page.getByRole("link", { name: "History" }).click();
  await ada.page.getByText("ada: seven plums").waitFor();
  await ada.page.getByLabel("Search what was asked").fill("pears");
  await ada.page.getByText("seven plums").waitFor({ state: "detached" });
  await ada.page.getByRole("link", { name: /How many pears/ }).click();
  await ada.page.getByText("seven pears").first().waitFor();
  await ada.leave();
  await own.stop();
});

test("a conversation is deleted after a second word, and every page of it says so", async () => {
  const own = await Server.start();
  const token = await own.person();
  const { id, session } = await own.ask({ question: "How many pears?" });
  const [ada, phone] = [await Person.pair(own), await Person.pair(own, PHONE)];
  for (const person of [ada, phone]) await person.go(`/sessions/${session}`);
  const { page } = ada;
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete the conversation" }).click();
  // The question is open, so the conversation stays, and the page says why.
  await page.getByRole("alert").getByText("a person can still decide").waitFor();
  await own.call("POST", `/v1/asks/${id}/withdraw`, {});
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Everything in it goes, on all devices, for good.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete the conversation" }).click();
  for (const person of [ada, phone]) await person.page.getByText("This conversation was deleted.").waitFor();
  await page.getByRole("link", { name: "Conversations" }).first().click();
  await page.getByText("No conversation yet.").waitFor();
  await expect(own.call("GET", `/v1/sessions/${session}`, undefined, token)).rejects.toThrow("404");
  await ada.leave();
  await phone.leave();
  await own.stop();
});

test("language and appearance are chosen at once and stay", async () => {
  const ada = await Person.pair(server);
  await ada.go("/settings");
  await ada.page.getByLabel("日本語").check();
  await ada.page.getByRole("heading", { name: "設定" }).waitFor();
  await ada.page.getByLabel("ダーク").check();
  await ada.page.reload();
  await ada.page.getByRole("heading", { name: "設定" }).waitFor();
  expect(await ada.page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme])).toEqual(["ja", "dark"]);
  await ada.leave();
});

test("a Japanese browser is spoken to in Japanese from the first page", async () => {
  const stranger = await Person.stranger(server, { locale: "ja-JP" });
  await stranger.page.goto(server.address);
  await stranger.page.getByRole("heading", { name: "このブラウザーはまだペアリングされていません" }).waitFor();
  await stranger.leave();
});

test("it can be installed, and opens when the server cannot be reached", async () => {
  const ada = await Person.pair(server);
  const manifest = await ada.page.evaluate(async () => (await fetch(document.querySelector<HTMLLinkElement>('link[rel="manifest"]')!.href)).json());
  expect(manifest).toMatchObject({ id: "/", display: "standalone", start_url: "/" });
  // A maskable icon is a separate picture.
  const purposes = (wanted: string) => manifest.icons.filter(({ purpose }: { purpose?: string }) => purpose === wanted).map(({ src }: { src: string }) => src);
  expect(purposes("maskable")).toHaveLength(2);
  expect(purposes("any").filter((src: string) => purposes("maskable").includes(src))).toEqual([]);
  for (const { src } of manifest.icons) expect((await ada.page.request.get(server.address + src)).ok(), src).toBe(true);
  await ada.page.evaluate(() => navigator.serviceWorker.ready);
  await ada.page.reload();
  await until(() => ada.page.evaluate(() => navigator.serviceWorker.controller !== null));
  await ada.page.reload();
  await ada.page.getByText("Connected as ada").waitFor();
  await server.kill();
  await ada.page.reload();
  await ada.page.getByRole("heading", { name: "Inbox" }).waitFor();
  await ada.page.getByText("The server cannot be reached.").waitFor();
  await server.run();
  await ada.page.getByText("Connected as ada").waitFor();
  await ada.leave();
});

test("on an iPhone a link asks where one wants to answer, because the installed app keeps a token of its own", async () => {
  const iphone = { ...PHONE, userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1" };
  const link = await server.link("grace");
  const safari = await Person.stranger(server, iphone);
  await safari.page.goto(link);
  await safari.page.getByRole("heading", { name: "Where do you want to answer?" }).waitFor();
  await safari.isAccessible("where to pair");
  await safari.page.getByRole("button", { name: "In the app on my home screen" }).click();
  expect(await safari.page.getByLabel("The link, for ten minutes").inputValue()).toBe(link);
  // The app on the home screen: nothing from Safari is there, and the link was not used up.
  const app = await Person.stranger(server, iphone);
  await app.context.addInitScript(() => Object.defineProperty(navigator, "standalone", { value: true }));
  await app.page.goto(server.address);
  await app.page.getByText("This app on the home screen keeps its own token").waitFor();
  await app.page.getByLabel("Or paste the link").fill(link);
  await app.page.getByRole("button", { name: "Pair this browser" }).click();
  await app.isIn();
  // In Safari the hint says how, until it is dismissed.
  await safari.page.goto(await server.link("grace"));
  await safari.page.getByRole("button", { name: "Here in Safari" }).click();
  await safari.isIn();
  await safari.page.getByRole("button", { name: "Got it" }).click();
  await safari.page.getByText("Add to Home Screen").waitFor({ state: "detached" });
  await safari.leave();
  await app.leave();
});

test("a question reaches a person who looks elsewhere, without its text if they want, and is retracted when settled", async () => {
  const own = await Server.start();
  const ada = await Person.pair(own);
  await ada.context.grantPermissions(["notifications"], { origin: own.address });
  // Checks what the page passes to the system: a headless browser shows nothing.
  await ada.page.addInitScript(() => {
    const shown: { title: string; body: string; closed: boolean }[] = [];
    Object.assign(window, { shown });
    Object.defineProperty(document, "hasFocus", { value: () => false });
    Object.defineProperty(navigator, "serviceWorker", { value: undefined });
    window.Notification = class {
      static permission = "granted";
      static requestPermission = async () => "granted";
      private readonly one;
      constructor(title: string, { body }: { body: string }) {
        this.one = { title, body, closed: false };
        shown.push(this.one);
      }
      close() {
        this.one.closed = true;
      }
    } as unknown as typeof Notification;
  });
  const shown = () => ada.page.evaluate(() => (window as any).shown as { title: string; body: string; closed: boolean }[]);
  await ada.go("/settings");
  await ada.page.getByLabel("With the question").check();
  const first = await own.ask({ question: "Which way?", agent: "scout" });
  await until(async () => (await shown()).length === 1);
  expect(await shown()).toEqual([{ title: "scout asks", body: "Which way?", closed: false }]);
  await own.call("POST", `/v1/asks/${first.id}/withdraw`, {});
  await until(async () => (await shown())[0]?.closed);
  await ada.page.getByLabel("Without its text").check();
  await own.ask({ question: "A secret?", agent: "scout" });
  await until(async () => (await shown()).length === 2);
  expect((await shown())[1]).toEqual({ title: "scout asks", body: "Something waits for you.", closed: false });
  await ada.leave();
  await own.stop();
});

test("nothing of the page is inline, and nothing else may run in it", async () => {
  const ada = await Person.pair(server);
  const refused = await ada.page.evaluate(async () => {
    const reports: string[] = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => reports.push(effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.pwned = true";
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "body { display: none }";
    document.body.append(style);
    const image = new Image();
    image.src = "http://127.0.0.1:9/x.png";
    const frame = document.createElement("iframe");
    frame.src = "http://127.0.0.1:9/";
    document.body.append(image, frame);
    await fetch("http://127.0.0.1:9/").catch(() => undefined);
    while (new Set(reports).size < 5) await new Promise((go) => document.addEventListener("securitypolicyviolation", go, { once: true }));
    return { reports: [...new Set(reports)].sort(), pwned: (window as any).pwned };
  });
  expect(refused).toEqual({ reports: ["connect-src", "frame-src", "img-src", "script-src-elem", "style-src-elem"], pwned: undefined });
  const html = await (await ada.page.request.get(server.address)).text();
  expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
  await ada.context.close();
});
