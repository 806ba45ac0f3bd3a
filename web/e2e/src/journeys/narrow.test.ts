/** Tight spots on a phone: long names, the head of a card, the list's order, the way to the next question. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

const LONG = `agent-${"of-the-very-long-name-".repeat(8)}end`;
let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
beforeEach(() => server.isUp());
afterAll(() => server.stop());

test("a long agent name widens no page, and no field makes a phone zoom in", async () => {
  const approval = { approval: { tool: "mcp__jira__create_issue", input: { title: "A bug" } }, agent: LONG, context: { folder: `/home/ada/${"deep/".repeat(30)}` } };
  const { id, session } = await server.ask(approval);
  await server.ask(approval);
  await server.ask({ question: "Short?", agent: "b" });
  for (const options of [PHONE, { viewport: { width: 1440, height: 900 } }]) {
    const ada = await Person.pair(server, options);
    if (options === PHONE) await ada.page.getByRole("button", { name: "Filter" }).click();
    for (const path of ["/", `/asks/${id}`, `/asks/${id}/together`, "/sessions", `/sessions/${session}`, "/history", "/sessions/new", "/settings", "/settings/reach", "/settings/rules"]) {
      if (path !== "/") await ada.go(path);
      await ada.page.locator("main h1").first().waitFor({ state: "attached" });
      await until(async () => (await ada.page.getByText("Looking…").filter({ visible: true }).count()) === 0);
      await ada.fits(path);
      const small = await ada.page.evaluate(() =>
        [...document.querySelectorAll("input:not([type=radio], [type=checkbox]), textarea, select")]
          .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16)
          .map((field) => `${field.className} ${getComputedStyle(field).fontSize}`),
      );
      expect(small, path).toEqual([]);
    }
    await ada.leave();
  }
});

test("the head of a card has room for its words, says what a tool is called, and when the time is up", async () => {
  const { id } = await server.ask({ approval: { tool: "mcp__jira__create_issue", input: { title: "A bug" } }, agent: "claude", timeout_seconds: 900 });
  const ada = await Person.pair(server, PHONE);
  await ada.go(`/asks/${id}`);
  const title = ada.page.getByRole("heading", { name: "claude wants to use jira · create issue" });
  const { height } = (await title.boundingBox())!;
  expect(height).toBeLessThanOrEqual(2 * 1.35 * 15 + 1);
  const [timer, code] = [(await ada.page.getByRole("timer").boundingBox())!, (await ada.page.locator(".ab-code").boundingBox())!];
  expect(timer.y).toBeLessThan(code.y);
  await ada.leave();
});

test("what is due first comes first, Next is in reach, and Back leads to the list instead of what was decided", async () => {
  const own = await Server.start();
  const question = (name: string, more: object = {}) => ({ questions: [{ question: name, options: ["Yes", "No"] }], ...more });
  for (const ask of [question("Whenever?"), question("Today?", { timeout_seconds: 7_200 }), question("Soon?", { timeout_seconds: 600 })]) await own.ask(ask);
  const ada = await Person.pair(own, PHONE);
  const { page } = ada;
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByLabel("Order").selectOption("Due first");
  await until(async () => (await page.locator(".ab-row-headline").allInnerTexts()).join() === "Soon?,Today?,Whenever?");
  await page.getByText("Soon?").click();
  await page.getByRole("radio", { name: "Yes" }).click();
  const next = page.getByRole("button", { name: "Next", exact: true });
  await next.waitFor();
  const box = (await next.boundingBox())!;
  expect(box.y + box.height).toBeLessThanOrEqual(PHONE.viewport.height);
  await next.click();
  await page.locator(".ab-card").getByText("Today?").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  await ada.leave();
  await own.stop();
});

test("a conversation is called by what was asked in it, with its time, and those with a single question are folded", async () => {
  const own = await Server.start();
  const token = await own.person();
  const single = await own.ask({ question: "Just this?", agent: "claude" });
  await own.call("POST", `/v1/asks/${single.id}/answer`, { answers: { "Just this?": "yes" } }, token);
  const { session } = await own.ask({ question: "One of two?", agent: "claude" });
  await own.ask({ question: "Two of two?", agent: "claude", session });
  const ada = await Person.pair(own, PHONE);
  await ada.go("/sessions");
  const row = ada.page.getByRole("link", { name: /Two of two\?/ });
  await row.getByText(/now|second|minute/).waitFor();
  expect(await ada.page.getByText("Just this?").isVisible()).toBe(false);
  await ada.page.getByText("1 conversation with a single question").click();
  await ada.page.getByText("Just this?").waitFor();
  await ada.isAccessible("conversations");
  await ada.leave();
  await own.stop();
});

test("that the connection is lost stays in view, in a strip of little height", async () => {
  for (let at = 0; at < 12; at += 1) await server.ask({ question: `Number ${at}?` });
  const ada = await Person.pair(server, PHONE);
  await ada.page.getByText("Number 1?").waitFor();
  await server.kill();
  const strip = ada.page.locator(".app-banner");
  await strip.getByText("The server cannot be reached.").waitFor();
  await ada.page.evaluate(() => window.scrollTo(0, 600));
  await until(() => ada.page.evaluate(() => window.scrollY > 300));
  const { y, height } = (await strip.boundingBox())!;
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThanOrEqual(64);
  await ada.leave();
});
