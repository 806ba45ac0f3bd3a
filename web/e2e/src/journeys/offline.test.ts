/** Without a server: what is stored on the device, what is shown about it, and that nothing is lost. */

import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
beforeEach(() => server.isUp());
afterAll(() => server.stop());

/** Waits until the service worker has stored the app on the device. */
async function isKept({ page }: Person) {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await until(() => page.evaluate(() => navigator.serviceWorker.controller !== null));
}

test("what was known and what waits to be sent is there after a reload without a server, and so are pages that were never opened", async () => {
  const { id } = await server.ask({ question: "In the dark?", agent: "scout" });
  const ada = await Person.pair(server, PHONE);
  await isKept(ada);
  await ada.go(`/asks/${id}`);
  await server.kill();
  const card = ada.page.locator(".ab-card");
  await card.getByRole("textbox").first().fill("as bright as day");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await ada.page.locator(".ab-card[data-phase=queued]").waitFor();
  await ada.page.reload();
  await ada.page.locator(".ab-card[data-phase=queued]").waitFor();
  await ada.page.locator(".ab-given-answer").getByText("as bright as day").waitFor();
  await ada.page.getByText("1 decision waits to be sent.").waitFor();
  await ada.page.getByText("This is how it was at").waitFor();
  await ada.page.goto(`${server.address}/history`);
  await ada.page.getByRole("heading", { name: "History" }).waitFor();
  await ada.page.goto(server.address);
  await ada.page.getByText("In the dark?").waitFor();
  // All of the app is there, not only what was opened.
  for (const name of ["Conversations", "Settings"]) {
    await ada.page.getByRole("link", { name }).click();
    await ada.page.getByRole("heading", { name }).waitFor();
    if (name === "Conversations") await ada.page.getByText("nothing was kept here yet").waitFor();
  }
  await server.run();
  await until(async () => (await server.show(id)).answers["In the dark?"] === "as bright as day");
  await ada.leave();
});

test("a question that does not exist is said to be gone, here and with an answer that waited for it", async () => {
  const ada = await Person.pair(server);
  const missing = "ask_01ktan0000000000000000000g";
  await ada.go(`/asks/${missing}`);
  await ada.page.getByText("This question is gone.").waitFor();
  await server.kill();
  await ada.page.goto(`${server.address}/asks/ask_01ktan0000000000000000000h`).catch(() => undefined);
  await ada.page.evaluate(() => localStorage.setItem("askbridge.unsent.ask_01ktan0000000000000000000h", JSON.stringify({ what: "dismiss", words: null })));
  await ada.page.reload();
  await ada.page.getByText("This question is not kept on this device.").waitFor();
  await ada.page.getByText("Your decision is kept on this device").waitFor();
  await server.run();
  await ada.page.getByText("This question is gone.").waitFor();
  await ada.leave();
});

test("a proxy that says 502 does not replace the app, and files of old versions do not stay", async () => {
  const ada = await Person.stranger(server);
  // A browser that has been here before: it has caches of three versions.
  await ada.page.goto(`${server.address}/icon.svg`);
  await ada.page.evaluate(async () => {
    for (const name of ["askbridge-files", "askbridge-older", "askbridge-old"]) await (await caches.open(name)).put("/assets/old.js", new Response("old"));
  });
  await ada.page.goto(await server.link());
  await ada.isIn();
  await isKept(ada);
  // The previous version stays for pages that are still open.
  await until(() => ada.page.evaluate(async () => (await caches.keys()).length === 2));
  await server.kill();
  const proxy = createServer((_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>502 Bad Gateway</h1>"));
  await new Promise<void>((ready) => proxy.listen(Number(new URL(server.address).port), "127.0.0.1", ready));
  await ada.page.reload();
  await ada.page.getByRole("heading", { name: "Inbox" }).waitFor();
  proxy.closeAllConnections();
  await new Promise((closed) => proxy.close(closed));
  await server.run();
  await ada.isIn();
  await ada.leave();
});
