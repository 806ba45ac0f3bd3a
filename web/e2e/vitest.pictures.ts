import { mergeConfig } from "vitest/config";
import journeys from "./vitest.config.ts";

// Not a test: takes the pictures of the documentation. `npm run pictures -w e2e`.
const config = mergeConfig(journeys, {});
config.test.include = ["src/pictures/pictures.ts"];
config.test.retry = 0;
config.test.testTimeout = 300_000;
export default config;
