/** One browser for all journeys, and the people who use it. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { expect } from "vitest";
import type { Server } from "./server.ts";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

let running: Promise<Browser> | null = null;

function browser(): Promise<Browser> {
  running ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
  return running;
}

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } as const;
export const DESK = { viewport: { width: 1280, height: 860 } } as const;

/** A person at a paired browser. */
export class Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the page. A successful journey has none. */
  readonly complaints: string[] = [];
  /** Addresses outside the server that the page tried to reach. */
  readonly strayed: string[] = [];

  private constructor(context: BrowserContext, page: Page, home: string) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !/ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|WebSocket|Failed to load resource/.test(text)) this.complaints.push(text);
    });
    // A request that the policy blocked is announced, and never made.
    const isStray = (address: string) => /^(https?|wss?):/.test(address) && !address.startsWith(home);
    page.on("requestfinished", (request) => isStray(request.url()) && this.strayed.push(request.url()));
    page.on("requestfailed", (request) => {
      if (isStray(request.url()) && !/csp|BLOCKED/i.test(request.failure()?.errorText ?? "")) this.strayed.push(request.url());
    });
  }

  /** Opens a browser that is not paired. */
  static async stranger(server: Server, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await (await browser()).newContext({ locale: "en-US", colorScheme: "light", reducedMotion: "reduce", ...DESK, ...options });
    context.setDefaultTimeout(60_000);
    return new Person(context, await context.newPage(), server.address);
  }

  /** Opens the link that the server printed for them. */
  static async pair(server: Server, options: BrowserContextOptions = {}, name = "ada"): Promise<Person> {
    const person = await Person.stranger(server, options);
    await person.page.goto(await server.link(name));
    await person.isIn();
    return person;
  }

  /** Navigates, and waits until the page knows what is open. */
  async go(path: string) {
    await this.page.goto(new URL(path, this.page.url()).href);
    await this.isIn();
  }

  async isIn() {
    await this.page.locator(".app-status[data-state=live]").waitFor({ state: "attached" });
    await this.page.locator("main[aria-busy=false]").waitFor({ state: "attached" });
  }

  /** Chooses how long one tap can be undone, as a person does, so that a slow machine does not run out of time. */
  async undoesFor(seconds: 5 | 60) {
    await this.go("/settings");
    await this.page.getByLabel(`${seconds} seconds`, { exact: true }).check();
    await this.isIn();
  }

  /** Asserts that axe finds no accessibility violation. */
  async isAccessible(where: string) {
    const found = await axe(this.page);
    expect(found, `accessibility of ${where}`).toEqual([]);
  }

  /** Asserts that nothing is wider than the screen. */
  async fits(where: string) {
    const over = await this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(over, `${where} scrolls sideways`).toBeLessThanOrEqual(0);
  }

  async leave() {
    await this.context.close();
    expect(this.complaints).toEqual([]);
    expect(this.strayed).toEqual([]);
  }
}

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Runs axe in the page's own world through the debugger, so that the page's policy need not allow it. */
async function axe(page: Page): Promise<string[]> {
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { violations } = await (window as any).axe.run(document, { resultTypes: ["violations"] });
    return violations.map((it: any) => `${it.id}: ${it.nodes.map((node: any) => `${node.target.join(" ")} ${node.any.map((any: any) => any.message).join("; ")}`).slice(0, 3).join(" | ")}`);
  });
}

export async function closeBrowser() {
  const open = running;
  running = null;
  await (await open)?.close();
}

export const scratch = () => {
  const folder = mkdtempSync(join(tmpdir(), "askbridge-e2e-files-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};
