/** Ten thousand of everything: what is drawn stays small, and what one does stays quick. */

import { expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";
import { wire } from "../kit/wire.ts";

test("ten thousand asks are one list: drawn in part, reached by keys, filtered by words", async () => {
  const server = await Server.start();
  await server.ask({ question: "Question number 0?", agent: "crowd" });
  const ada = await Person.stranger(server);
  // One real ask, and 9,999 that the server could have sent as well; how the client reads pages is a journey of its own.
  (await wire(ada)).change((frame) => {
    if (frame.type !== "snapshot") return frame;
    const [first] = frame.asks;
    const more = Array.from({ length: 9_999 }, (_, n) => ({
      ...first, id: `${first.id}_${n + 1}`, questions: [{ ...first.questions[0], question: `Question number ${n + 1}?` }],
      asked_at: new Date(Date.parse(first.asked_at) + n + 1).toISOString(),
    }));
    return { ...frame, asks: [first, ...more] };
  });
  await ada.page.goto(await server.link());
  await until(async () => (await ada.page.title()) === "(10000) askbridge", 60_000);
  const drawn = () => ada.page.locator(".ab-row").count();
  expect(await drawn()).toBeLessThan(60);
  await ada.page.locator(".ab-inbox [data-row='0']").focus();
  await ada.page.keyboard.press("End");
  await until(() => ada.page.evaluate(() => document.activeElement?.closest(".ab-row")?.getAttribute("aria-posinset") === "10000"));
  expect(await drawn()).toBeLessThan(60);
  await ada.page.getByLabel("Filter").fill("number 7777?");
  await until(async () => (await drawn()) === 1);
  await ada.page.getByText("Question number 7777?").first().waitFor();
  await ada.context.close();
  await server.stop();
}, 600_000);

test("a conversation of ten thousand events opens at its end, goes back without a jump, and is drawn in part", async () => {
  const server = await Server.start();
  const { id } = await server.call("POST", "/v1/sessions", { agent: "talker", title: "Long" });
  const token = await server.person();
  // Two entries for each message: said, and taken back.
  const socket = new WebSocket(`${server.address.replace("http", "ws")}/v1/ws`);
  await new Promise((open) => (socket.onopen = open));
  socket.send(JSON.stringify({ type: "hello", token }));
  let replied = 0;
  let messages: string[] = [];
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data));
    if (frame.type !== "reply") return;
    replied += 1;
    if (frame.message) messages.push(frame.message);
  };
  const SAID = 5_000;
  for (let n = 0; n < SAID; n += 100) {
    messages = [];
    replied = 0;
    for (let i = 0; i < 100; i += 1) socket.send(JSON.stringify({ type: "say", tag: i, session: id, text: `Line ${n + i}` }));
    await until(() => replied === 100);
    const said = messages;
    if (n + 100 === SAID) break;
    replied = 0;
    said.forEach((message, tag) => socket.send(JSON.stringify({ type: "unsay", tag, message })));
    await until(() => replied === 100);
  }
  socket.close();
  const ada = await Person.pair(server);
  await ada.go(`/sessions/${id}`);
  const log = ada.page.getByRole("log");
  await log.getByText(`Line ${SAID - 1}`, { exact: true }).waitFor();
  const drawn = () => log.locator("[data-key]").count();
  expect(await drawn()).toBeLessThan(400);
  // Scrolls up, page by page, and looks whether what one reads stays where it is.
  const seen = new Set<string>();
  for (let page = 0; page < 40; page += 1) {
    await log.evaluate((box) => void (box.scrollTop -= box.clientHeight * 0.8));
    await ada.page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
    for (const line of await log.locator(".app-said-text").allInnerTexts()) seen.add(line);
    expect(await drawn()).toBeLessThan(400);
  }
  expect(seen.size).toBeGreaterThan(200);
  const before = await log.evaluate((box) => {
    const edge = box.getBoundingClientRect().top;
    const row = [...box.querySelectorAll<HTMLElement>("[data-key]")].find((one) => one.getBoundingClientRect().top > edge + 20)!;
    return { key: row.dataset.key!, top: row.getBoundingClientRect().top };
  });
  await server.call("POST", `/v1/sessions/${id}/messages`, { text: "Something new at the end" }, token);
  await until(async () => (await server.call("GET", `/v1/sessions/${id}`)).queued_messages.length > 100);
  await ada.page.getByRole("button", { name: "To the end" }).waitFor();
  const after = await log.locator(`[data-key="${before.key}"]`).evaluate((row) => row.getBoundingClientRect().top);
  expect(Math.abs(after - before.top)).toBeLessThan(2);
  await ada.page.getByRole("button", { name: "To the end" }).click();
  await log.getByText("Something new at the end").waitFor();
  await ada.leave();
  await server.stop();
}, 600_000);
