import { expect, test } from "vitest";
import { cardWords } from "../src/index.ts";

/** A sentence with its gaps filled, by something that is no word of either language. */
const filled = (word: unknown) => (typeof word === "function" ? String(word(7, 7)) : String(word));

test("every sentence of the cards is there, and the Japanese ones are Japanese", () => {
  const english = Object.entries(cardWords.en);
  for (const [key, word] of english) {
    expect(filled(word).trim(), key).not.toBe("");
    const japanese = filled(cardWords.ja[key as keyof typeof cardWords.ja]);
    expect(japanese, key).toMatch(/[ぁ-んァ-ヶ一-龠（]/);
  }
  expect(Object.keys(cardWords.ja)).toEqual(english.map(([key]) => key));
});

test("whatever is filled in appears in both languages", () => {
  for (const language of ["en", "ja"] as const) {
    expect(cardWords[language].answeredBy("ada", "12 s")).toMatch(/ada.*12 s/);
    expect(cardWords[language].refusedFirst("ada", "12 s")).toMatch(/ada.*12 s/);
    expect(cardWords[language].progress(2, 5)).toMatch(/2.*5|5.*2/);
  }
});
