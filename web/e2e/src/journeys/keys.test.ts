/** Keys work unless the person is typing. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
const asked: string[] = [];
beforeAll(async () => {
  server = await Server.start();
  for (const name of ["First", "Second", "Third"]) asked.push((await server.ask({ questions: [{ question: `${name}?`, options: ["Yes", "No", "Perhaps"] }] })).id);
});
afterAll(() => server.stop());

test("j and k lead from question to question, digits choose, / filters, and Esc leads back to the list", async () => {
  const ada = await Person.pair(server, { viewport: { width: 1440, height: 900 } });
  const { page } = ada;
  const path = () => new URL(page.url()).pathname;
  const hasFocus = (what: string) => until(() => page.evaluate((selector) => document.activeElement?.matches(selector), what));
  // Nothing has the focus yet: the keys still work.
  await page.keyboard.press("j");
  await until(() => path() === `/asks/${asked[1]}`);
  await hasFocus(".ab-card");
  await page.keyboard.press("j");
  await until(() => path() === `/asks/${asked[2]}`);
  await page.keyboard.press("k");
  await until(() => path() === `/asks/${asked[1]}`);
  await page.locator(".ab-card").getByRole("heading", { name: "Second?" }).waitFor();
  await hasFocus(".ab-card");
  // One Tab from the card is its first option.
  await page.keyboard.press("Tab");
  await hasFocus(".ab-card [data-option]");
  await page.keyboard.press("Escape");
  await hasFocus(".ab-row-main");
  // From the list, too.
  await page.keyboard.press("3");
  await hasFocus("[data-option][aria-checked=true]");
  await page.keyboard.press("Enter");
  await page.locator(".ab-card[data-phase=undoable]").getByText("Perhaps").first().waitFor();
  await page.keyboard.press("/");
  await hasFocus("input[type=search]");
  // While typing, keys are letters.
  await page.keyboard.type("jk1/");
  expect(await page.getByLabel("Filter").inputValue()).toBe("jk1/");
  // Esc leaves the field and keeps its text; another one goes to the list, and so do Enter and Down.
  await page.getByLabel("Filter").fill("?");
  await page.keyboard.press("Escape");
  await hasFocus("body");
  expect(await page.getByLabel("Filter").inputValue()).toBe("?");
  await page.keyboard.press("Escape");
  await hasFocus(".ab-row-main");
  for (const key of ["Enter", "ArrowDown"]) {
    await page.keyboard.press("/");
    await hasFocus("input[type=search]");
    await page.keyboard.press(key);
    await hasFocus(".ab-row-main");
  }
  await ada.leave();
});

test("a question that is opened by its address has the focus", async () => {
  const ada = await Person.pair(server);
  await ada.go(`/asks/${asked[0]}`);
  await until(() => ada.page.evaluate(() => document.activeElement?.matches(".ab-card")));
  await ada.page.keyboard.press("2");
  await until(() => ada.page.evaluate(() => document.activeElement?.getAttribute("aria-checked") === "true" && document.activeElement.textContent?.includes("No")));
  await ada.leave();
});
