/** Broken, unknown, hostile or excessive data does no harm. */

import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Person } from "../kit/browser.ts";
import { Server } from "../kit/server.ts";
import { until } from "../kit/until.ts";
import { wire } from "../kit/wire.ts";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.stop());

test("events of a newer server, frames of nobody and lines that are no frames leave everything standing", async () => {
  const asked = await server.ask({ question: "Still standing?" });
  const ada = await Person.stranger(server);
  const line = await wire(ada);
  await ada.page.goto(await server.link());
  await ada.page.getByText("Still standing?").first().waitFor();
  for (const frame of [
    { type: "hologram" }, { type: "event" }, { type: "event", session: "ses_x", at: 1, event: { type: "teleported", ask: asked.id } },
    { type: "event", session: "ses_x", at: 1, event: { type: "asked", ask: {} } }, { type: "event", session: null, at: null, event: null },
    { type: "snapshot" }, { type: "delta" }, { type: "reply", tag: 99, ok: true }, [], 7, null, "no frame at all",
  ]) line.say(frame);
  const second = await server.ask({ question: "And after that?" });
  await ada.page.getByText("And after that?").first().waitFor();
  await ada.go(`/asks/${second.id}`);
  await ada.page.locator(".ab-card").getByRole("textbox").first().fill("yes");
  await ada.page.locator(".ab-card").getByRole("button", { name: "Answer", exact: true }).click();
  await until(async () => (await server.show(second.id)).state === "answered");
  await ada.context.close();
});

test("a card that cannot be drawn shows what it was given, and is answered in words; the others are not touched", async () => {
  const broken = await server.ask({ question: "Broken?" });
  await server.ask({ question: "Whole?" });
  const ada = await Person.stranger(server);
  const line = await wire(ada);
  line.change((frame) => {
    // In the snapshot, or in the reply if the page requested the ask first: whichever comes sooner.
    for (const ask of [...(frame.asks ?? []), frame.ask]) if (ask?.id === broken.id) ask.questions = [{ question: "Broken?", options: null, multiSelect: false }];
    return frame;
  });
  await ada.page.goto(await server.link());
  await ada.page.getByText("Whole?").first().waitFor();
  await ada.page.goto(`${server.address}/asks/${broken.id}`);
  await ada.page.getByText(broken.id).first().waitFor();
  await ada.page.getByText("Whole?").first().waitFor();
  await ada.page.locator("textarea").first().fill("in words");
  await ada.page.getByRole("button", { name: /Send|Answer/ }).last().click();
  await until(async () => (await server.show(broken.id)).state !== "open");
  expect((await server.show(broken.id)).answers).toEqual({ "Broken?": "in words" });
  await ada.context.close();
});

test("when everything breaks, one page is left, and it reads everything again", async () => {
  await server.ask({ question: "After the storm?" });
  const ada = await Person.stranger(server);
  const line = await wire(ada);
  await ada.page.goto(await server.link());
  await ada.page.getByText("After the storm?").first().waitFor();
  // A name that is not a text, in the list, which has no error boundary per card.
  line.change((frame) => ({ ...frame, asks: frame.asks?.map((ask: object) => ({ ...ask, agent: { not: "a text" } })) }));
  await ada.page.reload();
  await ada.page.getByRole("heading", { name: "Something broke on this page" }).waitFor();
  line.change((frame) => frame);
  await ada.page.getByRole("button", { name: "Read everything again" }).click();
  await ada.page.getByText("After the storm?").first().waitFor();
  await ada.context.close();
});

/** A server that records whether the page contacts it. */
async function trap(): Promise<{ at: string; heard: string[]; close: () => void }> {
  const heard: string[] = [];
  const listener = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*").end();
  });
  // A browser may open a connection before any request.
  listener.on("connection", () => heard.push("a connection"));
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  return { at: `http://127.0.0.1:${(listener.address() as { port: number }).port}`, heard, close: () => void listener.close() };
}

const hostile = (at: string) => `<div><link rel="preconnect" href="${at}"><LINK rel="dns-prefetch preconnect" href="${at}" crossorigin><iframe srcdoc="&lt;link rel=preconnect href=${at}&gt;"></iframe><script>fetch("${at}/script");parent.postMessage("pwned","*");document.title="pwned"</script>
<img src="${at}/image" onerror="parent.pwned=1"><form action="${at}/form"><button id="go">go</button></form>
<iframe src="${at}/frame"></iframe><link rel="stylesheet" href="${at}/style"><link rel="preload" as="image" href="${at}/preload"><link rel="prefetch" href="${at}/prefetch"><meta http-equiv="refresh" content="0;url=${at}/meta">
<a href="javascript:parent.pwned=1">link</a><style>@import url(${at}/import); body{background:url(${at}/background)} b{color:rgb(1,2,3)}</style><b>styled</b></div>`;
const markdown = (at: string) => `# Hi <script>window.pwned=1</script>\n\n<img src=${at}/raw onerror="window.pwned=1">\n\n![remote](${at}/markdown.png)\n\n[click](javascript:window.pwned=1) [data](data:text/html,<script>1</script>)\n\n<iframe src="${at}/f"></iframe>`;

test("a preview that wants to run, fetch, submit or lead away does nothing, and is drawn all the same", async () => {
  const { at, heard, close } = await trap();
  const { id } = await server.ask({ questions: [{ question: "Which?", options: [{ label: "Evil", preview: hostile(at) }, { label: "Text", preview: markdown(at) }, "Plain"] }], context: { text: markdown(at) } });
  const ada = await Person.pair(server);
  await ada.go(`/asks/${id}`);
  const frame = ada.page.frameLocator("iframe.ab-preview-page").first();
  await frame.getByText("styled").waitFor();
  expect(await frame.getByText("styled").evaluate((element) => getComputedStyle(element).color)).toBe("rgb(1, 2, 3)");
  const address = ada.page.frames().find((one) => one.url().includes("/v1/previews/"))?.url();
  expect(address).toMatch(/\/v1\/previews\/pre_[0-9a-f]{64}$/);
  await ada.page.locator(".ab-card").getByRole("radio", { name: "Text" }).hover();
  const links = await ada.page.locator(".ab-card a").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
  expect(links.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([]);
  expect(await ada.page.evaluate(() => [(window as any).pwned, document.title])).toEqual([undefined, expect.stringContaining("askbridge")]);
  await frame.locator("#go").click({ force: true });
  // The page's own later requests come after any that the preview made.
  await ada.page.reload();
  await ada.page.frameLocator("iframe.ab-preview-page").first().getByText("styled").waitFor();
  expect(heard).toEqual([]);
  expect(ada.strayed).toEqual([]);
  await ada.context.close();
  close();
});

test("characters that hide or turn around are made visible in a command", async () => {
  const { id } = await server.ask({ approval: { tool: "Bash", input: { command: "echo safe \u202e# gnihton\u200b" + " ".repeat(200) + "; rm -rf /" } } });
  const ada = await Person.pair(server);
  await ada.go(`/asks/${id}`);
  const card = ada.page.locator(".ab-card");
  await card.getByText("rm -rf /").first().waitFor();
  const text = await card.innerText();
  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("\u200b");
  await card.getByText("Has hidden characters").first().waitFor();
  await ada.fits("a command of many blanks");
  await ada.leave();
});

test("huge texts neither stop the page nor widen it", async () => {
  const { id } = await server.ask({ questions: [{ question: "x".repeat(20_000), options: [{ label: "y".repeat(500), preview: "z".repeat(100_000) }, "b"] }] });
  const ada = await Person.pair(server, { viewport: { width: 360, height: 740 } });
  await ada.go(`/asks/${id}`);
  await ada.page.locator(".ab-card").getByRole("radio").first().waitFor();
  await ada.fits("a question without a blank");
  await ada.leave();
});

test("a paste of a megabyte is refused on its card, the connection stays, and other answers go", async () => {
  const [large, small] = [await server.ask({ question: "How large?" }), await server.ask({ question: "How small?" })];
  const ada = await Person.pair(server);
  await ada.go(`/asks/${large.id}`);
  const card = ada.page.locator(".ab-card");
  await card.getByRole("textbox").first().fill("あ".repeat(400_000));
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await card.getByText("it is longer than 65536 bytes; shorten it").waitFor();
  await ada.page.locator(".app-status[data-state=live]").waitFor({ state: "attached" });
  await ada.go(`/asks/${small.id}`);
  await card.getByRole("textbox").first().fill("yes");
  await card.getByRole("button", { name: "Answer", exact: true }).click();
  await until(async () => (await server.show(small.id)).state === "answered");
  expect((await server.show(large.id)).state).toBe("open");
  await ada.leave();
});
