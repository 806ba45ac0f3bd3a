import { afterAll } from "vitest";
import { closeBrowser } from "./browser.ts";
import { endAll } from "./server.ts";

afterAll(async () => {
  await closeBrowser();
  endAll();
});
