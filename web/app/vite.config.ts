import { gzipSync } from "node:zlib";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

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
  plugins: [react(), packed()],
  resolve: { conditions: ["source", "module", "browser", "development|production"] },
  // No inlined assets: the page's policy allows files of its own and nothing else.
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, sourcemap: false, emptyOutDir: true },
});
