/** Conversations: with the real Claude Code in front of a scripted model, and with an agent that only asks. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, scratch } from "../kit/browser.ts";
import { withClaude, type Model } from "../kit/claude.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

const files = scratch();
let server: Server;
let model: Model;
beforeAll(async () => {
  const ask = (id: string, question: string, labels: string[]) => ({
    tool: { id, name: "AskUserQuestion", input: { questions: [{ question, header: "Fruit", multiSelect: false, options: labels.map((label) => ({ label, description: `Option ${label}` })) }] } },
  });
  ({ server, model } = await withClaude(files.folder, [
    { when: { result: "toolu_run" }, say: { message: [{ text: "The command said hello." }] } },
    { when: { result: "toolu_ask" }, say: { message: [{ text: "A **pear** it is." }] } },
    { when: { user: "fruit" }, say: { message: [{ text: "Let me ask." }, ask("toolu_ask", "Which fruit?", ["Apple", "Pear"])] } },
    { when: { user: "run it" }, say: { message: [{ tool: { id: "toolu_run", name: "Bash", input: { command: "echo hello > greeting && cat greeting", description: "Write a greeting" } } }] } },
    { when: "anything", say: { message: [{ text: "Hm." }] } },
  ]));
});
afterAll(async () => {
  await server.stop();
  model.stop();
  files.remove();
});

test("from a new conversation to an answered question, with the real Claude Code", async () => {
  const ada = await Person.pair(server);
  const { page } = ada;
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.getByRole("link", { name: "New conversation" }).click();
  await page.getByLabel("Folder").fill(server.work);
  await page.getByLabel("Title").fill("Fruit salad");
  await page.getByLabel("What should it do?").fill("Choose a fruit for me");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: "Fruit salad" }).waitFor();
  const log = page.getByRole("log");
  await log.getByText("Choose a fruit for me").waitFor();
  await log.getByText("Let me ask.").first().waitFor();
  // The same question is in the inbox, and in the conversation at its place.
  await page.getByText("Waits for you").first().waitFor();
  await log.getByText("Which fruit?").first().waitFor();
  // Words for afterwards wait, and can be taken back.
  await page.getByLabel("Message").fill("never mind this");
  await page.getByRole("button", { name: "Send afterwards" }).click();
  await log.getByText("never mind this").waitFor();
  await log.getByText("waits for the agent").waitFor();
  await log.getByRole("button", { name: "Take back" }).click();
  await log.getByText("taken back").waitFor();
  await page.getByLabel("Message").fill("and this afterwards");
  await page.getByRole("button", { name: "Send afterwards" }).click();
  await log.getByText("waits for the agent").waitFor();

  await log.getByText("Pear", { exact: true }).first().click();
  await log.getByText("A pear it is.").waitFor();
  // The agent read the other message along with the answer, and never the one that was taken back.
  await until(() => model.heard.some((request) => request.includes("and this afterwards")));
  await log.getByText("waits for the agent").waitFor({ state: "detached" });
  expect(model.heard.some((request) => request.includes("never mind this"))).toBe(false);
  await page.locator(".app-spent").waitFor();
  await ada.leave();
});

test("a command is approved in the conversation, and its result is folded away beside it", async () => {
  const ada = await Person.pair(server);
  const { id } = await server.call("POST", "/v1/sessions", { agent: "claude", folder: server.work, title: "Hello" }, await server.person());
  await ada.go(`/sessions/${id}`);
  await ada.page.getByLabel("Message").fill("please run it");
  await ada.page.keyboard.press("Enter");
  const log = ada.page.getByRole("log");
  await log.getByRole("button", { name: /Allow once/ }).click();
  await log.getByText("The command said hello.").waitFor();
  const tool = log.locator("details").filter({ hasText: "greeting" });
  await tool.locator("summary").click();
  await tool.getByLabel("What came back").getByText("hello").waitFor();
  await ada.leave();
});

test("while a question is open, the words in the field can be its answer", async () => {
  const { id: session } = await server.call("POST", "/v1/sessions", { agent: "ci", title: "Asks only" });
  const asked = await server.ask({ session, question: "What is it called?" });
  const ada = await Person.pair(server);
  await ada.go(`/sessions/${session}`);
  await ada.page.getByLabel("Message").fill("Bertha");
  await ada.page.keyboard.press("Enter");
  expect((await server.show(asked.id)).state, "Enter alone decides nothing").toBe("open");
  await ada.page.getByRole("button", { name: "Send as my answer" }).click();
  await until(async () => (await server.show(asked.id)).state === "answered");
  expect((await server.show(asked.id)).answers).toEqual({ "What is it called?": "Bertha" });
  await ada.leave();
});
