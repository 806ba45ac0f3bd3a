/** The person's place in the list: the filter, the scroll position, the focus. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
  for (let at = 0; at < 40; at += 1) await server.ask({ question: `Number ${at}?`, agent: at % 2 ? "odd" : "even" });
});
afterAll(() => server.stop());

test("on a desk, choosing a row keeps the filter, the list's place and the focus", async () => {
  const ada = await Person.pair(server, { viewport: { width: 1440, height: 900 } });
  await ada.page.getByLabel("Filter").fill("odd");
  await until(async () => (await ada.page.locator(".ab-row-main").first().innerText()).includes("Number 1?"));
  const list = ada.page.locator(".ab-inbox");
  await list.evaluate((box) => (box.scrollTop = 900));
  await ada.page.locator(".ab-row-main").filter({ hasText: "Number 25?" }).click();
  await ada.page.locator(".ab-card").getByText("Number 25?").waitFor();
  expect(await ada.page.getByLabel("Filter").inputValue()).toBe("odd");
  expect(await list.evaluate((box) => box.scrollTop)).toBeGreaterThan(600);
  expect(await ada.page.evaluate(() => document.activeElement?.closest(".ab-row, .ab-card") !== null)).toBe(true);
  await ada.leave();
});

test("on a phone the page scrolls, and Back leads to the row that was opened, filtered as it was", async () => {
  const ada = await Person.pair(server, PHONE);
  await ada.page.getByRole("button", { name: "Filter" }).click();
  await ada.page.getByRole("searchbox", { name: "Filter" }).fill("odd");
  await until(async () => (await ada.page.locator(".ab-row-main").first().innerText()).includes("Number 1?"));
  await ada.page.evaluate(() => window.scrollTo(0, 1_200));
  await until(() => ada.page.evaluate(() => window.scrollY > 1_100));
  const row = ada.page.locator(".ab-row-main").filter({ hasText: "Number 27?" });
  await row.click();
  await ada.page.locator(".ab-card").getByText("Number 27?").waitFor();
  expect(await ada.page.evaluate(() => window.scrollY)).toBe(0);
  await ada.page.goBack();
  await until(() => row.evaluate((it) => it === document.activeElement));
  expect(await ada.page.evaluate(() => window.scrollY)).toBeGreaterThan(1_100);
  expect(await ada.page.getByRole("searchbox", { name: "Filter" }).inputValue()).toBe("odd");
  await ada.leave();
});
