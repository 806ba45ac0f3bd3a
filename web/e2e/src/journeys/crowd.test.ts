/** Many large asks: the inbox shows all of them, and a person who opens one reads all of it before they decide. */

import { expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

const COUNT = 60;
/** About 80 kB: too large for a list. */
const LINES = 2_000;

const content = (n: number) => `${Array.from({ length: LINES }, (_, line) => `line ${line} of file number ${n}, as it is`).join("\n")}\nthe end of file ${n}`;
const write = (n: number) => ({
  approval: { tool: "Write", input: { file_path: `/srv/file-${n}.txt`, content: content(n) }, summary: `Write file-${n}.txt` },
  agent: "crowd",
});

test("of sixty large approvals one is opened, read to its end and allowed; the others stay", async () => {
  const server = await Server.start();
  const asked: string[] = [];
  for (let n = 0; n < COUNT; n += 1) asked.push((await server.ask(write(n))).id);
  const ada = await Person.pair(server);
  const { page } = ada;
  await until(async () => (await page.title()) === `(${COUNT}) askbridge`);
  // The network fails while the rest is fetched: nothing can be decided, and the card says so. Not the first one: that is open already.
  const id = asked[5]!;
  await page.route(`**/v1/asks/${id}`, (route) => route.abort());
  await page.locator(".ab-row", { hasText: "/srv/file-5.txt" }).getByRole("button").first().click();
  const card = page.locator(".ab-card");
  await card.getByRole("alert").filter({ hasText: "could not be loaded" }).waitFor();
  expect(await card.getByRole("button", { name: "Allow once" }).count()).toBe(0);
  await page.unroute(`**/v1/asks/${id}`);
  await card.getByRole("button", { name: "Load it again" }).click();
  await card.getByRole("button", { name: "Hold to allow" }).waitFor();
  await card.getByRole("button", { name: /^Show \d+ more lines$/ }).click();
  await card.getByText("the end of file 5").first().waitFor();
  // A short press scrolls to the end; once that is in view, another one allows.
  await card.getByRole("button", { name: "Hold to allow" }).click();
  await card.getByRole("button", { name: "Allow once" }).click();
  await until(async () => (await server.show(id)).state === "answered");
  expect((await server.show(id)).answers).toEqual({ decision: "allow" });
  await until(async () => (await page.title()) === `(${COUNT - 1}) askbridge`);
  expect(ada.complaints).toEqual([]);
  await ada.context.close();
  await server.stop();
});
