/** What has to hold on a real page: `npm run gallery:test`. Each check is a sentence; the first that does not hold ends it. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { withGallery } from "./browser.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const DESK = { width: 1200, height: 900 };
const PHONE = { width: 360, height: 740 };

const done = (sentence) => console.log(`ok  ${sentence}`);
const answerOf = (page) => page.evaluate(() => JSON.parse(document.body.dataset.answer ?? "null"));

async function violations(page) {
  // The page's own policy forbids scripts that are not its own, so the debugger brings this one.
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() =>
    globalThis.axe.run(document, { iframes: false, resultTypes: ["violations"] }),
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(" ")}: ${failureSummary}`),
  );
}

async function axeFindsNothing(open) {
  for (const query of ["theme=light", "theme=dark", "theme=light&language=ja", "theme=dark&inbox=40", "theme=light&inbox=40"]) {
    for (const size of [DESK, PHONE]) {
      const page = await open(query, size);
      assert.deepEqual(await violations(page), [], `${query} at ${size.width}`);
      await page.close();
    }
  }
  const page = await open("only=approval-command&theme=dark");
  for (const panel of ["Deny…", "Always allow…"]) {
    await page.getByRole("button", { name: panel }).click();
    assert.deepEqual(await violations(page), [], panel);
    await page.keyboard.press("Escape");
  }
  await page.close();
  done("axe finds nothing on any card, panel or list, in both lights, on desk and phone, in English and Japanese");
}

async function nothingIsTooWideOrTooSmall(open) {
  for (const language of ["en", "ja"]) {
    const page = await open(`language=${language}`, PHONE);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width, `sideways scroll in ${language}`);
    const small = await page.evaluate(() =>
      [
        ...document.querySelectorAll(
          ".ab-card :is(button, textarea, select, summary, input:not([type=radio], [type=checkbox]), .ab-pick, .ab-rule, a.ab-button)",
        ),
      ]
        .map((element) => ({
          name: element.className || element.tagName,
          text: element.textContent.slice(0, 30),
          box: element.getBoundingClientRect(),
        }))
        .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 43.9))
        .map(({ name, text, box }) => `${name} “${text}” ${box.width}×${box.height}`),
    );
    assert.deepEqual(small, [], `targets in ${language}`);
    await page.close();
  }
  done("nothing scrolls sideways at 360 px, and nothing to press is smaller than 44 px");
}

async function theMainButtonIsInReach(open) {
  for (const name of ["questions-several", "questions-huge", "approval-dangerous", "plan-open", "form-open"]) {
    const page = await open(`only=${name}`, PHONE);
    const box = await page.locator(".ab-foot [data-tone=main]").boundingBox();
    assert.ok(box.y >= (PHONE.height * 2) / 3 && box.y + box.height <= PHONE.height, `${name}: ${JSON.stringify(box)}`);
    await page.close();
  }
  done("the main button is in the lower third of a phone before anything is scrolled");
}

async function oneTapAnswersAndCanBeUndone(open) {
  const page = await open("only=questions-open");
  await page.getByRole("radio", { name: "SQLite" }).click();
  assert.deepEqual(await answerOf(page), { answers: { "Which database should the new service use?": { options: [1] } } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("radio", { name: "SQLite" }).waitFor();
  assert.equal(await page.getByRole("radio", { checked: true }).count(), 0);
  await page.close();
  done("one tap answers, and undo leaves nothing chosen");
}

async function keysAreEnough(open) {
  const page = await open("only=questions-several");
  await page.getByRole("checkbox", { name: "Import" }).focus();
  await page.keyboard.press("3");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await page.keyboard.press("o");
  await page.keyboard.press("Enter");
  await page.keyboard.type("stockroom");
  await page.keyboard.press("Enter");
  assert.deepEqual(await answerOf(page), {
    answers: {
      "Which parts should the first release contain?": { options: [0, 2] },
      "Who may change the stock?": { options: [1] },
      "What shall the service be called?": { text: "stockroom" },
    },
    notes: { "Which parts should the first release contain?": "labels can wait" },
  });
  await page.close();
  const long = await open("only=questions-huge");
  await long.locator("[data-option='0']").first().focus();
  await long.keyboard.press("x");
  assert.equal(await long.evaluate(() => document.activeElement.textContent), "24X · Region 24");
  await long.close();
  done("three questions are answered by keys alone, and a letter reaches option 24");
}

async function compositionNeverSends(open) {
  const page = await open("only=questions-japanese&language=ja");
  const field = page.getByRole("textbox").first();
  await field.focus();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Input.imeSetComposition", { text: "にほんご", selectionStart: 4, selectionEnd: 4 });
  await devtools.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Process",
    code: "Enter",
    windowsVirtualKeyCode: 229,
  });
  await devtools.send("Input.insertText", { text: "日本語" });
  assert.equal(await field.inputValue(), "日本語");
  assert.equal(await answerOf(page), null);
  await page.keyboard.press("Enter");
  assert.deepEqual(await answerOf(page), { answers: { "新しいサービスではどのデータベースを使いますか？": { text: "日本語" } } });
  await page.close();
  done("the Enter that ends a composition does not send; the next one does");
}

async function escapeDestroysNothing(open) {
  const page = await open("only=questions-open");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.keyboard.type("what does billing use?");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.body.dataset.dismissed), undefined);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Dismiss");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("textbox", { name: /Words for the agent/ }).inputValue(), "what does billing use?");
  await page.keyboard.press("Escape");
  await page.getByPlaceholder("Something else…").fill("MariaDB");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByPlaceholder("Something else…").inputValue(), "MariaDB");
  await page.close();
  done("Escape closes and leaves, and what was typed is still there");
}

async function aPreviewCanDoNothing(open) {
  const page = await open("only=questions-previews");
  await page.getByRole("radio", { name: "Cards" }).hover();
  const frame = page.frames().find((each) => each !== page.mainFrame());
  await frame.waitForSelector("b");
  assert.equal(await frame.evaluate(() => document.querySelectorAll("script, a[href], [onclick]").length), 0);
  assert.match(await frame.evaluate(() => document.body.textContent), /M4 bolt/);
  assert.equal(await page.locator("iframe").getAttribute("sandbox"), "");
  await page.close();
  done("an HTML preview is a document of its own that runs and fetches nothing");
}

async function theSystemsLightIsFollowed(open) {
  const page = await open("only=questions-open");
  const ground = () => page.evaluate(() => getComputedStyle(document.querySelector(".ab-card")).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await ground();
  await page.emulateMedia({ colorScheme: "dark" });
  assert.notEqual(await ground(), light);
  await page.evaluate(() => document.documentElement.setAttribute("data-theme", "light"));
  assert.equal(await ground(), light);
  await page.close();
  done("cards follow the system's light, unless the page decides");
}

async function aSwipeShowsTheNextPreview(open) {
  const page = await open("only=questions-previews", PHONE);
  const strip = page.getByRole("group", { name: "Preview", exact: true });
  await strip.evaluate((element) => element.scrollTo({ left: element.clientWidth * 2, behavior: "instant" }));
  await page.getByRole("button", { name: "Choose: A list with headings" }).click();
  assert.deepEqual(await answerOf(page), { answers: { "How should the list of parts look?": { options: [2] } } });
  await page.close();
  done("on a phone, a swipe shows the next preview, and it can be chosen there");
}

async function tenThousandCostAScreenful(open) {
  const page = await open("inbox=10000");
  const rows = () => page.locator(".ab-row").count();
  assert.ok((await rows()) < 40);
  await page.locator("[data-row='0']").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement.getAttribute("data-row") === "9999");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("[data-selected]").getAttribute("aria-posinset"), "10000");
  assert.ok((await rows()) < 40);
  await page.close();
  done("ten thousand rows cost a screenful, and keys reach the last");
}

function theFirstLoadIsSmall() {
  const folder = join(import.meta.dirname, "../out/gallery/assets");
  const sizes = readdirSync(folder).map((name) => [name, gzipSync(readFileSync(join(folder, name))).length]);
  const first = sizes.filter(([name]) => name.startsWith("index-")).reduce((sum, [, bytes]) => sum + bytes, 0);
  const lazy = sizes.filter(([name]) => name.startsWith("Rendered-")).length;
  assert.ok(first < 124_000, `${first} bytes`);
  assert.equal(lazy, 1, "markdown is loaded when it is needed");
  done(`React, the cards and both languages are ${Math.round(first / 1000)} kB (gzip) at first; markdown and diffs come later`);
}

const troubles = await withGallery(async (open) => {
  await axeFindsNothing(open);
  await nothingIsTooWideOrTooSmall(open);
  await theMainButtonIsInReach(open);
  await oneTapAnswersAndCanBeUndone(open);
  await keysAreEnough(open);
  await compositionNeverSends(open);
  await escapeDestroysNothing(open);
  await aPreviewCanDoNothing(open);
  await aSwipeShowsTheNextPreview(open);
  await theSystemsLightIsFollowed(open);
  await tenThousandCostAScreenful(open);
});
theFirstLoadIsSmall();
assert.deepEqual(troubles, []);
done("no page complained, and nothing was fetched from elsewhere");
