/** Similar approvals, decided together: each shown, none hidden, nothing decided that was not ticked. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

const run = async (agent: string, command: string) =>
  (await server.ask({ approval: { tool: "Bash", input: { command }, summary: `Run ${command}` }, agent, context: { folder: "/home/ada/shop" } })).id as string;
const answers = async (id: string) => (await server.show(id)).answers;

test("approvals that are alike are decided together, and what came meanwhile is left alone", async () => {
  const agent = "claude";
  const [tests, deletes, format] = [await run(agent, "cargo test"), await run(agent, "rm -rf target"), await run(agent, "cargo fmt")];
  const other = await run("someone else", "cargo test");
  const ada = await Person.pair(server);
  const { page } = ada;
  await page.getByRole("link", { name: "3 approvals of Bash are alike. Decide them together" }).click();
  const group = page.locator(".ab-together");
  await group.getByRole("heading", { name: "claude wants to use Bash 3 times" }).waitFor();
  for (const command of ["cargo test", "rm -rf target", "cargo fmt"]) await group.locator("pre").filter({ hasText: command }).waitFor();
  // Grave ones are never ticked by default.
  const ticked = () => group.getByRole("checkbox").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked));
  expect(await ticked()).toEqual([true, false, true]);
  const late = await run(agent, "cargo doc");
  await group.getByText("just came").waitFor();
  expect(await ticked()).toEqual([true, false, true, false]);
  await ada.isAccessible("approvals that are alike");
  await group.getByRole("button", { name: "Allow 2 once" }).click();
  await until(async () => (await server.show(format)).state === "answered");
  await until(async () => (await server.show(tests)).state === "answered");
  expect([await answers(tests), await answers(format)]).toEqual([{ decision: "allow" }, { decision: "allow" }]);
  await group.getByText(/Decided by you/).nth(1).waitFor();
  for (const id of [deletes, late, other]) expect((await server.show(id)).state).toBe("open");
  await group.getByRole("checkbox", { name: /rm -rf target/ }).check();
  await group.getByRole("checkbox", { name: /cargo doc/ }).check();
  await group.getByRole("button", { name: "Deny 2…" }).click();
  await group.getByLabel("Why, or what to do instead").fill("not before lunch");
  await group.getByRole("button", { name: "Deny", exact: true }).click();
  await group.getByText("All of them are decided.").waitFor();
  for (const id of [deletes, late]) await until(async () => (await server.show(id)).state === "answered");
  expect([await answers(deletes), await answers(late)]).toEqual([{ decision: "deny", stop: false, words: "not before lunch" }, { decision: "deny", stop: false, words: "not before lunch" }]);
  expect((await server.show(other)).state).toBe("open");
  await ada.leave();
});

test("on a phone the group fits, and somebody else who decides one of it is named in its place", async () => {
  const [one] = [await run("nightly", "make check"), await run("nightly", "make lint")];
  const bob = await server.person("bob", "bob's desk");
  const ada = await Person.pair(server, PHONE);
  await ada.go(`/asks/${one}/together`);
  const group = ada.page.locator(".ab-together");
  await group.getByRole("button", { name: "Allow 2 once" }).waitFor();
  await ada.fits("approvals that are alike");
  await server.call("POST", `/v1/asks/${one}/answer`, { decision: "deny" }, bob);
  await group.getByText(/Decided by bob \(bob's desk\)/).waitFor();
  await group.getByRole("button", { name: "Allow 1 once" }).waitFor();
  expect(await group.getByRole("checkbox").count()).toBe(1);
  await ada.leave();
});
