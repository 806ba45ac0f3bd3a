/** From the first start to the first answer. */

import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { binary, ours, Server } from "../kit/server.ts";

test("first start, demo, answer", async () => {
  const server = await Server.start();
  const ada = await Person.pair(server);
  await ada.page.getByText("Nothing waits for you.").waitFor();
  const demo = ours(spawn("setsid", [binary, "demo", "--elsewhere"], { env: { ...server.scrubbed(), ASKBRIDGE_LISTEN: new URL(server.address).host }, stdio: ["ignore", "pipe", "pipe"] }));
  let said = "";
  demo.stdout.on("data", (part) => (said += part));
  demo.stderr.on("data", (part) => (said += part));
  const ended = new Promise<number | null>((done) => demo.once("exit", done));
  // Everything it asks is answered with the first option, until the demo ends.
  let isOver = false;
  void ended.then(() => (isOver = true));
  const { page } = ada;
  await page.locator(".ab-card[data-phase=open]").first().waitFor();
  while (!isOver) {
    const card = page.locator(".ab-card[data-phase=open]").first();
    if (!(await card.isVisible().catch(() => false))) {
      const next = page.getByRole("button", { name: "Next" });
      if (await next.isVisible()) await next.click().catch(() => undefined);
      await Promise.race([ended, page.evaluate(() => new Promise((go) => requestAnimationFrame(go)))]);
      continue;
    }
    // The demo lets one ask expire: if a card closes before it is clicked, look for the next one.
    const soon = { timeout: 2_000 };
    const kind = await card.getAttribute("data-kind", soon).catch(() => null);
    const press = (name: string) => card.getByRole("button", { name, exact: true }).click(soon).catch(() => undefined);
    if (kind === null) continue;
    if (kind === "approval") await press("Allow once");
    else if (kind === "plan") await press("Approve");
    else if (kind === "form") await press("Send");
    else {
      const isOne = (await card.locator(".ab-question").count()) === 1;
      for (const question of await card.locator(".ab-question").all()) {
        const options = question.locator("[data-option]");
        // A choice made by an earlier attempt that was too slow for the rest stays.
        if ((await question.locator("[aria-checked=true]").count()) > 0) continue;
        if ((await options.count()) > 0) await options.first().click(soon).catch(() => undefined);
        else await question.getByRole("textbox").first().fill("demo", soon).catch(() => undefined);
      }
      if (isOne && (await card.getByRole("radio").count()) > 0) continue;
      const answer = card.getByRole("button", { name: "Answer", exact: true });
      if (await answer.isVisible()) await answer.click(soon).catch(() => undefined);
    }
    await Promise.race([ended, page.evaluate(() => new Promise((go) => requestAnimationFrame(go)))]);
  }
  expect(await ended, said).toBe(0);
  await ada.leave();
  await server.stop();
});
