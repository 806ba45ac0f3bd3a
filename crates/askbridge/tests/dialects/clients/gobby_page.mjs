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

/** Chooses something in the page's palette. */
async function pick(tab, title) {
  const code = `(() => {
    const all = [...document.querySelectorAll(".command-palette-item")];
    const found = all.find((it) => it.innerText.split("\\n").includes(${JSON.stringify(title)}));
    found?.click();
    return Boolean(found);
  })()`;
  try {
    await until(`${title} in the palette`, () => tab.run(code));
  } catch (error) {
    throw new Error(`${error.message}; the page says: ${await tab.text()}`);
  }
}

/** Opens another conversation from the page's list, by its title. While the list is drawn anew, the page loses a click. */
async function switchTo(tab, title) {
  const isShown = async () => {
    const lines = (await tab.text()).split("\n");
    return lines[lines.findIndex((line) => /^(Hide|Show) Panel$/.test(line)) - 1] === title;
  };
  await until(`“${title}” to be opened`, async () => {
    await tab.click("Switch session (Cmd+K)");
    await pick(tab, title);
    for (let look = 0; look < 100; look++) {
      if (await isShown()) return true;
      await new Promise((go) => setTimeout(go, 20));
    }
    return false;
  });
}

/** What is asked in the conversation of this title. */
async function askAbout(title) {
  const { items } = await elsewhere("GET", "/v1/sessions");
  const session = items.find((it) => it.title === title);
  return (await elsewhere("GET", "/v1/asks?state=open")).items.find((it) => it.session === session.id);
}

function fine(tab) {
  // What the page complains of about its own dialogs, and about its own list while that is hidden.
  const own = ["`DialogContent` requires a `DialogTitle`", "react-virtuoso: %c%s %o"];
  assert.deepEqual(tab.problems.filter((problem) => !own.some((known) => problem.includes(known))), []);
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

  async reload_in_another_project() {
    const shop = path.join(process.env.SCRATCH, "shop");
    fs.mkdirSync(shop, { recursive: true });
    await elsewhere("POST", "/v1/sessions", { agent: "claude", cwd: shop, title: "Shop" });
    const tab = await open("Act");
    await tab.click("Project scope: desk");
    await until("the project", () =>
      tab.run(`(() => {
        const found = [...document.querySelectorAll("[role=option], [role=listbox] button, [role=menuitem]")].find((it) => it.innerText.trim() === "shop");
        found?.click();
        return Boolean(found);
      })()`),
    );
    await tab.sees("shop");
    await tab.click("New Chat");
    await tab.click("Act");
    await say(tab, "bash");
    await tab.sees("Approval Required");
    await tab.load();
    await ready(tab);
    await tab.sees("Approval Required");
    // Also once the list has come, which is of the project that the person chose.
    await until("the list", async () => (await listed(tab)).includes("Shop"));
    await new Promise((go) => setTimeout(go, 1000));
    assert.ok((await tab.text()).includes("Approval Required"));
    await tab.click("Approve");
    await tab.sees("done");
    fine(tab);
  },

  async switching() {
    const tab = await open("Act");
    await say(tab, "ask");
    await tab.sees("Which?");
    await tab.click("New Chat");
    await tab.sees("Start a conversation");
    await say(tab, "bash");
    await tab.sees("Approval Required");
    await switchTo(tab, "ask");
    await tab.sees("Which?");
    await tab.gone("Approval Required");
    // What happens in the other one is not drawn here.
    const { id } = await until("the approval", () => askAbout("bash"));
    await elsewhere("POST", `/v1/asks/${id}/answer`, { decision: "allow" });
    await until("it to be heard", async () => (await elsewhere("GET", `/v1/asks/${id}`)).delivered_at);
    assert.ok(!(await tab.text()).includes("done"));
    // What happens in this one is, although the page waits under no id.
    await choose(tab, "Which?", "B");
    await tab.click("Submit");
    await tab.sees("Answered");
    await tab.sees("done");
    await switchTo(tab, "bash");
    await tab.sees("echo hi");
    await tab.sees("done");
    await say(tab, "later");
    await tab.sees("it waited");
    fine(tab);
  },

  async switching_with_two_pages() {
    const tab = await open("Act");
    await say(tab, "ask");
    await tab.sees("Which?");
    const other = await open("Act");
    await other.click("New Chat");
    await other.sees("Start a conversation");
    await say(other, "bash");
    await other.sees("Approval Required");
    await switchTo(other, "ask");
    await other.sees("Which?");
    await choose(other, "Which?", "B");
    await other.click("Submit");
    await other.sees("done");
    await tab.sees("done");
    for (const page of [tab, other]) {
      assert.equal((await page.text()).match(/done/g).length, 1, "once");
      assert.ok(!(await page.text()).includes("Approval Required"), "of another conversation");
      fine(page);
    }
  },

  async going_on() {
    const tab = await open("Plan");
    await say(tab, "later");
    await tab.sees("it waited");
    await tab.click("New Chat");
    await tab.sees("Start a conversation");
    await tab.click("Switch session (Cmd+K)");
    await pick(tab, "Resume Session");
    await tab.sees("Pick a session to resume in web chat");
    await tab.sees("2 msgs");
    await tab.picture("resume");
    await tab.click("later");
    await tab.sees("it waited");
    assert.equal(await mode(tab), "Plan");
    await say(tab, "ask");
    await tab.sees("Which?");
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
    // The card is over, now and after a reload.
    await tab.sees("No response");
    await tab.load();
    await ready(tab);
    await tab.sees("No response");
    await say(tab, "later");
    await tab.sees("it waited");
    fine(tab);
  },
});
