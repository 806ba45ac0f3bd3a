import { render, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { Markdown } from "../src/index.ts";

async function shown(text: string): Promise<HTMLElement> {
  const { container } = render(<Markdown text={text} />);
  await waitFor(() => expect(container.querySelector(".ab-markdown > :not(.ab-markdown-plain)")).toBeTruthy());
  return container;
}

test("headings, lists, tables, code and emphasis are elements", async () => {
  const page = await shown(
    "# A\n\n1. one\n2. **two**\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | `2` |\n\n```rust\nlet x = 1;\n```\n\n> said\n\n~~gone~~ &amp; _here_",
  );
  for (const tag of ["h4", "ol", "strong", "table", "td code", "pre code", "blockquote", "del", "em"])
    expect(page.querySelector(tag), tag).toBeTruthy();
  expect(page.textContent).toContain("gone & here");
  expect(page.querySelector("pre [data-ink=word]")?.textContent).toBe("let");
});

test("raw HTML is text, and nothing is fetched or run", async () => {
  const page = await shown(
    '<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> <b>bold</b>\n\n![alt](https://e.example/p.png)\n\n[a](javascript:alert(1)) [b](data:text/html,x) [c](https://ok.example "t")\n\n<iframe src="https://e.example"></iframe>',
  );
  expect(page.querySelectorAll("script, img, iframe, b, object, form, [onerror]")).toHaveLength(0);
  expect([...page.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link.getAttribute("rel")])).toEqual([
    ["https://ok.example/", "noopener noreferrer nofollow"],
  ]);
  expect(page.textContent).toContain("image not loaded: alt");
  expect(page.textContent).toContain("<script>alert(1)</script>");
});

test("headings go down one step at a time", async () => {
  const page = await shown("### deep\n\n# top\n\n##### deeper");
  expect([...page.querySelectorAll("h4, h5, h6")].map(({ tagName, textContent }) => `${tagName} ${textContent}`)).toEqual([
    "H4 deep",
    "H4 top",
    "H5 deeper",
  ]);
});

test.each([
  ["quotes in quotes", "> ".repeat(5_000) + "x"],
  ["lists in lists", Array.from({ length: 200 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n")],
  ["brackets", "[".repeat(20_000)],
  ["stars", "*a ".repeat(5_000)],
  ["a very long text", "word ".repeat(100_000)],
])("%s are shown somehow", async (_, text) => {
  const { container } = render(<Markdown text={text} />);
  await waitFor(() => expect(container.textContent?.length).toBeGreaterThan(0));
});

test("what hides in a text is named, in code too", async () => {
  const page = await shown("a\u202eb `c\u200bd`\n\n```\ne\u2066f\n```");
  expect([...page.querySelectorAll(".ab-hidden")].map(({ textContent }) => textContent)).toEqual(["U+202E", "U+200B", "U+2066"]);
});
