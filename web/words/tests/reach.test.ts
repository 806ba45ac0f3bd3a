import { expect, test } from "vitest";
import { reachWords } from "../src/index.ts";

const filled = (word: unknown) => (typeof word === "function" ? String(word(7, 7)) : String(word));

test("every sentence about channels is there, and the Japanese ones are Japanese", () => {
  const english = Object.entries(reachWords.en);
  for (const [key, word] of english) {
    expect(filled(word).trim(), key).not.toBe("");
    expect(filled(reachWords.ja[key as keyof typeof reachWords.ja]), key).toMatch(/[ぁ-んァ-ヶ一-龠（]/);
  }
  expect(Object.keys(reachWords.ja)).toEqual(english.map(([key]) => key));
});
