import { expect, test } from "vitest";
import { pickLanguage } from "../src/index.ts";

test("the first language that we speak is taken, and English without one", () => {
  expect(pickLanguage(["fr", "ja-JP", "en"])).toBe("ja");
  expect(pickLanguage(["de-AT"])).toBe("en");
  expect(pickLanguage([])).toBe("en");
});
