/** The examples of `docs/guides/embed.md` as pages: built like any other page, and served from another origin. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server as Http } from "node:http";
import { join, resolve } from "node:path";
import type { AddressInfo } from "node:net";
import react from "@vitejs/plugin-react";
import { build } from "vite";

const here = resolve(import.meta.dirname, "../..");
const guide = readFileSync(resolve(here, "../../docs/guides/embed.md"), "utf8");

/** Returns the guide's example with this name. */
export function example(name: string): string {
  const found = new RegExp(`^\`\`\`tsx? ${name}\\n([^]*?)^\`\`\`$`, "m").exec(guide)?.[1];
  if (!found) throw new Error(`the guide has no example ${name}`);
  return found;
}

/** Returns the guide's commands with this name, one on each line. */
export function commands(name: string): string[] {
  const found = new RegExp(`^\`\`\`bash ${name}\\n([^]*?)^\`\`\`$`, "m").exec(guide)?.[1];
  if (!found) throw new Error(`the guide has no commands ${name}`);
  return found.trim().split("\n");
}

export class Site {
  readonly address: string;
  private readonly http: Http;
  private readonly files = new Map<string, { kind: string; body: string }>();

  private constructor(http: Http) {
    this.http = http;
    this.address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  static async open(): Promise<Site> {
    const site: { it?: Site } = {};
    const http = createServer((request, response) => {
      const file = site.it?.files.get(new URL(request.url ?? "/", "http://site").pathname);
      response.writeHead(file ? 200 : 404, { "content-type": file?.kind ?? "text/plain" }).end(file?.body);
    });
    await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready));
    site.it = new Site(http);
    return site.it;
  }

  /** Builds a page whose only script is `source`, and serves it at `/name`. */
  async put(name: string, source: string) {
    const root = join(here, "out/embed", name);
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "main.tsx"), source);
    const built = await build({
      configFile: false, root, logLevel: "silent", plugins: [react()],
      resolve: { conditions: ["source", "module", "browser", "development|production"] },
      build: { write: false, target: "es2022", minify: false, rollupOptions: { input: join(root, "main.tsx"), output: { codeSplitting: false, entryFileNames: "main.js", assetFileNames: "[name][extname]" } } },
    });
    const { output } = (Array.isArray(built) ? built[0] : built) as { output: { fileName: string; code?: string; source?: string | Uint8Array }[] };
    const styles = output.filter(({ fileName }) => fileName.endsWith(".css")).map(({ source: css }) => String(css));
    const script = output.find(({ fileName }) => fileName === "main.js")?.code ?? "";
    this.files.set(`/${name}.js`, { kind: "text/javascript", body: script });
    this.files.set(`/${name}.css`, { kind: "text/css", body: styles.join("\n") });
    this.files.set(`/${name}`, {
      kind: "text/html; charset=utf-8",
      body: `<!doctype html><html lang="en"><title>${name}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/${name}.css"><main id="root"></main><script type="module" src="/${name}.js"></script></html>`,
    });
  }

  close() {
    this.http.close();
    this.http.closeAllConnections();
  }
}
