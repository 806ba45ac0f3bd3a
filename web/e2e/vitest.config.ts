import { defineConfig } from "vitest/config";
import { Retried } from "./src/kit/retried.ts";

// One browser and one process for all journeys: each has contexts and a server of its own.
export default defineConfig({
  ssr: { resolve: { conditions: ["source", "module", "node", "development|production"] }, noExternal: [/^@askbridge\//] },
  test: {
    root: import.meta.dirname,
    include: ["src/journeys/*.test.ts"],
    setupFiles: ["src/kit/setup.ts"],
    fileParallelism: false,
    isolate: false,
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // A browser on a strange machine may stumble once. Who stumbled is said at the end.
    retry: 1,
    reporters: ["default", new Retried()],
    // Node 20 has a WebSocket behind this flag; later ones have it without.
    execArgv: Number(process.versions.node.split(".")[0]) < 22 ? ["--experimental-websocket"] : [],
  },
});
