/** Rules that a person makes of decisions: from a card, after four same decisions, and taken back on their page. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
let ada: Person;
beforeAll(async () => {
  server = await Server.start();
  ada = await Person.pair(server);
});
beforeEach(() => server.isUp());
afterAll(async () => {
  await ada.leave();
  await server.stop();
});

const call = (command: string, rules: readonly unknown[] = []) =>
  ({ approval: { tool: "Bash", input: { command }, rules }, agent: "claude", context: { folder: "/home/ada/shop" } });

async function open(ask: object, person = ada) {
  const { id } = await server.ask(ask as never);
  await person.go(`/asks/${id}`);
  const card = person.page.locator(".ab-card");
  await card.waitFor();
  return { id: id as string, card };
}
const settled = (id: string) => until(async () => {
  const ask = await server.show(id);
  return ask.settled_at && ask;
});

test("always shows the very rule and its file, apart from the agent's own, and the next such call is decided by it", async () => {
  const theirs = { label: "make anything", rule: { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "make *" }], behavior: "allow", destination: "localSettings" } };
  const { id, card } = await open(call("make", [theirs]));
  await card.getByRole("button", { name: "Always allow…" }).click();
  await card.getByText("Claude Code writes it to .claude/settings.local.json.").waitFor();
  await card.getByRole("radio", { name: /Exactly this call/ }).check();
  const file = join(server.data, "remembered.toml");
  await card.getByText(`askbridge shows it in ${file}.`).waitFor();
  await card.getByLabel("Where").selectOption({ label: "Everywhere" });
  await card.getByLabel("Until").selectOption({ label: "For good" });
  const text = card.locator("pre.ab-rule-text");
  await until(async () => !/until|folder/.test(await text.innerText().catch(() => "until")));
  const shown = await text.innerText();
  expect(readFileSync(file, { encoding: "utf8", flag: "a+" })).not.toContain(shown);
  await ada.isAccessible("a rule that is about to be saved");
  await card.getByRole("button", { name: "Allow and save" }).click();
  expect((await settled(id)).answers).toEqual({ decision: "allow" });
  await card.getByText("Exactly this call is allowed from now on.").waitFor();
  expect(readFileSync(file, "utf8")).toContain(shown);
  const { id: next } = await server.ask(call("make") as never);
  expect(await server.show(next)).toMatchObject({ state: "ruled", by: { file } });
  const { id: other } = await server.ask(call("make all") as never);
  expect((await server.show(other)).state).toBe("open");

  await ada.go("/settings/rules");
  const row = ada.page.getByRole("listitem").filter({ hasText: "Allow: make" });
  await row.getByText("In force everywhere").waitFor();
  await row.getByText("1 use, last").waitFor();
  await row.getByText("for good").waitFor();
  await row.getByRole("button", { name: "Revoke: make" }).click();
  await row.getByRole("button", { name: "Revoke", exact: true }).click();
  await ada.page.getByText("None is remembered.").waitFor();
  const { id: again } = await server.ask(call("make") as never);
  expect((await server.show(again)).state).toBe("open");
});

test("after four same decisions the card offers the rule, and one tap saves it", async () => {
  const token = await server.person("ada", "kitchen tablet");
  for (let n = 0; n < 4; n += 1) {
    const { id } = await server.ask(call("npm test") as never);
    await server.call("POST", `/v1/asks/${id}/answer`, { decision: "deny", words: "later" }, token);
  }
  const { id, card } = await open(call("npm test"));
  await card.getByText("You chose “Deny” 4 times in a row.").waitFor();
  await card.getByText('do = "deny"').waitFor();
  await ada.isAccessible("an offered rule");
  await card.getByRole("button", { name: "Save this rule" }).click();
  await card.getByText("Saved: the next one is decided by it.").waitFor();
  expect((await server.show(id)).state).toBe("open");
  const { id: next } = await server.ask(call("npm test") as never);
  expect(await server.show(next)).toMatchObject({ state: "ruled", answers: { decision: "deny" } });
});

test("a grave call is never offered a rule, and on a narrow phone the panel of a rule fits", async () => {
  const token = await server.person("ada", "desk");
  for (const command of ["rm -rf build", "make check"]) {
    for (let n = 0; n < 4; n += 1) {
      const { id } = await server.ask(call(command) as never);
      await server.call("POST", `/v1/asks/${id}/answer`, { decision: "allow" }, token);
    }
  }
  const phone = await Person.pair(server, { ...PHONE, colorScheme: "dark" });
  const { card } = await open(call("make check"), phone);
  await card.getByText("You chose “Allow” 4 times in a row.").waitFor();
  await phone.fits("an offered rule");
  await card.getByRole("button", { name: "Always allow…" }).click();
  await card.getByText(/askbridge shows it in/).first().waitFor();
  await phone.fits("the panel of a rule");
  const { id } = await server.ask(call("rm -rf build") as never);
  const asked = phone.page.waitForResponse((response) => response.url().endsWith(`/v1/asks/${id}/rule`));
  await phone.go(`/asks/${id}`);
  expect(await (await asked).json()).toEqual({ offer: null });
  await phone.leave();
});

test("what a rule decided is corrected with one tap from its page", async () => {
  const token = await server.person("ada", "sofa");
  const { id: first } = await server.ask(call("cargo doc") as never);
  await server.call("POST", "/v1/rules/remembered", { ask: first, for: "project" }, token);
  const { id } = await server.ask(call("cargo doc") as never);
  expect((await server.show(id)).state).toBe("ruled");
  await ada.go("/settings/rules");
  await ada.page.getByRole("link", { name: /Correct:.*cargo doc/ }).first().click();
  const card = ada.page.locator(".ab-card");
  await card.getByRole("button", { name: "Deny…" }).click();
  await card.getByRole("button", { name: "Deny", exact: true }).click();
  const late = await until(async () => (await server.show(id)).late);
  expect(late.answers).toMatchObject({ decision: "deny" });
  const { queued_messages } = await server.call("GET", `/v1/sessions/${(await server.show(id)).session}`, undefined, token);
  expect(JSON.stringify(queued_messages)).toMatch(/ada now says|\[\]/);
});

test("the head of a conversation shows the step of its workflow, as it begins and until it ends", async () => {
  const rules = mkdtempSync(join(tmpdir(), "askbridge-e2e-gobby-"));
  writeFileSync(join(rules, "own.yaml"), "name: own\nenabled: false\nsteps:\n  - {name: look, allowed_tools: [Read]}\n");
  const driven = await Server.start({ ASKBRIDGE_GOBBY_RULES: rules });
  const grace = await Person.pair(driven, PHONE);
  const token = await driven.person("grace", "desk");
  const { id } = await driven.call("POST", "/v1/sessions", { agent: "ci", title: "Look around" }, token);
  await grace.go(`/sessions/${id}`);
  await grace.page.getByRole("heading", { name: "Look around" }).waitFor();
  const step = grace.page.getByText("own: step look");
  expect(await step.count()).toBe(0);
  await driven.call("POST", `/v1/sessions/${id}/workflow`, { name: "own" }, token);
  await step.waitFor();
  await grace.fits("the head with a step");
  await grace.isAccessible("the head with a step");
  await driven.call("DELETE", `/v1/sessions/${id}/workflow`, undefined, token);
  await step.waitFor({ state: "detached" });
  await grace.leave();
  await driven.stop();
  rmSync(rules, { recursive: true });
});

test("a rule file that breaks leaves its last good version in force, and the page says so with line and column", async () => {
  const file = join(server.data, "rules.toml");
  const good = '[[rules]]\nname = "no pushes"\ndo = "deny"\nwords = "Later."\ntool = "Bash(git push *)"\n';
  writeFileSync(file, good);
  const push = () => server.ask(call("git push origin main") as never).then(({ id }: { id: string }) => server.show(id));
  await until(async () => (await push()).state === "ruled");
  writeFileSync(file, good.replace('do = "deny"', 'do = "denies"'));
  const problem = ada.page.getByRole("alert").filter({ hasText: `${file}:3:6` });
  await until(async () => {
    await ada.go("/settings/rules");
    await ada.page.getByText(`${file}, read`).waitFor();
    return (await problem.count()) === 1;
  });
  await problem.getByText("The rules that it had before stay in force.").waitFor();
  expect((await push()).state).toBe("ruled");
  await ada.isAccessible("a broken rule file");
  rmSync(file);
});
