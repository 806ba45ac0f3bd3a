/** Every page and every card in both themes: no accessibility violations, and on a phone nothing is too wide or too small. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { every } from "../kit/asks.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
const asks: [string, string][] = [];
let session = "";
beforeAll(async () => {
  server = await Server.start();
  const token = await server.person("bob", "bob's desk");
  for (const [name, ask] of Object.entries(every)) asks.push([name, (await server.ask(ask)).id]);
  const over = async (name: string, ask: object, end: (id: string) => Promise<unknown>) => {
    const { id } = await server.ask(ask as never);
    await end(id);
    asks.push([name, id]);
  };
  const answer = (id: string, body: object) => server.call("POST", `/v1/asks/${id}/answer`, body, token);
  await over("answered", every.question, (id) => answer(id, { answers: { "How should people sign in?": "Password" } }));
  await over("delivered", every.question, async (id) => {
    await answer(id, { answers: { "How should people sign in?": "Passkey" }, notes: { "How should people sign in?": "for now" } });
    await server.show(id);
  });
  await over("allowed", every.approval, (id) => answer(id, { decision: "allow", always: 0 }));
  await over("denied", every.edit, (id) => answer(id, { decision: "deny", words: "not this file" }));
  await over("sent back", every.plan, (id) => answer(id, { decision: "send_back", words: "smaller" }));
  await over("filled in", every.form, (id) => answer(id, { decision: "accept", content: { host: "a.example" } }));
  await over("dismissed", every.question, (id) => server.call("POST", `/v1/asks/${id}/dismiss`, { words: "later" }, token));
  await over("withdrawn", every.question, (id) => server.call("POST", `/v1/asks/${id}/withdraw`, { why: "found out" }));
  await over("expired", { ...every.question, timeout_seconds: 0.1 }, (id) => until(async () => (await server.show(id)).state === "expired"));
  await over("undoable", { ...every.question, undo_seconds: 60, timeout_seconds: 3600 }, (id) => answer(id, { answers: { "How should people sign in?": "Password" } }));
  ({ id: session } = await server.call("POST", "/v1/sessions", { agent: "ci", title: "Nightly build", folder: "/home/ada/shop" }));
  await server.ask({ session, question: "Run it again?" });
  await server.call("POST", `/v1/sessions/${session}/messages`, { text: "Afterwards, tidy up." }, token);
});
afterAll(() => server.stop());

const pages = ["/", "/sessions", "/sessions/new", "/history", "/devices", "/settings", "/settings/reach", "/nowhere"];

for (const theme of ["light", "dark"] as const) {
  test(`nothing stands in anybody's way, ${theme}`, async () => {
    const ada = await Person.pair(server, { colorScheme: theme });
    for (const path of [...pages, `/sessions/${session}`]) {
      await ada.go(path);
      await ada.page.getByRole("heading", { level: 1 }).waitFor();
      await ada.page.locator(".app-status[data-state=live]").waitFor();
      await ada.isAccessible(`${path} (${theme})`);
    }
    for (const [name, id] of asks) {
      await ada.go(`/asks/${id}`);
      await ada.page.locator(".ab-card").first().waitFor();
      await ada.isAccessible(`a card, ${name} (${theme})`);
    }
    await ada.leave();
    const stranger = await Person.stranger(server, { colorScheme: theme });
    await stranger.page.goto(server.address);
    await stranger.page.getByRole("heading", { level: 1 }).waitFor();
    await stranger.isAccessible(`the door (${theme})`);
    await stranger.leave();
  });
}

test("on a phone nothing scrolls sideways, everything to press is large enough, and answering is in reach of a thumb", async () => {
  const ada = await Person.pair(server, { ...PHONE, locale: "ja-JP" });
  for (const path of [...pages, `/sessions/${session}`, ...asks.map(([, id]) => `/asks/${id}`)]) {
    await ada.go(path);
    await ada.page.getByRole("heading", { level: 1 }).waitFor();
    if (path.startsWith("/asks/")) await ada.page.locator(".ab-card").first().waitFor();
    await ada.fits(path);
    const small = await ada.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a[href], select, input:not([type=radio]):not([type=checkbox]), textarea, summary")]
        .filter((one) => one.checkVisibility() && !one.closest(".ab-markdown, p") && !one.matches(".app-skip") && !one.closest("[inert]"))
        .map((one) => ({ box: one.getBoundingClientRect(), name: `${one.tagName} ${one.className} ${one.textContent?.slice(0, 30)}` }))
        .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
        .map(({ box, name }) => `${name} ${Math.round(box.width)}×${Math.round(box.height)}`),
    );
    expect(small, path).toEqual([]);
  }
  const [, id] = asks.find(([name]) => name === "several")!;
  await ada.go(`/asks/${id}`);
  const main = ada.page.locator(".ab-card .ab-button[data-tone=main]").first();
  await main.waitFor();
  const box = await main.boundingBox();
  expect(box!.y).toBeGreaterThan(PHONE.viewport.height * (2 / 3) - 10);
  expect(box!.y + box!.height).toBeLessThanOrEqual(PHONE.viewport.height);
  await ada.leave();
});

test("whoever wants no motion gets none, and others a little", async () => {
  for (const [reducedMotion, moves] of [["reduce", false], ["no-preference", true]] as const) {
    const { id } = await server.ask(every.question);
    const ada = await Person.pair(server, { reducedMotion });
    await ada.undoesFor(60);
    await ada.go(`/asks/${id}`);
    await ada.page.locator(".ab-card").getByRole("radio", { name: "Password" }).click();
    await ada.page.locator(".ab-crossing[data-moves]").waitFor();
    const moving = await ada.page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
    expect(moving > 0, reducedMotion).toBe(moves);
    await ada.leave();
  }
});

test("from the inbox to the answer and on to the next by keys alone", async () => {
  const own = await Server.start();
  const first = await own.ask({ questions: [{ question: "First?", options: ["Yes", "No"] }] });
  const second = await own.ask({ questions: [{ question: "Second?", options: ["a", "b", "c"], multiSelect: true }] });
  const ada = await Person.pair(own);
  const { page } = ada;
  await page.getByText("Second?").first().waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  const tabTo = async (text: RegExp) => {
    for (let n = 0; n < 60; n += 1) {
      if (text.test(await focused())) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`no way by Tab to ${text}`);
  };
  await tabTo(/First\?/);
  await page.keyboard.press("Enter");
  await tabTo(/^.?Yes/);
  await page.keyboard.press("2");
  await page.keyboard.press("Enter");
  await until(async () => (await own.show(first.id)).state === "answered");
  expect((await own.show(first.id)).answers).toEqual({ "First?": "No" });
  await page.getByRole("button", { name: "Next" }).waitFor();
  await tabTo(/^Next$/);
  await page.keyboard.press("Enter");
  await page.locator(".ab-card").getByText("Second?").waitFor();
  await tabTo(/^.?a$/);
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await until(async () => (await own.show(second.id)).state === "answered");
  expect((await own.show(second.id)).answers).toEqual({ "Second?": ["a", "c"] });
  await ada.leave();
  await own.stop();
});
