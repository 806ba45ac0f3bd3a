/** What a person does on one device is on the others at once; and what others do is shown while it happens. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

test("a snooze on one device takes from the count on the other, without anybody looking there", async () => {
  const [desk, phone] = [await Person.pair(server), await Person.pair(server, PHONE)];
  await server.ask({ question: "Now or later?" });
  for (const { page } of [desk, phone]) await until(async () => (await page.title()) === "(1) askbridge");
  await desk.page.getByRole("button", { name: "Not now" }).click();
  await desk.page.getByRole("button", { name: "In 1 hour" }).click();
  await until(async () => (await phone.page.title()) === "askbridge");
  await desk.page.getByRole("button", { name: "Snoozed (1)" }).click();
  await desk.page.getByRole("button", { name: "Show again now" }).click();
  await until(async () => (await phone.page.title()) === "(1) askbridge");
  await desk.leave();
  await phone.leave();
});

test("a device is renamed, the other sees it at once, and answers carry the new name", async () => {
  const [desk, phone] = [await Person.pair(server, {}, "grace"), await Person.pair(server, PHONE, "grace")];
  await desk.go("/devices");
  await phone.go("/devices");
  const own = desk.page.getByRole("listitem").filter({ hasText: "this one" });
  await own.getByRole("button", { name: /^Rename/ }).click();
  await desk.page.getByLabel("Name of this device").fill("writing desk");
  await desk.page.keyboard.press("Enter");
  await own.getByText("writing desk").waitFor();
  await phone.page.getByText("writing desk").waitFor();
  // Escape leaves the name unchanged.
  await own.getByRole("button", { name: "Rename writing desk" }).click();
  await desk.page.getByLabel("Name of this device").fill("something else");
  await desk.page.keyboard.press("Escape");
  await own.getByText("writing desk").waitFor();
  const { id } = await server.ask({ question: "Who says so?" });
  await desk.go(`/asks/${id}`);
  await desk.page.locator(".ab-card").getByRole("textbox").first().fill("I do");
  await desk.page.locator(".ab-card").getByRole("button", { name: "Answer", exact: true }).click();
  await phone.go(`/asks/${id}`);
  await phone.page.locator(".ab-card").getByText(/Answered by you \(writing desk\)/).waitFor();
  await desk.leave();
  await phone.leave();
});

test("words for closing a question are on the person's phone before they are sent", async () => {
  const [desk, phone] = [await Person.pair(server), await Person.pair(server, PHONE)];
  const { id } = await server.ask({ questions: [{ question: "Shall we?", options: ["Yes", "No"] }] });
  for (const person of [desk, phone]) await person.go(`/asks/${id}`);
  await desk.page.getByRole("button", { name: "Dismiss" }).click();
  await desk.page.getByLabel("Words for the agent").fill("ask me on Monday");
  await phone.page.getByRole("button", { name: "Dismiss" }).click();
  const there = phone.page.getByLabel("Words for the agent");
  await until(async () => (await there.inputValue()) === "ask me on Monday");
  expect((await server.show(id)).state).toBe("open");
  await phone.page.getByRole("button", { name: "Dismiss", exact: true }).first().click();
  await until(async () => (await server.show(id)).words === "ask me on Monday");
  await desk.page.locator(".ab-card[data-phase=dismissed]").waitFor();
  await desk.leave();
  await phone.leave();
});

test("two have to agree: each sees how far the others are, and nothing counts before", async () => {
  const { id } = await server.ask({ questions: [{ question: "Ship it?", options: ["Yes", "No"] }], quorum: 2 });
  const [ada, bob] = [await Person.pair(server), await Person.pair(server, {}, "bob")];
  for (const person of [ada, bob]) await person.go(`/asks/${id}`);
  await ada.page.getByText("0 of 2 answered.").waitFor();
  await ada.page.getByRole("radio", { name: "Yes" }).click();
  await bob.page.getByText("1 of 2 answered.").waitFor();
  await bob.page.getByText(/ada \(/).waitFor();
  await ada.page.getByText("Yours is in, and you can still change it.").waitFor();
  await bob.isAccessible("a card that two have to agree on");
  expect((await server.show(id)).state).toBe("open");
  await bob.page.getByRole("radio", { name: "Yes" }).click();
  await until(async () => (await server.show(id)).state === "answered");
  for (const person of [ada, bob]) await person.page.locator(".ab-card[data-phase=delivered], .ab-card[data-phase=stored]").waitFor();
  await ada.leave();
  await bob.leave();
});

test("a browser whose clock is an hour wrong counts down like everybody else", async () => {
  const { id } = await server.ask({ question: "In time?", timeout_seconds: 3000 });
  const ada = await Person.stranger(server);
  await ada.context.addInitScript(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 3_600_000;
  });
  await ada.page.goto(await server.link());
  await ada.isIn();
  await ada.go(`/asks/${id}`);
  const timer = ada.page.getByRole("timer").first();
  // By its own clock the deadline passed ten minutes ago.
  await until(async () => /^\d\d:\d\d left$/.test(await timer.innerText()));
  const shown = (await timer.innerText()).split(":").map((part) => Number.parseInt(part, 10));
  const left = (Date.parse((await server.show(id)).deadline) - Date.now()) / 1000;
  expect(shown[0]! * 60 + shown[1]!).toBeGreaterThanOrEqual(Math.floor(left));
  expect(shown[0]! * 60 + shown[1]!).toBeLessThanOrEqual(3000);
  await ada.page.getByText(/waits (under a minute|\d+ min)$/).first().waitFor();
  await ada.leave();
});

test("what arrives while somebody types takes neither the focus nor a letter", async () => {
  const { id } = await server.ask({ question: "Tell me more" });
  const ada = await Person.pair(server);
  await ada.go(`/asks/${id}`);
  const field = ada.page.locator(".ab-card").getByRole("textbox").first();
  await field.focus();
  await ada.page.keyboard.type("first half, ");
  const before = Number(/\d+/.exec(await ada.page.title())?.[0] ?? 0);
  await server.ask({ question: "And this?" });
  await server.ask({ approval: { tool: "Bash", input: { command: "ls" } } });
  await until(async () => Number(/\d+/.exec(await ada.page.title())?.[0]) === before + 2);
  await ada.page.keyboard.type("second half");
  expect(await field.inputValue()).toBe("first half, second half");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await ada.leave();
});
