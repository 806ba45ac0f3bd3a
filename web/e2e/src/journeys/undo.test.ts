/** The undo time runs on the server, not in the page: the page shows what the server has. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { every } from "../kit/asks.ts";
import { Person, PHONE } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";
import { wire } from "../kit/wire.ts";

const QUESTION = "How should people sign in?";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
beforeEach(() => server.isUp());
afterAll(() => server.stop());

/** What the waiting agent is told. */
const heard = (id: string) => server.call("GET", `/v1/asks/${id}?wait=60`);

async function at(person: Person, id: string) {
  await person.go(`/asks/${id}`);
  const card = person.page.locator(".ab-card");
  await card.waitFor();
  return { card, phase: (phase: string) => person.page.locator(`.ab-card[data-phase=${phase}]`).waitFor() };
}

test("the page is killed a moment after the tap, and the agent hears the answer all the same", async () => {
  const ada = await Person.pair(server, PHONE);
  const { id } = await server.ask(every.question);
  const { card } = await at(ada, id);
  const agent = heard(id);
  const client = await ada.context.newCDPSession(ada.page);
  await card.getByRole("radio", { name: "Passkey" }).click();
  // The moment in which such a tap used to be lost.
  await new Promise((later) => setTimeout(later, 300));
  const crashed = new Promise((gone) => ada.page.once("crash", gone));
  void client.send("Page.crash").catch(() => undefined);
  await crashed;
  expect(await agent).toMatchObject({ state: "answered", answers: { [QUESTION]: "Passkey" }, by: { person: "ada" } });
  await ada.leave();
});

test("the server is killed within the undo time: the card never says more than is stored, and the answer counts at its time", async () => {
  const ada = await Person.pair(server);
  const { id } = await server.ask(every.question);
  const { card, phase } = await at(ada, id);
  await card.getByRole("radio", { name: "Passkey" }).click();
  await phase("undoable");
  await server.kill();
  await server.run();
  expect(await heard(id)).toMatchObject({ state: "answered", answers: { [QUESTION]: "Passkey" } });
  await ada.page.locator(".ab-card[data-phase=delivered], .ab-card[data-phase=stored]").waitFor();
  await ada.leave();
});

test("without a connection a tap is not sent yet, and can be undone from when it is", async () => {
  const ada = await Person.stranger(server);
  const line = await wire(ada);
  await ada.page.goto(await server.link());
  await ada.isIn();
  await ada.undoesFor(60);
  const { id } = await server.ask(every.question);
  const { card, phase } = await at(ada, id);
  line.cut();
  await ada.context.setOffline(true);
  await ada.page.getByText("No network. What you answer is kept here and sent when it is back.").waitFor();
  await card.getByRole("radio", { name: "Password" }).click();
  await phase("queued");
  await card.getByText("Not sent yet.").waitFor();
  expect(await card.getByText(/Answered/).count()).toBe(0);
  expect((await server.show(id)).state).toBe("open");
  // The server does not have it yet, so taking it back needs no server.
  await card.getByRole("button", { name: "Undo" }).click();
  await phase("open");
  await card.getByRole("radio", { name: "Passkey" }).click();
  await phase("queued");
  line.mend();
  await ada.context.setOffline(false);
  await phase("undoable");
  const { state, undo_until } = await server.show(id);
  expect(state).toBe("proposed");
  expect(Date.parse(undo_until)).toBeGreaterThan(Date.now());
  await card.getByRole("button", { name: "Undo" }).click();
  await phase("open");
  expect(await server.show(id)).toMatchObject({ state: "open", answers: {} });
  await ada.leave();
});

test("the person's other device shows what is proposed and takes it back; somebody else's shows it and cannot", async () => {
  const { id } = await server.ask(every.question);
  const phone = await Person.pair(server, PHONE);
  await phone.undoesFor(60);
  const [desk, bob] = [await Person.pair(server), await Person.pair(server, {}, "bob")];
  const [there, here, bobs] = [await at(phone, id), await at(desk, id), await at(bob, id)];
  await there.card.getByRole("radio", { name: "Password" }).click();
  for (const { phase } of [there, here, bobs]) await phase("undoable");
  await bobs.card.getByText(/Answered by ada .*It can still be taken back/).waitFor();
  await bobs.card.getByText(/Counts in \d+ s/).waitFor();
  expect(await bobs.card.getByRole("button", { name: "Undo" }).count()).toBe(0);
  await desk.isAccessible("a card whose answer can be undone");
  await here.card.getByRole("button", { name: "Undo" }).click();
  for (const { phase } of [there, here, bobs]) await phase("open");
  expect((await server.show(id)).state).toBe("open");
  for (const person of [phone, desk, bob]) await person.leave();
});

test("an agent that leaves within the undo time closes the card and says why", async () => {
  const ada = await Person.pair(server);
  await ada.undoesFor(60);
  const { id } = await server.ask(every.question);
  const { card, phase } = await at(ada, id);
  await card.getByRole("radio", { name: "Password" }).click();
  await phase("undoable");
  await server.call("POST", `/v1/asks/${id}/withdraw`, { why: "found out myself" });
  await phase("withdrawn");
  await card.getByText("found out myself").waitFor();
  await ada.leave();
});

test("a vote is taken back while somebody else has to agree", async () => {
  const { id } = await server.ask({ questions: [{ question: "Ship it?", options: ["Yes", "No"] }], quorum: 2 });
  const ada = await Person.pair(server);
  const { card } = await at(ada, id);
  await card.getByRole("radio", { name: "Yes" }).click();
  await card.getByText("1 of 2 answered.").waitFor();
  await card.getByRole("button", { name: "Undo" }).click();
  await card.getByText("0 of 2 answered.").waitFor();
  await until(async () => (await server.show(id)).quorum.answered.length === 0);
  await ada.leave();
});
