/** Ten thousand of everything: the number of rendered and re-rendered elements stays small. Counted in elements, not in time. */

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";
import { wire } from "../kit/wire.ts";

/** A page of a few dozen rows, a card and the frame around them. */
const ELEMENTS_MAX = 2_500;
/** Elements that a single event may change. */
const CHANGES_MAX = 400;

const elements = (page: Page) => page.evaluate(() => document.querySelectorAll("*").length);

/** Counts the elements that are added, removed or changed meanwhile. */
async function changes(page: Page, what: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    const seen = { count: 0, observer: new MutationObserver((records) => (seen.count += records.reduce((sum, one) => sum + Math.max(1, one.addedNodes.length + one.removedNodes.length), 0))) };
    seen.observer.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
    Object.assign(window, { seen });
  });
  await what();
  return page.evaluate(() => {
    const { seen } = window as unknown as { seen: { count: number; observer: MutationObserver } };
    seen.observer.disconnect();
    return seen.count;
  });
}

test("ten thousand asks are one list: drawn in part, reached by keys, filtered by words", async () => {
  const server = await Server.start();
  await server.ask({ question: "Question number 0?", agent: "crowd" });
  const ada = await Person.stranger(server);
  // One real ask, and 9,999 that the server could have sent as well; how the client reads pages is tested elsewhere.
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
  const { page } = ada;
  const waits = (count: number) => until(async () => (await page.title()) === `(${count}) askbridge`);
  await waits(10_000);
  const drawn = () => page.locator(".ab-row").count();
  expect(await drawn()).toBeLessThan(60);
  expect(await elements(page)).toBeLessThan(ELEMENTS_MAX);
  // One more at the far end of the list: nothing in view is re-rendered for it.
  const news = await changes(page, async () => {
    await server.ask({ question: "One more?", agent: "crowd" });
    await waits(10_001);
  });
  expect(news, "elements that one more ask changes").toBeLessThan(CHANGES_MAX);
  await page.locator(".ab-inbox [data-row='0']").focus();
  const jump = await changes(page, async () => {
    await page.keyboard.press("End");
    await until(() => page.evaluate(() => document.activeElement?.closest(".ab-row")?.getAttribute("aria-posinset") === "10001"));
  });
  expect(jump, "elements that a jump over the whole list changes").toBeLessThan(ELEMENTS_MAX);
  expect(await drawn()).toBeLessThan(60);
  // Through the list with the wheel: never more than a screenful is rendered, and never an empty one.
  for (const part of [0.1, 0.35, 0.6, 0.85]) {
    await page.locator(".ab-inbox").evaluate((box, at) => void (box.scrollTop = box.scrollHeight * at), part);
    await until(() => page.evaluate(() => {
      const box = document.querySelector(".ab-inbox")!.getBoundingClientRect();
      return document.elementFromPoint(box.left + 40, box.top + box.height / 2)?.closest(".ab-row") !== null;
    }));
    expect(await drawn()).toBeLessThan(60);
    expect(await elements(page)).toBeLessThan(ELEMENTS_MAX);
  }
  await page.getByLabel("Filter").fill("number 7777?");
  await until(async () => (await drawn()) === 1);
  await page.getByText("Question number 7777?").first().waitFor();
  await ada.context.close();
  await server.stop();
}, 600_000);

test("a conversation of ten thousand events opens at its end, goes back without a jump, and is drawn in part", async () => {
  const server = await Server.start();
  const { id } = await server.call("POST", "/v1/sessions", { agent: "talker", title: "Long" });
  const token = await server.person();
  await talk(server, id, token);
  const ada = await Person.pair(server);
  await ada.go(`/sessions/${id}`);
  const { page } = ada;
  const log = page.getByRole("log");
  await log.getByText(`Line ${SAID - 1}`, { exact: true }).waitFor();
  const drawn = () => log.locator("[data-key]").count();
  expect(await drawn()).toBeLessThan(400);
  // Scrolls up, page by page, until six hundred lines were read; never is more than one window rendered.
  const seen = new Set<string>();
  await until(async () => {
    await log.evaluate((box) => void (box.scrollTop -= box.clientHeight * 0.8));
    await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
    for (const line of await log.locator(".app-said-text").allInnerTexts()) seen.add(line);
    expect(await drawn()).toBeLessThan(400);
    return seen.size > 600;
  }, 240_000);
  // What the person reads stays in place when something is added at the end.
  await until(() => log.evaluate((box) => box.scrollTop > 200 || void (box.scrollTop += 400)));
  const before = await until(() => steady(page));
  const news = await changes(page, async () => {
    await server.call("POST", `/v1/sessions/${id}/messages`, { text: "Something new at the end" }, token);
    await until(async () => (await server.call("GET", `/v1/sessions/${id}`)).queued_messages.length > 100);
    await page.getByRole("button", { name: "To the end" }).waitFor();
  });
  expect(news, "elements that a message far below changes").toBeLessThan(CHANGES_MAX);
  const after = await log.locator(`[data-key="${before.key}"]`).evaluate((row) => row.getBoundingClientRect().top);
  expect(Math.abs(after - before.top)).toBeLessThan(2);
  await page.getByRole("button", { name: "To the end" }).click();
  await log.getByText("Something new at the end").waitFor();
  await ada.leave();
  await server.stop();
}, 900_000);

/** Returns the first whole row in view, once it is the same in two frames. */
async function steady(page: Page): Promise<{ key: string; top: number } | null> {
  const look = () => page.getByRole("log").evaluate((box) => {
    const edge = box.getBoundingClientRect().top;
    const row = [...box.querySelectorAll<HTMLElement>("[data-key]")].find((one) => one.getBoundingClientRect().top > edge + 20)!;
    return { key: row.dataset.key!, top: row.getBoundingClientRect().top };
  });
  const first = await look();
  await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
  const second = await look();
  return first.key === second.key && first.top === second.top ? second : null;
}

const SAID = 5_000;

/** Two entries for each message: said, and withdrawn; the last hundred stay. */
async function talk(server: Server, session: string, token: string) {
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
  for (let n = 0; n < SAID; n += 100) {
    messages = [];
    replied = 0;
    for (let i = 0; i < 100; i += 1) socket.send(JSON.stringify({ type: "say", tag: i, session, text: `Line ${n + i}` }));
    await until(() => replied === 100);
    if (n + 100 === SAID) break;
    const said = messages;
    replied = 0;
    said.forEach((message, tag) => socket.send(JSON.stringify({ type: "unsay", tag, message })));
    await until(() => replied === 100);
  }
  socket.close();
}
