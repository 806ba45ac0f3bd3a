// gobby's own page, unmodified, from the wheel 0.4.6: what a person sees and clicks.

import fs from "node:fs";
import path from "node:path";
import { Tab, serve } from "./browser.mjs";
import { TOKEN, assert, elsewhere, play, until } from "./kit.mjs";

const UI = path.resolve(process.env.GOBBY_UI);

async function browse() {
  assert.ok(fs.existsSync(UI), `there is no page of gobby at ${UI}; run \`cargo xtask install\``);
  return Tab.open(await serve(UI));
}

/** Opens the page and logs in, with a token as password. */
async function open(mode) {
  const tab = await browse();
  await tab.write("input[type=password]", TOKEN);
  await tab.write("input:not([type=password]):not([type=checkbox])", "ada");
  await tab.enter();
  await ready(tab);
  // Behind its login form the page already asks for everything, and is told that it has to log in.
  tab.problems = [];
  if (mode) await tab.click(mode);
  return tab;
}

async function ready(tab) {
  await until("the chat", () => tab.run("Boolean(document.querySelector('textarea'))"));
}

/** Says something, and looks whether it was said: while the page still begins, it may forget what was written. */
async function say(tab, words) {
  const value = () => tab.run("document.querySelector('textarea')?.value");
  const isSaid = async () => (await tab.text()).split("\n").includes(words);
  await until(`“${words}” to be said`, async () => {
    if ((await value()) !== words) await tab.write("textarea", words);
    await tab.run("document.querySelector('textarea').focus()");
    await tab.enter();
    for (let look = 0; look < 100 && (await value()) === ""; look++) {
      if (await isSaid()) return true;
      await new Promise((go) => setTimeout(go, 20));
    }
    return isSaid();
  });
}

/** Clicks an option of one question. */
async function choose(tab, question, option) {
  const code = `(() => {
    const all = [...document.querySelectorAll("div")].filter((it) => it.innerText.includes(${JSON.stringify(question)}));
    const card = all.filter((it) => it.querySelector("button")).at(-1);
    const found = [...(card?.querySelectorAll("button") ?? [])].find((it) => it.innerText.split("\\n")[0] === ${JSON.stringify(option)});
    found?.click();
    return Boolean(found);
  })()`;
  await until(`the option ${option} of ${question}`, () => tab.run(code));
}

/** What stands in the list of other conversations, beside the one that is shown. */
function listed(tab) {
  return tab.run(`[...document.querySelectorAll(".activity-panel, [class*=activity]")].map((it) => it.innerText).join("\\n")`);
}

/** The mode that the page is in. */
function mode(tab) {
  const modes = `["Plan", "Act", "YOLO"].map((name) => document.querySelector(\`button[role=radio][aria-label=\${name}]\`))`;
  return tab.run(`${modes}.find((it) => it?.ariaChecked === "true")?.ariaLabel`);
}

/** Opens another conversation from the page's list, by its title. */
async function switchTo(tab, title) {
  await tab.click("Switch session (Cmd+K)");
  const code = `(() => {
    const all = [...document.querySelectorAll(".command-palette-item")];
    const found = all.find((it) => it.innerText.split("\\n").includes(${JSON.stringify(title)}));
    found?.click();
    return Boolean(found);
  })()`;
  try {
    await until(`the conversation ${title}`, () => tab.run(code));
  } catch (error) {
    throw new Error(`${error.message}; the page says: ${await tab.text()}`);
  }
}

function fine(tab) {
  assert.deepEqual(tab.problems, []);
}

await play({
  async starts_without_a_failed_request() {
    const tab = await browse();
    await ready(tab);
    await tab.sees("Start a conversation");
    await say(tab, "ask");
    await tab.sees("Which?");
    await choose(tab, "Which?", "B");
    await tab.click("Submit");
    await tab.sees("Answered");
    await tab.sees("done");
    fine(tab);
  },

  async several_questions() {
    const tab = await open();
    await say(tab, "three");
    await tab.sees("Who?");
    await tab.sees("Select multiple");
    await choose(tab, "First?", "B");
    await choose(tab, "Second?", "A");
    await choose(tab, "Second?", "C");
    await choose(tab, "Who?", "Other");
    await tab.write("input[placeholder='Type your answer...']", "Bob");
    await tab.click("Submit");
    await tab.sees("“Bob”");
    await tab.sees("done");
    assert.equal((await tab.text()).match(/Answered/g).length, 3);
    fine(tab);
  },

  async reload() {
    const tab = await open();
    await say(tab, "ask");
    await tab.sees("Which?");
    await tab.load();
    await ready(tab);
    await tab.sees("Which?");
    assert.equal((await tab.text()).match(/Which\?/g).length, 1, "one card");
    await choose(tab, "Which?", "A");
    await tab.click("Submit");
    await tab.sees("Answered");
    await tab.sees("done");
    await tab.load();
    await ready(tab);
    await tab.sees("Answered");
    fine(tab);
  },

  async approval() {
    const tab = await open("Act");
    await say(tab, "bash");
    await tab.sees("Approval Required");
    await tab.click("Approve");
    await tab.sees("done");
    assert.ok(!(await tab.text()).includes("Approval Required"));
    fine(tab);
  },

  async reload_with_an_open_approval() {
    const tab = await open("Act");
    await say(tab, "bash");
    await tab.sees("Approval Required");
    await tab.load();
    await ready(tab);
    await tab.sees("Approval Required");
    await tab.sees("echo hi");
    assert.equal((await tab.text()).match(/Approval Required/g).length, 1, "one card");
    await tab.picture("approval-after-reload");
    await tab.click("Approve");
    await tab.sees("done");
    assert.ok(!(await tab.text()).includes("Approval Required"));
    // What was approved is shown as a command, before and after a reload.
    await tab.load();
    await ready(tab);
    await tab.sees("done");
    await tab.sees("echo hi");
    fine(tab);
  },

  async list_of_conversations() {
    const tab = await open("Plan");
    await say(tab, "later");
    await tab.sees("it waited");
    await tab.click("New Chat");
    await tab.sees("Start a conversation");
    await tab.click("Act");
    await say(tab, "ask");
    await tab.sees("Which?");
    // The list follows, without a reload: of what is not shown, it has the title and that it is live.
    await until("the conversation in the list", async () => (await listed(tab)).includes("later"));
    await tab.picture("conversations");
    // Loading the page and its list leaves the mode of both as it is.
    await tab.load();
    await ready(tab);
    await until("the list", async () => (await listed(tab)).includes("later"));
    await tab.sees("Which?");
    assert.equal(await mode(tab), "Act");
    await switchTo(tab, "later");
    await tab.sees("it waited");
    await until("plan mode", async () => (await mode(tab)) === "Plan");
    const { items } = await elsewhere("GET", "/v1/sessions");
    const modes = await Promise.all(items.map(({ id }) => elsewhere("GET", `/v1/sessions/${id}`)));
    assert.deepEqual(
      modes.map(({ title, permission_mode }) => `${title} ${permission_mode}`).sort(),
      ["ask default", "later plan"],
    );
    // Searching reads more of each session than drawing the list does.
    await tab.write("[class*=activity] input[placeholder=Search]", "nothing has this name");
    await until("an empty list", async () => !(await listed(tab)).includes("ask"));
    await tab.sees("it waited");
    fine(tab);
  },

  async plan() {
    const tab = await open("Plan");
    await say(tab, "plan");
    await tab.sees("Do it");
    await tab.click("Approve & Execute");
    await tab.sees("done");
    fine(tab);
  },

  async stop() {
    const tab = await open();
    await say(tab, "ask");
    await tab.sees("Which?");
    await tab.click("Stop generating");
    await until("it to have stopped", async () =>
      tab.run(`![...document.querySelectorAll("button")].some((it) => it.title === "Stop generating")`),
    );
    await say(tab, "later");
    await tab.sees("it waited");
    fine(tab);
  },
});
