/** Screenshots small enough to commit: WebP, alone or many on one sheet. */

import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import type { Person } from "../kit/browser.ts";

export interface Picture {
  readonly name: string;
  readonly png: Buffer;
}

const QUALITY = 82;

async function webp(page: Page, clip: { width: number; height: number }, scale: number): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format: "webp", quality: QUALITY, captureBeyondViewport: true, clip: { x: 0, y: 0, ...clip, scale },
  });
  return Buffer.from(data, "base64");
}

const source = ({ png }: Picture) => `data:image/png;base64,${png.toString("base64")}`;

async function show(page: Page, html: string): Promise<{ width: number; height: number }> {
  await page.setContent(`<!doctype html><style>${STYLE}</style>${html}`);
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  return page.evaluate(() => {
    const { width, height } = document.body.getBoundingClientRect();
    return { width: Math.ceil(width), height: Math.ceil(height) };
  });
}

const STYLE = `
  body { margin: 0; width: max-content; font: 12px system-ui, sans-serif; }
  .sheet { display: flex; gap: 20px; padding: 20px; align-items: flex-start; }
  .sheet[data-theme=light] { background: #e3e8e4; color: #52605a; } .sheet[data-theme=dark] { background: #060908; color: #a3b1ac; }
  .column { display: grid; gap: 16px; } figure { margin: 0; display: grid; gap: 4px; } img { display: block; border-radius: 6px; }`;

/** Writes one picture. */
export async function alone(person: Person, picture: Picture, file: string, width: number) {
  const size = await show(person.page, `<img src="${source(picture)}" width="${width}">`);
  writeFileSync(file, await webp(person.page, size, 1));
}

/** Writes many on one sheet, each with its name, in columns of equal width. */
export async function sheet(person: Person, pictures: readonly Picture[], theme: string, columns: number, width: number, file: string) {
  const heights = Array.from({ length: columns }, () => 0);
  const filled: string[][] = heights.map(() => []);
  for (const picture of pictures) {
    const at = heights.indexOf(Math.min(...heights));
    heights[at]! += heightOf(picture) * (width / widthOf(picture)) + 34;
    filled[at]!.push(`<figure><figcaption>${picture.name}</figcaption><img src="${source(picture)}" width="${width}"></figure>`);
  }
  const size = await show(person.page, `<div class="sheet" data-theme="${theme}">${filled.map((column) => `<div class="column">${column.join("")}</div>`).join("")}</div>`);
  writeFileSync(file, await webp(person.page, size, 1));
}

// The header of a PNG contains its size.
const widthOf = ({ png }: Picture) => png.readUInt32BE(16);
const heightOf = ({ png }: Picture) => png.readUInt32BE(20);
