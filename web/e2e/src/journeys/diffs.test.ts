/** A large change to a file, read on a phone and on a desktop. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

/** A thousand lines of which every eighth changes, one of them very wide. */
const before = Array.from({ length: 1_000 }, (_, at) => `    let total_${at} = price_${at}(${at}, cents);`);
const after = before.map((line, at) => (at % 8 === 3 ? line.replace("cents", at === 3 ? `cents, ${"a_very_long_argument, ".repeat(8)}last` : "euros") : line));
const change = { approval: { tool: "Edit", input: { file_path: "/home/ada/shop/src/price.rs", old_string: before.join("\n"), new_string: after.join("\n") } }, agent: "claude", context: { folder: "/home/ada/shop" } };

let server: Server;
let id: string;
beforeAll(async () => {
  server = await Server.start();
  ({ id } = await server.ask(change));
});
afterAll(() => server.stop());

async function open(options: object) {
  const person = await Person.pair(server, options);
  await person.go(`/asks/${id}`);
  const card = person.page.locator(".ab-card");
  await card.locator(".ab-line").first().waitFor();
  return { person, card };
}

test("on a desk a big change scrolls in its box, and nothing is below the buttons but what belongs there", async () => {
  const { person, card } = await open({ viewport: { width: 1440, height: 900 } });
  const [pane, height] = await Promise.all([person.page.locator(".app-inbox-card").evaluate((it) => it.scrollHeight), card.evaluate((it) => it.clientHeight)]);
  expect(pane - height).toBeLessThan(200);
  expect(await person.page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(1_800);
  const next = card.getByRole("button", { name: /Next change/ });
  await next.click();
  await next.click();
  await until(() => person.page.evaluate(() => document.activeElement?.textContent?.includes("total_11")));
  await person.isAccessible("a big change");
  await person.leave();
});

test("on a phone it is small and numbered, the changed words are marked, and lines wrap or do not", async () => {
  const { person, card } = await open(PHONE);
  const line = card.locator(".ab-line[data-kind=added]").nth(1);
  const px = await line.evaluate((it) => Number.parseFloat(getComputedStyle(it).fontSize));
  expect(px).toBeGreaterThanOrEqual(12);
  expect(px).toBeLessThanOrEqual(13);
  expect(await line.locator(".ab-number").textContent()).toBe("12");
  expect(await line.locator("mark").allTextContents()).toEqual(["euros"]);
  // The buttons stay in reach however long the diff is, and so do those from change to change.
  await card.getByRole("button", { name: /Next change/ }).click();
  await until(() => person.page.evaluate(() => document.activeElement?.getAttribute("data-kind") === "removed"));
  for (let step = 0; step < 4; step += 1) await card.getByRole("button", { name: /Next change/ }).click();
  await card.getByText("5 of 125").waitFor();
  const isInReach = (name: string | RegExp) => card.getByRole("button", { name }).evaluate((it) => {
    const { top, bottom } = it.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  expect([await isInReach("Hold to allow"), await isInReach(/Next change/)]).toEqual([true, true]);
  await person.fits("a big change that wraps");
  await card.getByRole("button", { name: "Wrap lines" }).click();
  await until(() => card.locator(".ab-diff").evaluate((it) => it.scrollWidth > 2 * it.clientWidth));
  await person.fits("a big change that does not wrap");
  await person.isAccessible("a big change on a phone");
  await person.leave();
});
