/**
 * Takes screenshots of every page and of every state of a card, desktop and phone, light and dark. All of them go into
 * `out/pictures`, for review; contact sheets and the best ones go into `docs/pictures`, which is committed.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, test } from "vitest";
import { closeBrowser, DESK, Person, PHONE, scratch } from "../kit/browser.ts";
import { withClaude, type Model } from "../kit/claude.ts";
import { until } from "../kit/until.ts";
import { every } from "../kit/asks.ts";
import type { Server } from "../kit/server.ts";
import { alone, sheet, type Picture } from "./sheet.ts";
// @ts-expect-error: a script of another package, without types.
import { withGallery } from "../../../react/gallery/browser.mjs";

const raw = join(import.meta.dirname, "../../out/pictures");
const kept = process.env.PICTURES ?? resolve(import.meta.dirname, "../../../../docs/pictures");
mkdirSync(raw, { recursive: true });
mkdirSync(kept, { recursive: true });
afterAll(closeBrowser);

const THEMES = ["light", "dark"] as const;
const SIZES = [["desk", DESK], ["phone", { ...PHONE, viewport: { width: 390, height: 844 } }]] as const;
const taken = new Map<string, Picture[]>();

function keep(group: string, name: string, size: string, theme: string, png: Buffer) {
  writeFileSync(join(raw, `${group}-${name}-${size}-${theme}.png`), png);
  const key = `${group}-${size}-${theme}`;
  taken.set(key, [...(taken.get(key) ?? []), { name, png }]);
}

const turns = [
  { when: { result: "toolu_ls" }, say: { message: [
    { text: "There is a `Cargo.toml` and no tests yet. Two ways lead on:\n\n1. **Unit tests** beside the code\n2. **Stories** in `tests/`, which read like the documentation\n\nI would begin with the second." },
    { tool: { id: "toolu_ask", name: "AskUserQuestion", input: { questions: [{ question: "Which tests shall I write first?", header: "Tests", multiSelect: false, options: [
      { label: "Stories (recommended)", description: "Slower to run, and they show what people see." }, { label: "Unit tests", description: "Quick, close to the code." }] }] } } }] } },
  { when: { user: "slowly" }, say: { message: [
    { text: "The shop has three ways to pay, and all of them share one table. I have a question before I touch it." },
    { halting: { gate: "never-{turn}", piece: { tool: { id: "toolu_slow", name: "AskUserQuestion", chunk_bytes: 30, input: { questions: [{ question: "Which way of paying shall I move first, if only one of them can be moved before the holidays begin and the shop closes for the year?", header: "Payment", multiSelect: false, options: [
      { label: "Cards" }, { label: "Invoice" }, { label: "Vouchers" }] }] } } } } }] } },
  { when: { user: "tests" }, say: { message: [{ text: "I will look at what is there first." }, { tool: { id: "toolu_ls", name: "Bash", input: { command: "ls", description: "List the files" } } }] } },
  { when: "anything", say: { message: [{ text: "Hm." }] } },
];

test("the app", async () => {
  const files = scratch();
  const { server, model } = await withClaude(files.folder, turns);
  const story = await tell(server);
  for (const theme of THEMES) for (const [size, options] of SIZES) await visit(server, story, theme, size, options);
  const japanese = await Person.pair(server, { ...SIZES[1][1], locale: "ja-JP" });
  for (const [name, path] of [["japanese-inbox", "/"], ["japanese-card", `/asks/${story.japanese}`], ["japanese-settings", "/settings"]] as const) {
    await japanese.go(path);
    await settle(japanese);
    keep("japanese", name, "phone", "light", await japanese.page.screenshot());
  }
  await japanese.context.close();
  await over(server, model);
  files.remove();
});

interface Story {
  readonly session: string;
  readonly slow: string;
  readonly asks: readonly (readonly [string, string])[];
  readonly alike: string;
  readonly japanese: string;
}

/** Prepares the data for the screenshots. */
async function tell(server: Server): Promise<Story> {
  const token = await server.person();
  const start = async (title: string, text: string) => {
    const { id } = await server.call("POST", "/v1/sessions", { agent: "claude", title, folder: server.work }, token);
    await server.call("POST", `/v1/sessions/${id}/messages`, { text }, token);
    return id as string;
  };
  const session = await start("Tests for the shop", "This project needs tests. Where would you begin?");
  await until(async () => (await server.call("GET", `/v1/sessions/${session}`, undefined, token)).open_ask_ids.length > 0);
  const { id: slow } = await server.call("POST", "/v1/sessions", { agent: "claude", title: "Payments", folder: server.work }, token);
  for (const [question, answer] of [["Use tabs or spaces?", "Spaces"], ["Delete the old branch?", "Yes"], ["Which licence?", "Apache-2.0"]] as const) {
    const { id } = await server.ask({ questions: [{ question, options: [answer, "Something else"] }], agent: "claude" });
    await server.call("POST", `/v1/asks/${id}/answer`, { answers: { [question]: answer } }, token);
  }
  const asks: [string, string][] = [];
  for (const [name, ask] of Object.entries(every)) asks.push([name, (await server.ask(ask)).id]);
  const run = async (command: string) => (await server.ask({ approval: { tool: "Bash", input: { command }, summary: `Run ${command}` }, agent: "claude", context: { folder: "/home/ada/docs" } })).id as string;
  const [alike] = [await run("cargo test --workspace"), await run("rm -rf target/tmp"), await run("cargo fmt --check")];
  const quorum = await server.ask({ questions: [{ question: "Ship it today?", options: ["Yes", "Tomorrow"] }], agent: "release", quorum: 2 });
  await server.call("POST", `/v1/asks/${quorum.id}/answer`, { answers: { "Ship it today?": "Yes" } }, await server.person("bob", "bob's desk"));
  asks.push(["quorum", quorum.id]);
  const { id: japanese } = await server.ask({ agent: "claude", context: { title: "在庫サービス", folder: "/home/ada/zaiko", branch: "main", text: "スキーマと呼び出し元を確認しました。夜間の集計は**読み取りが中心**です。" }, questions: [{ header: "データベース", question: "新しいサービスではどのデータベースを使いますか？", options: [{ label: "PostgreSQL（推奨）", description: "請求処理ですでに使われています。" }, { label: "SQLite", description: "運用が不要です。書き込みは同時に一つです。" }] }] });
  return { session, slow, asks, alike: alike!, japanese };
}

async function settle({ page }: Person) {
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => Promise.all([document.fonts.ready, ...document.getAnimations().map((one) => (one.effect?.getTiming().iterations === Infinity ? null : one.finished))]));
}

async function visit(server: Server, story: Story, theme: (typeof THEMES)[number], size: string, options: object) {
  const ada = await Person.pair(server, { colorScheme: theme, ...options });
  const shot = async (name: string) => {
    await settle(ada);
    keep("app", name, size, theme, await ada.page.screenshot());
  };
  await shot("inbox");
  for (const [name, id] of story.asks) {
    await ada.go(`/asks/${id}`);
    await ada.page.locator(".app-card-more").waitFor();
    await shot(`card-${name}`);
  }
  await ada.go(`/asks/${story.alike}/together`);
  await ada.page.locator(".ab-together pre").nth(2).waitFor();
  await shot("together");
  for (const path of ["sessions", "history", "devices", "settings", "sessions/new"]) {
    await ada.go(`/${path}`);
    await ada.page.getByRole("heading", { level: 1 }).waitFor();
    await shot(path.replace("/", "-"));
  }
  await ada.go("/devices");
  await ada.page.getByRole("button", { name: "Add a device" }).click();
  await ada.page.getByRole("img").waitFor();
  await shot("pairing");
  await ada.go(`/sessions/${story.session}`);
  await ada.page.getByRole("log").getByText("Which tests shall I write first?").first().waitFor();
  await shot("chat");
  // Streamed text is shown only while it is streamed.
  await ada.go(`/sessions/${story.slow}`);
  await ada.page.getByLabel("Message").fill("Move the payments, slowly.");
  await ada.page.keyboard.press("Enter");
  await ada.page.locator(".ab-card[data-phase=preparing]").getByText(/^Which way/).waitFor();
  await shot("chat-streaming");
  await ada.page.getByRole("button", { name: "Interrupt" }).click();
  await ada.page.getByRole("log").getByText("Interrupted by ada").last().waitFor();
  await ada.page.locator(".app-live").waitFor({ state: "detached" });
  await ada.context.close();
  const stranger = await Person.stranger(server, { colorScheme: theme, ...options });
  await stranger.page.goto(server.address);
  await stranger.page.getByRole("heading", { level: 1 }).waitFor();
  keep("app", "door", size, theme, await stranger.page.screenshot());
  await stranger.context.close();
}

async function over(server: Server, model: Model) {
  await server.stop();
  model.stop();
}

test("an empty house, and one that is broken", async () => {
  const files = scratch();
  const { server, model } = await withClaude(files.folder, turns);
  for (const theme of THEMES) {
    for (const [size, options] of SIZES) {
      const ada = await Person.pair(server, { colorScheme: theme, ...options });
      for (const [name, path] of [["empty-inbox", "/"], ["empty-sessions", "/sessions"], ["empty-history", "/history"], ["nowhere", "/nowhere"]] as const) {
        await ada.go(path);
        await settle(ada);
        keep("app", name, size, theme, await ada.page.screenshot());
      }
      await ada.context.close();
    }
  }
  const [theme, [size, options]] = [THEMES[0], SIZES[0]];
  const ada = await Person.pair(server, { colorScheme: theme, ...options });
  await server.kill();
  await ada.page.getByText("The server cannot be reached.").waitFor();
  keep("app", "unreachable", size, theme, await ada.page.screenshot());
  await ada.context.close();
  await over(server, model);
  files.remove();
});

test("every state of a card", async () => {
  await withGallery(async (open: (query: string, size: object) => Promise<any>) => {
    for (const theme of THEMES) {
      for (const [size, viewport] of [["desk", { width: 820, height: 900 }], ["phone", { width: 390, height: 844 }]] as const) {
        const page = await open(`theme=${theme}`, viewport);
        for (const place of await page.$$(".gallery-place")) {
          const card = await place.$(".ab-card");
          if (card) keep("states", await place.getAttribute("id"), size, theme, await card.screenshot());
        }
        await page.close();
      }
    }
  });
});

/** The best, for the guide and the front page; and all of them, on sheets. */
const BEST = ["inbox", "card-question", "card-several", "card-approval", "card-edit", "card-plan", "card-previews", "chat", "together"];

test("what is kept", async () => {
  const person = await Person.stranger({ address: "about:blank" } as Server, { viewport: { width: 1600, height: 1000 } });
  for (const theme of THEMES) {
    for (const [size] of SIZES) {
      const app = taken.get(`app-${size}-${theme}`) ?? [];
      const states = taken.get(`states-${size}-${theme}`) ?? [];
      await sheet(person, app, theme, size === "desk" ? 4 : 8, size === "desk" ? 480 : 220, join(kept, `pages-${size}-${theme}.webp`));
      await sheet(person, states, theme, size === "desk" ? 4 : 8, size === "desk" ? 480 : 230, join(kept, `states-${size}-${theme}.webp`));
      for (const picture of app.filter(({ name }) => BEST.includes(name))) {
        const isWanted = size === "desk" ? ["inbox", "chat"].includes(picture.name) : !["inbox"].includes(picture.name);
        const isTwice = theme === "light" || !["card-edit", "card-plan", "card-previews"].includes(picture.name);
        if (isWanted && isTwice) await alone(person, picture, join(kept, `${picture.name}-${size}-${theme}.webp`), size === "desk" ? 1280 : 585);
      }
    }
  }
  await sheet(person, taken.get("japanese-phone-light") ?? [], "light", 3, 330, join(kept, "japanese-phone-light.webp"));
  await person.context.close();
});
