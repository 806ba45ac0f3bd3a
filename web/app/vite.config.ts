import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { reachWords } from "../words/src/index.ts";

/** What the service worker says: it cannot import anything. */
const workerWords = Object.fromEntries(
  Object.entries(reachWords).map(([language, { ticketRefused, ticketUnsent, somethingWaits }]) => [language, { ticketRefused, ticketUnsent, somethingWaits }]),
);

/** Tells the service worker which files there are, so that it can keep all of them, and what it says. */
function named(): Plugin {
  let out = "";
  return {
    name: "named",
    apply: "build",
    configResolved: ({ root, build }) => void (out = resolve(root, build.outDir)),
    closeBundle() {
      const files = readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && file.name !== "sw.js")
        .map(({ name, parentPath }) => relative(out, join(parentPath, name)))
        .sort();
      const sum = createHash("sha256");
      for (const file of files) sum.update(file).update(readFileSync(join(out, file)));
      const wanted = ["/", ...files.filter((file) => file !== "index.html").map((file) => `/${file}`)];
      const worker = join(out, "sw.js");
      const built = readFileSync(worker, "utf8")
        .replace('["/"]', JSON.stringify(wanted))
        .replace("const WORDS = {}", () => `const WORDS = ${JSON.stringify(workerWords)}`)
        .replace('"unbuilt"', JSON.stringify(sum.digest("hex").slice(0, 12)));
      writeFileSync(worker, built);
    },
  };
}

/** Packs what is worth packing, so that the server need not. */
function packed(): Plugin {
  let out = "";
  return {
    name: "packed",
    apply: "build",
    configResolved: ({ root, build }) => void (out = resolve(root, build.outDir)),
    closeBundle() {
      for (const { name, parentPath } of readdirSync(out, { recursive: true, withFileTypes: true })) {
        if (!/\.(html|js|css|svg|webmanifest)$/.test(name)) continue;
        const file = join(parentPath, name);
        const plain = readFileSync(file);
        const small = gzipSync(plain, { level: 9 });
        if (small.length < plain.length * 0.9) writeFileSync(`${file}.gz`, small);
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), named(), packed()],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  // No inlined assets: the page's policy allows files of its own and nothing else.
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, sourcemap: false, emptyOutDir: true },
});
