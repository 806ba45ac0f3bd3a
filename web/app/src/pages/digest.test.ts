import { expect, test } from "vitest";
import type { Ask } from "@askbridge/client";
import { byRule, isRemembered, placeOf } from "./digest.ts";

const ruled = (id: string, by: object | null) => ({ id, by }) as unknown as Ask;

test("what rules decided is grouped by rule, the newest first, with the place of the rule", () => {
  const asks = [
    ruled("c", { rule: "tests run", file: "rules.toml", line: 7 }),
    ruled("b", { rule: "bot linter" }),
    ruled("a", { rule: "tests run", file: "rules.toml", line: 7 }),
  ];
  expect([...byRule(asks)].map(([rule, of]) => [rule, of.map(({ id }) => id).join(), placeOf(of[0])])).toEqual([
    ["tests run", "c,a", "rules.toml:7"],
    ["bot linter", "b", null],
  ]);
  expect(placeOf(ruled("d", { person: "ada", device: "phone", via: "native" }))).toBeNull();
  expect(placeOf(undefined)).toBeNull();
});

test("a remembered decision is known by its name, and no rule of a person is taken for one", () => {
  expect(["remembered 0123456789abcdef", "remembered", "remembered by ada", "never publish"].map(isRemembered)).toEqual([true, false, false, false]);
});
