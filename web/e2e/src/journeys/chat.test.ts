/** Conversations: with the real Claude Code in front of a scripted model, and with an agent that only asks. */

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, PHONE, scratch } from "../kit/browser.ts";
import { withClaude, type Model } from "../kit/claude.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

/** Long enough that half of the call ends in the middle of it. */
const LONG = `Which of these do you like the most, if you think of ${"colour, smell, taste, season, price, weight, ".repeat(8)}and all the rest?`;

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
    { when: { user: "slowly" }, say: { message: [
      { halting: { gate: "text", piece: { text: "Here is **the first half** of it.\n\n- and the second half" } } },
      { halting: { gate: "question", piece: { tool: { ...ask("toolu_slow", LONG, ["Cherry", "Plum"]).tool, chunk_bytes: 24 } } } },
    ] } },
    { when: { result: "toolu_slow" }, say: { message: [{ text: "Plums, then." }] } },
    { when: { user: "endless" }, say: { message: [{ halting: { gate: "never", piece: { text: "On and on and on and" } } }] } },
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

test("a conversation that was begun is not lost, its folder is found by looking, and it is started once", async () => {
  mkdirSync(join(server.work, "shop", ".git"), { recursive: true });
  const ada = await Person.pair(server, PHONE);
  const { page } = ada;
  await ada.go("/sessions/new");
  await page.getByLabel("What should it do?").fill("Say something");
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.goBack();
  expect(await page.getByLabel("What should it do?").inputValue()).toBe("Say something");
  // A folder in which agents may not work: the reason is in view, above the navigation.
  const field = page.getByLabel("Folder", { exact: true });
  await field.fill("/etc");
  await page.getByRole("button", { name: "Start" }).click();
  const why = page.getByRole("alert");
  await why.getByText("agents may not work in").waitFor();
  const [said, bar] = [(await why.boundingBox())!, (await page.getByRole("navigation").boundingBox())!];
  expect(said.y + said.height).toBeLessThanOrEqual(bar.y);
  await field.fill("~/work");
  await page.getByRole("button", { name: "Browse" }).click();
  await page.getByRole("button", { name: /^shop/ }).click();
  await ada.isAccessible("a new conversation");
  await ada.fits("a new conversation");
  await page.getByRole("button", { name: "Work here" }).click();
  expect(await field.inputValue()).toBe(join(realpathSync(server.work), "shop"));
  // The first attempt to send fails: the second one uses the same conversation.
  const before = (await server.call("GET", "/v1/sessions")).items.length;
  await page.route("**/messages", (route) => route.abort());
  await page.getByRole("button", { name: "Start" }).click();
  await why.getByText("your message did not arrive").waitFor();
  await page.unroute("**/messages");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("log").getByText("Say something").first().waitFor();
  expect((await server.call("GET", "/v1/sessions")).items.length).toBe(before + 1);
  await ada.go("/sessions/new");
  expect(await page.getByLabel("What should it do?").inputValue()).toBe("");
  await ada.leave();
});

test("from a new conversation to an answered question, with the real Claude Code", async () => {
  const ada = await Person.pair(server);
  const { page } = ada;
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.getByRole("link", { name: "New conversation" }).click();
  await page.getByLabel("What should it do?").fill("Choose a fruit for me");
  await page.getByLabel("Folder", { exact: true }).fill(server.work);
  await page.getByText("Model, permissions, title").click();
  await page.getByLabel("Title").fill("Fruit salad");
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name: "Fruit salad" }).waitFor();
  const log = page.getByRole("log");
  await log.getByText("Choose a fruit for me").waitFor();
  await log.getByText("Let me ask.").first().waitFor();
  // The same question is in the inbox, and at its place in the conversation.
  await page.getByText("Waits for you").first().waitFor();
  await log.getByText("Which fruit?").first().waitFor();
  // Messages for later are queued, and can be withdrawn.
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
  // The agent read the queued message with the answer, and never the withdrawn one.
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

test("text and a question are there while they are written, in the order in which they come", async () => {
  const ada = await Person.pair(server);
  const { id } = await server.call("POST", "/v1/sessions", { agent: "claude", folder: server.work, title: "Slow" }, await server.person());
  await ada.go(`/sessions/${id}`);
  await ada.page.getByLabel("Message").fill("tell me slowly");
  await ada.page.keyboard.press("Enter");
  const log = ada.page.getByRole("log");
  // Half of the text, drawn as markdown, while the model waits at a gate.
  await log.locator(".app-live strong").getByText("the first half").waitFor();
  expect(await log.getByText("and the second half").count()).toBe(0);
  model.open("text");
  await log.locator(":not(.app-live) > .app-text li").getByText("and the second half").waitFor();
  // Half of the question: there is no card to answer yet.
  const preparing = log.locator(".ab-card[data-phase=preparing]");
  await preparing.getByText(/^Which of these/).waitFor();
  await preparing.getByText("Cherry").waitFor();
  expect(await preparing.getByRole("radio").count()).toBe(0);
  await ada.isAccessible("a question that is being written");
  model.open("question");
  const card = log.locator(".ab-card[data-phase=open]");
  await card.getByRole("radio", { name: "Plum" }).waitFor();
  await preparing.waitFor({ state: "detached" });
  expect(await log.getByText(LONG).count()).toBe(1);
  await card.getByRole("radio", { name: "Plum" }).click();
  await log.getByText("Plums, then.").waitFor();
  await ada.leave();
});

test("an agent that talks on can be interrupted, and says so in the conversation", async () => {
  const ada = await Person.pair(server);
  const { id } = await server.call("POST", "/v1/sessions", { agent: "claude", folder: server.work, title: "Endless" }, await server.person());
  await ada.go(`/sessions/${id}`);
  await ada.page.getByLabel("Message").fill("an endless story");
  await ada.page.keyboard.press("Enter");
  const log = ada.page.getByRole("log");
  await log.locator(".app-live").getByText("On and on").waitFor();
  await ada.page.getByRole("button", { name: "Interrupt" }).click();
  await log.getByText("Interrupted by ada").waitFor();
  await log.locator(".app-live").waitFor({ state: "detached" });
  await ada.leave();
});

test("an agent that was let go sleeps until its question is answered, and the card says so", async () => {
  const token = await server.person();
  const { id } = await server.call("POST", "/v1/sessions", { agent: "claude", folder: server.work, title: "Parked", warm_seconds: 0 }, token);
  await server.call("POST", `/v1/sessions/${id}/messages`, { text: "a fruit please" }, token);
  const ada = await Person.pair(server);
  await ada.go(`/sessions/${id}`);
  const card = ada.page.locator(".ab-card");
  await card.getByText("The agent sleeps. Your answer wakes it.").waitFor();
  await ada.page.getByText("parked until you answer").waitFor();
  await card.getByRole("radio", { name: "Pear" }).click();
  await ada.page.getByRole("log").getByText("A pear it is.").waitFor();
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
