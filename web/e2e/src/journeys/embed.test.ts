/** Our packages in other people's pages, exactly as the guide shows them, against the real server. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { commands, example, Site } from "../kit/embed.ts";
import { root, Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let site: Site;
let server: Server;
let token = "";
beforeAll(async () => {
  site = await Site.open();
  server = await Server.start({ ASKBRIDGE_ALLOWED_ORIGINS: site.address });
  token = await server.person("ada", "own page");
});
afterAll(async () => {
  site.close();
  await server.stop();
});

/** Fills in what the guide leaves to the reader: the token, the address. */
const filledIn = (name: string, ...more: string[]) =>
  [`const token = ${JSON.stringify(token)};`, ...more, example(name).replaceAll("http://127.0.0.1:4760", server.address)].join("\n");
const shown = 'import { createRoot } from "react-dom/client";\n';
const put = (what: string) => `\ncreateRoot(document.getElementById("root")!).render(<${what} />);\n`;

async function open(name: string) {
  const person = await Person.stranger(server);
  await person.page.goto(`${site.address}/${name}`);
  return person;
}

test("the packages can be packed, and installed in an empty project", () => {
  const folder = mkdtempSync(join(tmpdir(), "askbridge-embed-"));
  // As in a new shell: the npm that runs these tests passes its own settings to child processes.
  const shell = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const env = { ...shell, npm_config_prefer_offline: "true" };
  const run = (line: string, cwd: string) => execFileSync("bash", ["-ec", line], { cwd, env, encoding: "utf8", stdio: "pipe" });
  // The packages were already installed by the first command, from the same lock file.
  const [ci, ...pack] = commands("pack");
  expect(ci).toBe("npm --prefix web ci");
  for (const line of pack) run(line.replace("$PWD", folder), root);
  run("npm init --yes", folder);
  for (const line of commands("install")) run(line.replaceAll("path/to/", "./"), folder);
  const script = 'import { connect } from "@askbridge/client"; import { Ask } from "@askbridge/react"; console.log(typeof connect, typeof Ask);';
  writeFileSync(join(folder, "try.mjs"), script);
  expect(run("node try.mjs", folder)).toBe("function function\n");
  rmSync(folder, { recursive: true });
});

test("each example is about ten lines", () => {
  for (const name of ["client", "cards", "inbox", "assistant"]) {
    expect(example(name).split("\n").filter((line) => line.trim()).length, name).toBeLessThanOrEqual(11);
  }
});

test("the client alone says what waits, and answers", async () => {
  const { id } = await server.ask({ questions: [{ question: "Deploy now?", options: ["Yes", "No"] }], agent: "ci" });
  // This one is answered as soon as there is a connection; another one stays open during the test.
  await server.ask({ question: "And later?", agent: "ci" });
  await site.put("client", filledIn("client").replace("ask_…", id));
  const page = await Person.stranger(server);
  const said: string[] = [];
  page.page.on("console", (message) => said.push(message.text()));
  await page.page.goto(`${site.address}/client`);
  await until(() => said.includes("ci open And later?"));
  await until(async () => (await server.show(id)).state === "answered");
  expect((await server.show(id)).answers).toEqual({ "Deploy now?": "Yes" });
  await page.context.close();
});

test("the cards are on somebody else's page, and answer from there", async () => {
  const { id } = await server.ask({ question: "From elsewhere?" });
  await site.put("cards", shown + filledIn("cards") + put("App"));
  const person = await open("cards");
  const card = person.page.locator(".ab-card").filter({ hasText: "From elsewhere?" });
  await card.getByRole("textbox").first().fill("yes");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await until(async () => (await server.show(id)).state === "answered");
  expect((await server.show(id)).by).toMatchObject({ person: "ada", device: "own page" });
  await person.context.close();
});

test("the list leads to a card, and says in place how it ended", async () => {
  const { id } = await server.ask({ approval: { tool: "Bash", input: { command: "make release" } }, agent: "ci" });
  await site.put("inbox", shown + filledIn("inbox") + put("App"));
  const person = await open("inbox");
  await person.page.getByRole("button", { name: /make release/ }).click();
  await person.page.getByRole("button", { name: "Allow once" }).click();
  await until(async () => (await server.show(id)).state === "answered");
  await person.page.locator(".ab-row").getByText(/Decided by ada \(own page\)/).waitFor();
  await person.context.close();
});

/** A thread of assistant-ui whose model calls a tool once, and repeats the result. */
const thread = `
import { AssistantRuntimeProvider, useLocalRuntime } from "@assistant-ui/react";
const wanted = new URLSearchParams(location.search);
const input = { questions: [{ question: "Which database?", header: "Data", multiSelect: false, options: [{ label: "Postgres", description: "a server" }, { label: "SQLite", description: "a file" }] }] };
const asks = new Map(wanted.has("ask") ? [["toolu_1", wanted.get("ask")!]] : []);
const model = { async run({ unstable_getMessage }: any) {
  const call = unstable_getMessage().content.find((part: any) => part.type === "tool-call");
  if (call?.result !== undefined) return { content: [{ type: "text", text: "I heard: " + JSON.stringify(call.result) }] };
  return { content: [{ type: "tool-call", toolCallId: "toolu_1", toolName: wanted.get("tool"), args: input, argsText: JSON.stringify(input) }], status: { type: "requires-action", reason: "tool-calls" } };
} };
function Page() {
  const runtime = useLocalRuntime(model as never);
  return <AssistantRuntimeProvider runtime={runtime}><button onClick={() => runtime.thread.append("Build it")}>Build it</button><Thread /></AssistantRuntimeProvider>;
}`;

for (const tool of ["AskUserQuestion", "AskFollowupQuestion"]) {
  test(`in a thread of assistant-ui, ${tool} is a card whose answer the model hears`, async () => {
    await site.put("assistant", shown + filledIn("assistant", thread) + put("Page"));
    const person = await Person.stranger(server);
    await person.page.goto(`${site.address}/assistant?tool=${tool}`);
    await person.page.getByRole("button", { name: "Build it" }).click();
    await person.page.getByRole("button", { name: "Add a note" }).click();
    await person.page.getByLabel("Note").fill("for now");
    await person.page.getByRole("radio", { name: "SQLite" }).click();
    await person.page.getByRole("button", { name: "Answer", exact: true }).click();
    await person.page.getByText('I heard: {"answers":{"Which database?":"SQLite"},"annotations":{"Which database?":{"notes":"for now"}}}').waitFor();
    expect(person.complaints).toEqual([]);
    await person.context.close();
  });
}

test("in a thread of assistant-ui, a call that is an ask on the server is that ask, answered here or anywhere", async () => {
  await site.put("assistant", shown + filledIn("assistant", thread) + put("Page"));
  const bob = await server.person("bob", "bob's desk");
  const visit = async () => {
    const { id } = await server.ask({ questions: [{ question: "Which database, really?", options: ["Postgres", "SQLite"] }], call: "toolu_1" });
    const person = await Person.stranger(server);
    await person.page.goto(`${site.address}/assistant?tool=AskUserQuestion&ask=${id}`);
    await person.page.getByRole("button", { name: "Build it" }).click();
    const card = person.page.locator(".ab-card");
    await card.getByText("Which database, really?").waitFor();
    return { id, person, card };
  };
  const here = await visit();
  await here.card.getByRole("radio", { name: "Postgres" }).click();
  await until(async () => (await server.show(here.id)).state === "answered");
  expect((await server.show(here.id)).answers).toEqual({ "Which database, really?": "Postgres" });
  await here.person.context.close();
  const elsewhere = await visit();
  await server.call("POST", `/v1/asks/${elsewhere.id}/answer`, { answers: { "Which database, really?": "SQLite" } }, bob);
  await elsewhere.card.getByText(/Answered by bob \(bob's desk\)/).waitFor();
  await elsewhere.person.context.close();
});
