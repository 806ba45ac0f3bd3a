import { expect, test } from "vitest";
import { hidesSomething, lookalikes, visible } from "../src/text/visible.ts";

test("every character that hides is named", () => {
  expect(visible("a\u202Eb\u200Bc")).toEqual([
    { kind: "text", text: "a" },
    { kind: "hidden", name: "U+202E" },
    { kind: "text", text: "b" },
    { kind: "hidden", name: "U+200B" },
    { kind: "text", text: "c" },
  ]);
  const hiding = [
    "\u0000",
    "\u001b",
    "\r",
    "\u007f",
    "\u00ad",
    "\u061c",
    "\u115f",
    "\u200f",
    "\u2028",
    "\u2066",
    "\u2069",
    "\u2062",
    "\u3164",
    "\ufe01",
    "\ufeff",
    "\u{e0041}",
    "\u{e0100}",
  ];
  for (const character of hiding) expect(hidesSomething(`x${character}y`), JSON.stringify(character)).toBe(true);
});

test("what everybody writes hides nothing", () => {
  for (const text of ["plain\n\ttext\r\nnext", "日本語　です", "naïve café", "👩‍💻 👍🏽 ❤️ 🏳️‍🌈", "שלום עולם", "مرحبا", "Привет, мир"])
    expect(visible(text), text).toEqual([{ kind: "text", text: text.replaceAll("\r\n", "\n") }]);
});

test("spaces that push something out of sight are counted, an indentation is not", () => {
  expect(visible(`ls${" ".repeat(90)}; rm`)).toEqual([
    { kind: "text", text: "ls" },
    { kind: "spaces", count: 90 },
    { kind: "text", text: "; rm" },
  ]);
  expect(hidesSomething(`${" ".repeat(16)}x`)).toBe(false);
});

test("a joiner between letters hides", () => {
  expect(hidesSomething("pass\u200dword")).toBe(true);
});

test("a letter of another alphabet is marked in a word that mixes them", () => {
  expect(lookalikes("cd pr\u043ejects && echo Привет")).toEqual(["pr\u043ejects"]);
  expect(visible("pr\u043ej")).toEqual([
    { kind: "text", text: "pr" },
    { kind: "alike", text: "\u043e", name: "U+043E" },
    { kind: "text", text: "j" },
  ]);
});

test("taken apart and put together, nothing that can be seen is lost", () => {
  const text = "👩‍💻 a\u200bb   c\nПpивет";
  const seen = visible(text).map((piece) =>
    piece.kind === "text" || piece.kind === "alike" ? piece.text : piece.kind === "hidden" ? "\u200b" : " ".repeat(piece.count),
  );
  expect(seen.join("")).toBe(text);
});

test("more than three empty lines in a row are counted, fewer stay", () => {
  expect(visible("a\n\n\n\nb")).toEqual([{ kind: "text", text: "a\n\n\n\nb" }]);
  expect(visible("a\n\n \n\t\n\nb")).toEqual([{ kind: "text", text: "a\n" }, { kind: "lines", count: 4 }, { kind: "text", text: "\nb" }]);
  expect(visible(`a${"\r\n".repeat(81)}b`)).toContainEqual({ kind: "lines", count: 80 });
});
