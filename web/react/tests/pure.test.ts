import { describe, expect, test } from "vitest";
import type { Form } from "@askbridge/client";
import { cardWords } from "@askbridge/words";
import { content, read, wrong, type Values } from "../src/form/values.ts";
import { scrollFor, windowOf } from "../src/Inbox/window.ts";
import { paint } from "../src/approval/paint.ts";
import { risksOf } from "../src/approval/risk.ts";
import { headlineOf } from "../src/index.ts";
import { visible } from "../src/text/visible.ts";
import { command } from "../gallery/asks.ts";
import { safeAddress } from "../src/Markdown/links.ts";
import { previewKind, sandboxed } from "../src/questions/previewed.ts";
import { recommendation } from "../src/questions/recommended.ts";
import { ago, clock, stretch } from "../src/time.ts";

const words = cardWords.en;

test("a recommendation becomes a mark, and only that", () => {
  expect(recommendation("Postgres (Recommended)")).toEqual({ label: "Postgres", isRecommended: true });
  expect(recommendation("PostgreSQL（推奨）")).toEqual({ label: "PostgreSQL", isRecommended: true });
  expect(recommendation("Recommended settings")).toEqual({ label: "Recommended settings", isRecommended: false });
  expect(recommendation("(recommended)")).toEqual({ label: "(recommended)", isRecommended: false });
});

describe("previews", () => {
  test("are told apart: pages, markdown, drawings", () => {
    expect(previewKind("<div>x</div>")).toBe("html");
    expect(previewKind("  <!DOCTYPE html><p>x")).toBe("html");
    expect(previewKind("# Title\n\ntext")).toBe("markdown");
    expect(previewKind("┌──┐\n│  │")).toBe("drawing");
    expect(previewKind("| a   | b |")).toBe("drawing");
    expect(previewKind("a < b and so on")).toBe("drawing");
    expect(previewKind(`<div>${"x".repeat(200_000)}</div>`)).toBe("drawing");
  });

  test("of HTML lose everything that could run, fetch or lead away", () => {
    const page = sandboxed(
      `<p onclick="x()">a</p><script>1</script><a href="https://e.example" ping="https://e.example">b</a><img src="https://e.example/p.png" srcset="x 2x"><img src="data:image/png;base64,AA=="><form action="https://e.example"><button formaction="https://e.example">c</button></form><meta http-equiv="refresh" content="0;url=https://e.example"><base href="https://e.example"><link rel="stylesheet" href="https://e.example/s.css"><iframe src="https://e.example"></iframe><svg><a xlink:href="https://e.example"><text>d</text></a></svg><noscript><img src=x></noscript>`,
    );
    expect(page).not.toMatch(/e\.example|onclick|<script|<iframe|<base|<link|<noscript/);
    expect(page).toContain("data:image/png");
    expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.indexOf("<body>"));
    expect(page).toContain("default-src 'none'");
  });
});

test("only pages and mailboxes can be followed", () => {
  expect(safeAddress("https://a.example/b?c=d")).toBe("https://a.example/b?c=d");
  expect(safeAddress("mailto:ada@a.example")).toBe("mailto:ada@a.example");
  for (const href of [
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "/relative",
    "#hash",
    "//e.example",
    "http://[",
    "",
  ])
    expect(safeAddress(href), href).toBeNull();
});

test("times are said as people say them, and never lie ahead", () => {
  expect(ago(0, 12_345, "en")).toBe("12 seconds ago");
  expect(ago(5_000, 0, "en")).toBe("1 second ago");
  expect(ago(0, 3 * 3_600_000, "ja")).toBe("3 時間前");
  expect(clock(581_000, words)).toBe("9:41");
  expect(clock(581_999, words)).toBe("9:41");
  expect(clock(3_599_999, words)).toBe("59:59");
  expect(clock(3 * 3_600_000 + 60_000, words)).toBe("3 h 1 min");
  expect(clock(-5, words)).toBe("0:00");
  expect(stretch(59_999, words)).toBe("under a minute");
});

test("a list draws what is in view, and a little around it", () => {
  expect(windowOf({ rows: 10_000, rowPx: 100, topPx: 50_000, heightPx: 800 })).toEqual({ from: 494, to: 514 });
  expect(windowOf({ rows: 3, rowPx: 100, topPx: 0, heightPx: 800 })).toEqual({ from: 0, to: 3 });
  expect(windowOf({ rows: 0, rowPx: 100, topPx: 0, heightPx: 800 })).toEqual({ from: 0, to: 0 });
  // The list became shorter than where we were.
  expect(windowOf({ rows: 5, rowPx: 100, topPx: 50_000, heightPx: 800 })).toEqual({ from: 4, to: 5 });
  expect(scrollFor(9, { rows: 10, rowPx: 100, topPx: 0, heightPx: 800 })).toBe(200);
  expect(scrollFor(1, { rows: 10, rowPx: 100, topPx: 200, heightPx: 800 })).toBe(100);
  expect(scrollFor(5, { rows: 10, rowPx: 100, topPx: 0, heightPx: 800 })).toBeNull();
});

describe("forms", () => {
  const form: Form = {
    message: "",
    fields: [
      { name: "host", type: "text", required: true },
      { name: "port", type: "integer", required: false },
      { name: "rate", type: "number", required: false },
      { name: "tell", type: "flag", required: true },
      { name: "kind", type: "one_of", required: false, options: ["a"] },
      { name: "many", type: "many_of", required: false, options: ["a", "b"] },
    ],
  };
  const [host, port, rate, tell] = form.fields;

  test("send what was filled in, numbers as typed, and nothing that was not", () => {
    expect(content(form, { host: " x ", port: " 8080 ", tell: false, many: ["b"], kind: "" })).toEqual({
      host: " x ",
      port: "8080",
      tell: false,
      many: ["b"],
    });
  });

  test("say what is missing or wrong", () => {
    const none: Values = {};
    expect([wrong(host!, none, words), wrong(tell!, none, words), wrong(port!, none, words)]).toEqual([
      words.fillIn,
      words.pleaseChoose,
      null,
    ]);
    expect(wrong(host!, { host: "  " }, words)).toBe(words.fillIn);
    expect(wrong(port!, { port: "1.5" }, words)).toBe(words.wholeNumber);
    for (const good of ["0", "-7", "12"]) expect(wrong(port!, { port: good }, words)).toBeNull();
    for (const bad of ["x", "01", "1,5", "--1"]) expect(wrong(rate!, { rate: bad }, words)).toBe(words.aNumber);
    for (const good of ["1.5", "-0.1", "1e9"]) expect(wrong(rate!, { rate: good }, words)).toBeNull();
  });

  test("read a draft as far as it fits", () => {
    expect(read({ kind: "form", values: { host: "a", port: 7, many: ["a", 1], other: "x" } }, form)).toEqual({
      kind: "form",
      values: { host: "a", many: ["a"] },
      words: "",
    });
    expect(read({ kind: "plan" }, form)).toBeNull();
  });
});

test("texts made to take for ever do not", () => {
  const long = [
    "curl ".repeat(50_000),
    " ".repeat(250_000),
    "[".repeat(250_000),
    "p\u043e ".repeat(60_000),
    `${"\n".repeat(59_000)}x`,
    '"'.repeat(59_999),
  ];
  for (const text of long) {
    expect(visible(text).length).toBeGreaterThan(0);
    expect(risksOf("Bash", { command: text }, "/home")).toBeInstanceOf(Array);
    expect(previewKind(text)).toBeTruthy();
    for (const tongue of ["shell", "slashes", "hashes", "json"] as const)
      expect(
        paint(text, tongue)
          .map((each) => each.text)
          .join(""),
      ).toBe(text);
    expect(headlineOf(command({}, text)).length).toBeLessThanOrEqual(300);
  }
});

test("what is hidden far behind in a command is hinted at all the same", () => {
  expect(risksOf("Bash", { command: `${"echo x; ".repeat(5_000)}sudo reboot` }, undefined).map(({ word }) => word)).toEqual([
    "riskSudo",
  ]);
});
