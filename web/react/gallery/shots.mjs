/** Pictures of everything, to look at: `npm run gallery:shots -- [NAME…]`, into `out/shots`. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { withGallery } from "./browser.mjs";

const wanted = process.argv.slice(2);
const folder = join(import.meta.dirname, "../out/shots");
mkdirSync(folder, { recursive: true });

await withGallery(async (open) => {
  for (const theme of ["light", "dark"]) {
    for (const [device, size] of [
      ["desk", { width: 900, height: 900 }],
      ["phone", { width: 390, height: 844 }],
    ]) {
      const page = await open(`theme=${theme}`, size);
      for (const place of await page.$$(".gallery-place")) {
        const name = await place.getAttribute("id");
        if (wanted.length > 0 && !wanted.includes(name)) continue;
        await place.scrollIntoViewIfNeeded();
        await place.screenshot({ path: join(folder, `${name}-${device}-${theme}.png`) });
      }
      await page.close();
      if (wanted.length === 0 || wanted.includes("inbox")) {
        const list = await open(`theme=${theme}&inbox=10000`, size);
        await list.screenshot({ path: join(folder, `inbox-${device}-${theme}.png`) });
        await list.close();
      }
    }
  }
});
