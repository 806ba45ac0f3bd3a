import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const resolve = { conditions: ["source", "module", "browser", "development|production"] };

export default defineConfig({
  test: {
    projects: [
      { resolve, test: { name: "words", root: "words", include: ["tests/**/*.test.ts"] } },
      { resolve, test: { name: "client", root: "client", include: ["tests/**/*.test.ts"] } },
      { plugins: [react()], resolve, test: { name: "react", root: "react", environment: "jsdom", testTimeout: 60_000, setupFiles: ["tests/setup.ts"], include: ["tests/**/*.test.{ts,tsx}"] } },
      { plugins: [react()], resolve, test: { name: "app", root: "app", environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], passWithNoTests: true } },
    ],
  },
});
