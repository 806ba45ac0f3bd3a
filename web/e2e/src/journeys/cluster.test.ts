/** Several servers that share a journal on NATS: the page that shows them, and what a person sees when one dies. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Nats } from "../kit/nats.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let nats: Nats;
let desk: Server;
let lab: Server;
beforeAll(async () => {
  nats = await Nats.start();
  desk = await Server.start(nats.settings("desk"));
  lab = await Server.start({ ...nats.settings("lab"), ASKBRIDGE_NODE_LABELS: "gpu" });
});
beforeEach(() => Promise.all([desk.isUp(), lab.isUp()]));
afterAll(async () => {
  await Promise.all([desk?.stop(), lab?.stop()]);
  await nats?.stop();
});

const WIDE = { viewport: { width: 1440, height: 900 } };
const node = ({ page }: Person, name: string) => page.getByRole("region", { name, exact: true });

test("the nodes are on a page of the settings, and a server with a journal of its own offers none", async () => {
  const ada = await Person.pair(desk, WIDE);
  await ada.go("/settings");
  await ada.page.getByRole("link", { name: "Nodes", exact: true }).click();
  await ada.page.getByRole("heading", { name: "Cluster", level: 1 }).waitFor();
  await ada.page.getByText("2 nodes share this inbox. All are up.").waitFor();
  await node(ada, "desk").getByText("this page is connected here").waitFor();
  await node(ada, "lab").getByText("gpu").waitFor();
  await node(ada, "lab").getByRole("link", { name: lab.address }).waitFor();
  expect(await node(ada, "lab").getByText("this page is connected here").count()).toBe(0);
  expect(await ada.page.getByRole("link", { name: "Settings", exact: true }).first().getAttribute("aria-current")).toBe("page");
  await ada.isAccessible("the nodes");
  await ada.fits("the nodes");
  await ada.leave();

  const own = await Server.start();
  const bob = await Person.pair(own);
  await bob.go("/settings");
  await bob.page.getByRole("heading", { name: "Rules" }).waitFor();
  await bob.go("/settings/cluster");
  await bob.page.getByText("This server does not share its journal.").waitFor();
  await bob.go("/settings");
  await bob.page.getByRole("heading", { name: "Keys" }).waitFor();
  expect(await bob.page.getByRole("link", { name: "Nodes", exact: true }).count()).toBe(0);
  await bob.leave();
  await own.stop();
});

test("a node that dies is down on the page, its questions are answered on another one, and it comes back", async () => {
  const asked = await lab.ask({ questions: [{ question: "Which way?", options: ["Left", "Right"] }], agent: "ci" });
  const ada = await Person.pair(desk, WIDE);
  await ada.page.getByText("Which way?").first().waitFor();
  await ada.go("/settings/cluster");
  await node(ada, "lab").getByText("up", { exact: true }).waitFor();
  await lab.kill();
  await ada.page.getByText("2 nodes share this inbox. 1 is down.").waitFor();
  await node(ada, "lab").getByText(/^down since /).waitFor();
  await node(ada, "lab").getByText("Questions of the agents on lab are still here, and you can answer them.").waitFor();
  await ada.isAccessible("a node that is down");
  await ada.go(`/asks/${asked.id}`);
  await ada.page.getByRole("radio", { name: "Left" }).click();
  await until(async () => ["proposed", "answered"].includes((await desk.show(asked.id)).state));
  await ada.go("/settings/cluster");
  await lab.run();
  await ada.page.getByText("2 nodes share this inbox. All are up.").waitFor();
  await until(async () => JSON.stringify((await lab.show(asked.id)).answers) === '{"Which way?":"Left"}');
  await ada.leave();
});

test.each(["light", "dark"] as const)("on a phone, in Japanese and in %s colours, all of it fits and can be read", async (colorScheme) => {
  const ada = await Person.pair(desk, { ...PHONE, colorScheme, locale: "ja-JP" });
  await ada.go("/settings/cluster");
  await ada.page.getByText("2 台のノードがこの受信箱を共有しています。すべて稼働中です。").waitFor();
  await ada.isAccessible("the nodes in Japanese");
  await ada.fits("the nodes in Japanese");
  await lab.kill();
  await node(ada, "lab").getByText("lab のエージェントの質問はここに残っていて、回答できます。").waitFor();
  await ada.isAccessible("a node that is down, in Japanese");
  await ada.fits("a node that is down, in Japanese");
  await ada.leave();
});

test("a new conversation is given a node with the keyboard, and the folders of another node are offered by name", async () => {
  const ada = await Person.pair(desk);
  const { page } = ada;
  await ada.go("/sessions/new");
  const field = page.getByRole("combobox", { name: /^Node/ });
  // It was down a moment ago, as the page knows it.
  await until(() => page.locator("option:not([disabled])", { hasText: /^lab/ }).count());
  await field.focus();
  await page.keyboard.press("End");
  expect(await field.inputValue()).toMatch(/^node_/);
  await page.getByText("On lab, agents may work in these folders and below.").waitFor();
  expect(await page.getByRole("button", { name: "Browse" }).count()).toBe(0);
  await page.getByRole("group", { name: "Folders" }).getByRole("button", { name: lab.home, exact: true }).click();
  expect(await page.getByLabel("Folder", { exact: true }).inputValue()).toBe(lab.home);
  await ada.isAccessible("a new conversation on another node");
  await field.selectOption("One that has the folder");
  await page.getByRole("button", { name: "Browse" }).waitFor();
  await ada.leave();
});
