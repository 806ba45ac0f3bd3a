import { expect, test } from "vitest";
import { ruleWords } from "../src/rules/index.ts";

const filled = (word: unknown) => (typeof word === "function" ? String(word(7, 7, 7)) : String(word));

test("every sentence about rules is there, and the Japanese ones are Japanese", () => {
  const english = Object.entries(ruleWords.en);
  for (const [key, word] of english) {
    expect(filled(word).trim(), key).not.toBe("");
    expect(filled(ruleWords.ja[key as keyof typeof ruleWords.ja]), key).toMatch(/[ぁ-んァ-ヶ一-龠（：]/);
  }
  expect(Object.keys(ruleWords.ja)).toEqual(english.map(([key]) => key));
});
