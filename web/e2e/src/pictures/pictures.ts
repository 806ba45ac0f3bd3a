/** Takes pictures of every page and of cards of every kind, desk and phone, light and dark. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { closeBrowser, DESK, Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { every } from "../kit/asks.ts";

const folder = process.env.PICTURES ?? join(import.meta.dirname, "../../out/pictures");
mkdirSync(folder, { recursive: true });
afterAll(closeBrowser);

test("pictures", async () => {
  const server = await Server.start();
  const asked = [];
  for (const [name, ask] of Object.entries(every)) asked.push([name, (await server.ask(ask)).id]);
  const { id: session } = await server.call("POST", "/v1/sessions", { agent: "ci", title: "Nightly build", folder: "/home/ada/shop", branch: "main" });
  await server.ask({ session, questions: [{ question: "The login test failed twice. Run it again?", options: ["Run it again", "Leave it"] }], agent: "ci" });
  for (const theme of ["light", "dark"] as const) {
    for (const [size, options] of [["desk", DESK], ["phone", PHONE]] as const) {
      const ada = await Person.pair(server, { colorScheme: theme, ...options });
      const shot = async (name: string) => {
        await ada.page.waitForLoadState("networkidle");
        await ada.page.screenshot({ path: join(folder, `${name}-${size}-${theme}.png`) });
      };
      await shot("inbox");
      for (const [name, id] of asked) {
        await ada.go(`/asks/${id}`);
        await ada.page.locator(".app-card-more").waitFor();
        await shot(`card-${name}`);
      }
      for (const path of ["sessions", "history", "devices", "settings", "sessions/new"]) {
        await ada.go(`/${path}`);
        await ada.page.getByRole("heading", { level: 1 }).waitFor();
        await shot(path.replace("/", "-"));
      }
      await ada.go("/devices");
      await ada.page.getByRole("button", { name: "Add a device" }).click();
      await ada.page.getByRole("img").waitFor();
      await shot("pairing");
      await ada.go(`/sessions/${session}`);
      await ada.page.getByRole("log").waitFor();
      await shot("chat");
      await ada.context.close();
      const stranger = await Person.stranger(server, { colorScheme: theme, ...options });
      await stranger.page.goto(server.address);
      await stranger.page.getByRole("heading", { level: 1 }).waitFor();
      await stranger.page.screenshot({ path: join(folder, `door-${size}-${theme}.png`) });
      await stranger.context.close();
    }
  }
  await server.stop();
});
