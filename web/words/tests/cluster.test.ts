import { expect, test } from "vitest";
import { clusterWords } from "../src/index.ts";

const filled = (word: unknown) => (typeof word === "function" ? String(word(7, 7)) : String(word));
/** A number between others, which needs no word. */
const NUMBERS = ["agentsOf"];

test("every sentence about nodes is there, and the Japanese ones are Japanese", () => {
  const english = Object.entries(clusterWords.en);
  for (const [key, word] of english) {
    expect(filled(word).trim(), key).not.toBe("");
    if (!NUMBERS.includes(key)) expect(filled(clusterWords.ja[key as keyof typeof clusterWords.ja]), key).toMatch(/[ぁ-んァ-ヶ一-龠（]/);
  }
  expect(Object.keys(clusterWords.ja)).toEqual(english.map(([key]) => key));
});

test("a node that holds back says why, in the person's language", () => {
  const why = "the clock of this machine is off";
  expect(clusterWords.en.holdsBack("desk", why)).toBe("desk settles no deadline and rings nobody: the clock of this machine is off. The other nodes do.");
  expect(clusterWords.ja.holdsBack("desk", why)).toContain("時計がずれています");
  expect(clusterWords.ja.holdsBack("desk", "another reason")).toContain("another reason");
});

test.each([[3, 0, "3 nodes share this inbox. All are up."], [3, 1, "3 nodes share this inbox. 1 is down."], [1, 0, "1 node shares this inbox. It is up."]])(
  "of %i nodes %i are down", (nodes, down, said) => expect(clusterWords.en.howMany(nodes, down)).toBe(said),
);
