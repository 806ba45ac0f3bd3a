/** Every kind of card answered by a person, and every state that they can see. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { wire } from "../kit/wire.ts";
import { every } from "../kit/asks.ts";
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

/** Makes an ask, and opens its card. */
async function open(ask: object, person = ada) {
  const { id } = await server.ask(ask as never);
  await person.go(`/asks/${id}`);
  const card = person.page.locator(".ab-card");
  await card.waitFor();
  return { id, card, phase: (phase: string) => person.page.locator(`.ab-card[data-phase=${phase}]`).waitFor() };
}
const settled = (id: string) => until(async () => {
  const ask = await server.show(id);
  return ask.settled_at && ask;
});

test("one tap answers a single choice, and can be undone for a moment", async () => {
  await ada.undoesFor(60);
  const { id, card, phase } = await open(every.question);
  await card.getByRole("radio", { name: "Password" }).click();
  await phase("undoable");
  // The card says so once the server has it, and the agent is not told yet.
  expect(await server.show(id)).toMatchObject({ state: "proposed", verdict: null });
  await card.getByRole("button", { name: "Undo" }).click();
  await phase("open");
  expect((await server.show(id)).state).toBe("open");
  // Five seconds by default; then the answer counts by itself.
  await ada.undoesFor(5);
  await ada.go(`/asks/${id}`);
  await card.getByRole("radio", { name: "Passkey" }).click();
  const ask = await settled(id);
  expect(ask.answers).toEqual({ "How should people sign in?": "Passkey" });
  await phase("delivered");
});

test("a page that is left or loaded again takes no answer along", async () => {
  await ada.undoesFor(60);
  const { id, card, phase } = await open(every.question);
  await card.getByRole("radio", { name: "Password" }).click();
  await phase("undoable");
  await ada.page.goto("about:blank");
  expect(await server.show(id)).toMatchObject({ state: "proposed", answers: { "How should people sign in?": "Password" } });
  // A person who returns within the undo time can still undo it.
  await ada.page.goto(`${server.address}/asks/${id}`);
  await phase("undoable");
  await ada.page.reload();
  await phase("undoable");
  await card.getByRole("button", { name: "Undo" }).click();
  await phase("open");
  await ada.undoesFor(5);
  await ada.go(`/asks/${id}`);
  await card.getByRole("radio", { name: "Passkey" }).click();
  await phase("undoable");
  await ada.page.goto("about:blank");
  expect((await settled(id)).answers).toEqual({ "How should people sign in?": "Passkey" });
  await ada.page.goto(server.address);
});

test("several questions are one form: choices, several choices, words, a note, a skipped one", async () => {
  const { id, card } = await open(every.several);
  await card.getByRole("radio", { name: "SQLite" }).click();
  await card.getByRole("checkbox", { name: "API" }).click();
  await card.getByRole("checkbox", { name: "Documentation" }).click();
  await card.getByText("2 of 3 answered").first().waitFor();
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await card.getByText("One question has no answer yet.").waitFor();
  await card.getByRole("button", { name: "Skip the rest and send" }).click();
  const ask = await settled(id);
  expect(ask.answers).toEqual({ "Which database?": "SQLite", "Which parts should change?": ["API", "Documentation"] });
  expect(ask.skipped).toEqual(["What should the branch be called?"]);
});

test("words of one's own beside the options", async () => {
  const { id, card } = await open(every.question);
  await card.getByPlaceholder("Something else…").fill("All of them");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  expect((await settled(id)).answers).toEqual({ "How should people sign in?": "All of them" });
});

test("ten more minutes, and a dismissal with words", async () => {
  const { id, card, phase } = await open({ ...every.question, timeout_seconds: 120 });
  const before = Date.parse((await server.show(id)).deadline);
  await card.getByRole("button", { name: "10 more minutes" }).click();
  await until(async () => Date.parse((await server.show(id)).deadline) > before + 400_000);
  await card.getByRole("button", { name: "Dismiss" }).first().click();
  await card.getByLabel("Words for the agent").fill("not today");
  await card.getByRole("button", { name: "Dismiss", exact: true }).first().click();
  await phase("dismissed");
  expect((await server.show(id)).words).toBe("not today");
});

test("an approval shows the command, can be changed, allowed for always by exactly one rule, or denied with words", async () => {
  const first = await open(every.approval);
  await first.card.getByText("git push --force origin main").first().waitFor();
  await first.card.getByText("Overwrites history").first().waitFor();
  await first.card.getByRole("button", { name: "Always allow…" }).click();
  await first.card.getByText("git push *").waitFor();
  await first.card.getByRole("button", { name: "Allow and save" }).click();
  expect((await settled(first.id)).answers).toMatchObject({ decision: "allow", always: 0 });

  const second = await open(every.approval);
  await second.card.getByRole("button", { name: "Edit" }).click();
  await second.card.getByLabel("Change it before it runs").fill("git push origin main");
  await second.card.getByRole("button", { name: "Allow my version" }).click();
  expect((await settled(second.id)).answers).toMatchObject({ decision: "allow", input: { command: "git push origin main" } });

  const third = await open(every.approval);
  await third.card.getByRole("button", { name: "Deny…" }).click();
  await third.card.getByLabel("Why, or what to do instead").fill("use a branch");
  await third.card.getByRole("button", { name: "Deny and stop" }).click();
  expect((await settled(third.id)).answers).toEqual({ decision: "deny", stop: true, words: "use a branch" });
});

test("an option without a preview has no empty pane beside it", async () => {
  const { card } = await open({ questions: [{ question: "Which?", options: [{ label: "Drawn", preview: "┌──┐\n└──┘" }, { label: "Plain" }, { label: "Also drawn", preview: "# Also" }] }] });
  await card.getByRole("radio", { name: "Drawn", exact: true }).focus();
  await card.getByRole("figure", { name: "Preview of Drawn" }).waitFor();
  expect(await card.locator(".ab-preview").count()).toBe(2);
  await ada.page.keyboard.press("ArrowDown");
  await until(async () => !(await card.locator(".ab-previews").isVisible()));
  await ada.page.keyboard.press("ArrowDown");
  await card.getByRole("heading", { name: "Also" }).waitFor();
});

test("a change to a file is readable as one", async () => {
  const { id, card } = await open(every.edit);
  await card.getByText("price.rs").first().waitFor();
  await card.getByText("cents as f64").waitFor();
  await card.getByText("format!").waitFor();
  await card.getByRole("button", { name: "Allow once" }).click();
  expect((await settled(id)).answers).toEqual({ decision: "allow" });
});

test("a plan is read, changed, approved or sent back", async () => {
  const first = await open(every.plan);
  await first.card.getByRole("heading", { name: "Move orders to Postgres" }).waitFor();
  await first.card.getByRole("button", { name: "Edit" }).click();
  await first.card.getByLabel("The plan, to change").fill("# Shorter");
  await first.card.getByRole("button", { name: "Approve my version" }).click();
  expect((await settled(first.id)).answers).toEqual({ decision: "approve", plan: "# Shorter" });
  const second = await open(every.plan);
  await second.card.getByRole("button", { name: "Send back…" }).click();
  await second.card.getByLabel("What should change?").fill("smaller steps");
  await second.card.getByRole("button", { name: "Send back", exact: true }).click();
  expect((await settled(second.id)).answers).toEqual({ decision: "send_back", words: "smaller steps" });
});

test("a form is filled in", async () => {
  const { id, card } = await open(every.form);
  await card.getByLabel("Host").fill("shop.example");
  await card.getByLabel("Port").fill("8080");
  await card.getByRole("button", { name: "Send", exact: true }).click();
  expect((await settled(id)).answers).toMatchObject({ decision: "accept", content: { host: "shop.example", port: 8080 } });
});

test("what ends elsewhere closes the card and says why", async () => {
  const withdrawn = await open({ question: "Still there?" });
  await server.call("POST", `/v1/asks/${withdrawn.id}/withdraw`, { why: "found out myself" });
  await withdrawn.phase("withdrawn");
  await withdrawn.card.getByText("found out myself").waitFor();
  const expired = await open({ question: "Quickly?", timeout_seconds: 0.3, on_expiry: { assume: { "Quickly?": "no" } } });
  await expired.phase("expired");
  await expired.card.getByRole("textbox").first().fill("yes, late");
  await expired.card.getByRole("button", { name: "Answer", exact: true }).click();
  await until(async () => (await server.show(expired.id)).late?.answers["Quickly?"] === "yes, late");
});

test("two browsers race: one wins, the other is told who and when, in place", async () => {
  const bob = await Person.pair(server, {}, "bob");
  const { id } = await server.ask({ question: "Whose?" });
  for (const person of [ada, bob]) {
    await person.go(`/asks/${id}`);
    await person.page.locator(".ab-card").getByRole("textbox").first().fill(`of ${person === ada ? "ada" : "bob"}`);
  }
  // Both press at the same moment; the one who is too late finds a closed card.
  const buttons = [ada, bob].map((person) => person.page.locator(".ab-card").getByRole("button", { name: "Answer", exact: true }));
  await Promise.all(buttons.map((button) => button.evaluate((element) => (element as HTMLElement).click()).catch(() => undefined)));
  const { by } = await settled(id);
  const [winner, loser] = by.person === "ada" ? [ada, bob] : [bob, ada];
  await winner.page.locator(".ab-card[data-phase=delivered], .ab-card[data-phase=stored]").waitFor();
  await loser.page.locator(".ab-card[data-phase=delivered], .ab-card[data-phase=stored]").waitFor();
  await loser.page.locator(".ab-card").getByText(new RegExp(`Answered by ${by.person}`)).first().waitFor();
  await bob.leave();
});

test("a draft survives a reload and appears on the person's phone; what is being typed there is not overwritten", async () => {
  const { id, card } = await open({ question: "Say something long" });
  await card.getByRole("textbox").first().fill("half of a sent");
  const phone = await Person.pair(server, PHONE);
  await phone.go(`/asks/${id}`);
  const there = phone.page.locator(".ab-card").getByRole("textbox").first();
  await until(async () => (await there.inputValue()) === "half of a sent");
  await ada.page.reload();
  await until(async () => (await card.getByRole("textbox").first().inputValue()) === "half of a sent");
  expect((await server.show(id)).state).toBe("open");
  await phone.leave();
});

test("the server is killed and comes back while a card is open: nothing flashes, nothing is lost", async () => {
  const { id, card } = await open({ question: "Through a storm?" });
  await card.getByRole("textbox").first().fill("half written");
  await ada.page.evaluate(() => {
    const seen = { gone: false };
    Object.assign(window, { seen });
    new MutationObserver(() => {
      if (!document.querySelector(".ab-card")) seen.gone = true;
    }).observe(document.body, { childList: true, subtree: true });
  });
  await server.kill();
  await ada.page.getByText("The server cannot be reached.").waitFor();
  await card.getByRole("textbox").first().fill("written in the dark");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await ada.page.locator(".ab-card[data-phase=queued]").waitFor();
  await server.run();
  expect((await settled(id)).answers).toEqual({ "Through a storm?": "written in the dark" });
  await ada.page.locator(".ab-card[data-phase=delivered], .ab-card[data-phase=stored]").waitFor();
  expect(await ada.page.evaluate(() => (window as any).seen.gone)).toBe(false);
});

test("somebody else was faster than an answer given without a connection: the card says who", async () => {
  const bob = await server.person("bob", "bob's desk");
  const grace = await Person.stranger(server);
  const line = await wire(grace);
  await grace.page.goto(await server.link("grace"));
  await grace.page.locator(".app-status[data-state=live]").waitFor({ state: "attached" });
  const { id, card } = await open({ question: "Too late?" }, grace);
  await card.getByRole("textbox").first().fill("mine");
  line.cut();
  await grace.page.getByText("The server cannot be reached.").waitFor();
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await grace.page.locator(".ab-card[data-phase=queued]").waitFor();
  await server.call("POST", `/v1/asks/${id}/answer`, { answers: { "Too late?": "bob's" } }, bob);
  line.mend();
  await card.getByRole("alert").getByText(/bob/).waitFor();
  expect((await server.show(id)).answers).toEqual({ "Too late?": "bob's" });
  await grace.leave();
});

test("without a network an answer is kept, and sent once there is one", async () => {
  const grace = await Person.stranger(server);
  const line = await wire(grace);
  await grace.page.goto(await server.link("grace"));
  await grace.isIn();
  const { id, card } = await open({ question: "In a tunnel?" }, grace);
  line.cut();
  await grace.context.setOffline(true);
  await grace.page.getByText("No network. What you answer is kept here and sent when it is back.").waitFor();
  await card.getByRole("textbox").first().fill("yes, dark");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await grace.page.locator(".ab-card[data-phase=queued]").waitFor();
  expect((await server.show(id)).state).toBe("open");
  line.mend();
  await grace.context.setOffline(false);
  expect((await settled(id)).answers).toEqual({ "In a tunnel?": "yes, dark" });
  await grace.page.locator(".ab-card[data-phase=delivered], .ab-card[data-phase=stored]").waitFor();
  await grace.leave();
});

test("twelve questions with twenty-six options each can be answered by keys alone", async () => {
  const { id, card } = await open(every.huge);
  await card.getByRole("radio", { name: /A\. way A/ }).first().focus();
  for (let question = 0; question < 12; question += 1) {
    // Enter moves to the next question; a key that is pressed before it has the focus is lost.
    await until(() => ada.page.evaluate(() => document.activeElement?.closest("[data-question]")?.getAttribute("data-question")).then((at) => at === String(question)));
    await ada.page.keyboard.press("z");
    await until(() => ada.page.evaluate(() => document.activeElement?.textContent?.includes("Z. way Z")));
    await ada.page.keyboard.press("Space");
    await ada.page.keyboard.press("Enter");
  }
  const ask = await settled(id);
  expect(Object.values(ask.answers)).toEqual(Array(12).fill("Z. way Z"));
});

test("an input method's Enter never sends, and Esc never throws away", async () => {
  const { id, card } = await open({ question: "名前は？" });
  const field = card.getByRole("textbox").first();
  await field.focus();
  const client = await ada.context.newCDPSession(ada.page);
  await client.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  await field.dispatchEvent("keydown", { key: "Enter", keyCode: 229, isComposing: true });
  await field.dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
  expect((await server.show(id)).state).toBe("open");
  await client.send("Input.insertText", { text: "日本" });
  await until(async () => (await field.inputValue()).includes("日本"));
  await ada.page.keyboard.press("Escape");
  const written = await field.inputValue();
  expect(written).toContain("日本");
  expect((await server.show(id)).state).toBe("open");
  // A plain Enter submits; had an earlier one done so, the answer would be shorter.
  await field.focus();
  await ada.page.keyboard.press("Enter");
  expect((await settled(id)).answers).toEqual({ "名前は？": written });
});
