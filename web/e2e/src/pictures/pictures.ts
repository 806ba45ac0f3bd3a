/** Takes pictures of every page and of cards of every kind, desk and phone, light and dark. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { closeBrowser, DESK, Person, PHONE, scratch } from "../kit/browser.ts";
import { withClaude } from "../kit/claude.ts";
import { until } from "../kit/until.ts";
import { every } from "../kit/asks.ts";

const folder = process.env.PICTURES ?? join(import.meta.dirname, "../../out/pictures");
mkdirSync(folder, { recursive: true });
afterAll(closeBrowser);

test("pictures", async () => {
  const files = scratch();
  const { server, model } = await withClaude(files.folder, [
    { when: { result: "toolu_ls" }, say: { message: [
      { text: "There is a `Cargo.toml` and no tests yet. Two ways lead on:\n\n1. **Unit tests** beside the code\n2. **Stories** in `tests/`, which read like the documentation\n\nI would begin with the second." },
      { tool: { id: "toolu_ask", name: "AskUserQuestion", input: { questions: [{ question: "Which tests shall I write first?", header: "Tests", multiSelect: false, options: [
        { label: "Stories (recommended)", description: "Slower to run, and they show what people see." }, { label: "Unit tests", description: "Quick, close to the code." }] }] } } }] } },
    { when: { user: "tests" }, say: { message: [{ text: "I will look at what is there first." }, { tool: { id: "toolu_ls", name: "Bash", input: { command: "ls", description: "List the files" } } }] } },
    { when: "anything", say: { message: [{ text: "Hm." }] } },
  ]);
  const token = await server.person();
  const { id: session } = await server.call("POST", "/v1/sessions", { agent: "claude", title: "Tests for the shop", folder: server.work }, token);
  await server.call("POST", `/v1/sessions/${session}/messages`, { text: "This project needs tests. Where would you begin?" }, token);
  await until(async () => (await server.call("GET", `/v1/sessions/${session}`, undefined, token)).open_ask_ids.length > 0, 60_000);
  for (const [question, answer] of [["Use tabs or spaces?", "Spaces"], ["Delete the old branch?", "Yes"], ["Which licence?", "Apache-2.0"]] as const) {
    const { id } = await server.ask({ questions: [{ question, options: [answer, "Something else"] }], agent: "claude" });
    await server.call("POST", `/v1/asks/${id}/answer`, { answers: { [question]: answer } }, token);
  }
  const asked = [];
  for (const [name, ask] of Object.entries(every)) asked.push([name, (await server.ask(ask)).id]);
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
  model.stop();
  files.remove();
});
