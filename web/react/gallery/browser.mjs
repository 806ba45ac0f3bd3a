/** The gallery, built and served on this machine alone, in Debian's Chromium. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build, preview } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const configFile = join(here, "vite.config.ts");

/** What the app's page is served with: no inline scripts, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";

/** Builds and serves the gallery, opens a browser, and closes both afterwards. `visit` gets a function that opens a page. */
export async function withGallery(visit) {
  await build({ configFile, logLevel: "warn" });
  const server = await preview({
    configFile,
    logLevel: "warn",
    preview: { port: 0, host: "127.0.0.1", headers: { "content-security-policy": POLICY } },
  });
  const { port } = server.httpServer.address();
  const base = `http://127.0.0.1:${port}/`;
  const profile = mkdtempSync(join(tmpdir(), "askbridge-gallery-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    reducedMotion: "reduce",
  });
  const troubles = [];
  try {
    await visit(async (query, size = { width: 1200, height: 900 }) => {
      const page = await context.newPage();
      await page.setViewportSize(size);
      page.on("console", (message) => {
        if (message.type() === "error" && !isExpected(message.text())) troubles.push(`${query}: ${message.text()}`);
      });
      page.on("pageerror", (error) => {
        if (!isExpected(String(error))) troubles.push(`${query}: ${error}`);
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(base) && !/^(data|blob|about):/.test(request.url()))
          troubles.push(`${query}: fetched ${request.url()}`);
      });
      await page.goto(`${base}?${query}`);
      await page.waitForSelector("#gallery main");
      // Markdown and diffs come a moment later.
      await page.waitForFunction(() => !document.querySelector(".ab-markdown > .ab-markdown-plain"));
      return page;
    });
  } finally {
    await context.close();
    await server.close();
    rmSync(profile, { recursive: true, force: true });
  }
  return troubles;
}

/** One card is there to show what happens when it cannot be drawn. */
const isExpected = (text) => text.includes(".map is not a function") || text.includes(".some is not a function");
