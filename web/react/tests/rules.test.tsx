/** Rules that a person makes of a decision, from a card. */

import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Ask, NewRemembered, Remembered, RuleOffer } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { change, command, database, viewOf } from "../gallery/asks.ts";
import { AskCard, type CardRules } from "../src/index.ts";
import { ruleText } from "../src/approval/rule_text.ts";
import Offer from "../src/card/Offer.tsx";
import { fileOf, Rules, untilOf } from "../src/card/rules.ts";
import { Speaks } from "../src/wording.tsx";

const FILE = "/home/grace/.local/share/askbridge/remembered.toml";

function remembered(wish: Partial<NewRemembered>, more: Partial<Remembered> = {}): Remembered {
  const text = `[[rules]]\nname = "remembered 5eed"\ndo = "allow"\n# ${wish.for} ${wish.for_good ? "for good" : wish.until}\n`;
  return {
    id: "5eed", rule: text, do: "allow", tool: "Bash", about: "make", for: wish.for ?? "project", file: FILE, ask: "ask_1", person: "grace",
    device: "phone", made_at: "2026-11-20T09:00:00Z", until: wish.until ?? null, uses: 0, last_used_at: null, ...more,
  };
}

const offered = (more: Partial<RuleOffer> = {}, rule: Partial<Remembered> = {}): RuleOffer =>
  ({ times: 4, rule: remembered({ until: "2026-12-20T09:00:00Z" }, rule), ...more });

function given(ask: Ask, offer: RuleOffer | null = null, language: Language = "en") {
  const rules = {
    preview: vi.fn(async (wish: NewRemembered) => remembered(wish)),
    save: vi.fn(async (wish: NewRemembered) => remembered(wish)),
    offer: vi.fn(async () => offer),
  } satisfies CardRules;
  const onAnswer = vi.fn();
  const nothing = () => undefined;
  const view = viewOf(ask);
  render(<AskCard view={view} language={language} rules={rules} me="grace" onAnswer={onAnswer} onDismiss={nothing} onExtend={nothing} onUndo={nothing} onDraft={nothing} />);
  return { rules, onAnswer, user: userEvent.setup() };
}

const press = (name: string) => screen.getByRole("button", { name });
const ASK = { ...command(), approval: { tool: "Bash", input: { command: "make" }, rules: [] } } as Ask;
const allowed = (): Ask => ASK;

test("the rule is shown as it will be saved, with its file, and nothing is answered before it is saved", async () => {
  const { user, rules, onAnswer } = given(allowed());
  await user.click(press("Always allow…"));
  await screen.findByText(/remembered 5eed/);
  expect(rules.preview.mock.calls.at(-1)?.[0]).toMatchObject({ for: "project", until: expect.any(String) });
  expect(screen.getByText(`askbridge shows it in ${FILE}. Settings → Rules takes it back.`)).toBeTruthy();
  await user.selectOptions(screen.getByLabelText("Where"), "Everywhere");
  await user.selectOptions(screen.getByLabelText("Until"), "For good");
  await screen.findByText(/# everywhere for good/);
  expect(rules.save).not.toHaveBeenCalled();
  expect(onAnswer).not.toHaveBeenCalled();
  await user.click(press("Allow and save"));
  expect(rules.save).toHaveBeenCalledExactlyOnceWith({ ask: ASK.id, for: "everywhere", for_good: true, id: "5eed" });
  await waitFor(() => expect(onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow" }));
});

test("the agent's own rules and ours stand apart, each with the file that it changes", async () => {
  const rule = (destination: string) => ({ type: "addRules", rules: [{ toolName: "Bash", ruleContent: "make *" }], behavior: "allow", destination });
  const rules = [{ label: "make", rule: rule("localSettings") }, { label: "for now", rule: rule("session") }];
  const { user, onAnswer, rules: made } = given({ ...command(), approval: { tool: "Bash", input: { command: "make" }, rules } } as Ask);
  await user.click(press("Always allow…"));
  expect(await screen.findByText("Claude Code writes it to .claude/settings.local.json.")).toBeTruthy();
  expect(screen.getAllByText("allow: Bash(make *)")).toHaveLength(2);
  expect(screen.getByText("Claude Code keeps it until its session ends, in no file.")).toBeTruthy();
  expect(screen.getAllByRole("radio")).toHaveLength(3);
  await user.click(press("Allow and save"));
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: "allow", always: 0 });
  expect(made.save).not.toHaveBeenCalled();
});

test("a rule that cannot be saved answers nothing, and says why", async () => {
  const { user, rules, onAnswer } = given(allowed());
  rules.save.mockRejectedValueOnce(new Error("1000 decisions are remembered already; revoke some"));
  await user.click(press("Always allow…"));
  await screen.findByText(/remembered 5eed/);
  await user.click(press("Allow and save"));
  expect((await screen.findByRole("alert")).textContent).toBe("1000 decisions are remembered already; revoke some");
  expect(onAnswer).not.toHaveBeenCalled();
});

test("while the rule is not known, nothing can be saved", async () => {
  const { user, rules } = given(allowed());
  rules.preview.mockRejectedValueOnce(new Error("the session has no folder"));
  await user.click(press("Always allow…"));
  expect((await screen.findByRole("alert")).textContent).toBe("the session has no folder");
  expect(press("Allow and save").hasAttribute("disabled")).toBe(true);
});

test("a person who may make no rules, a denial to overrule and a tap have no rule of ours", () => {
  const nothing = () => undefined;
  render(<AskCard view={viewOf(allowed())} language="en" onAnswer={nothing} onDismiss={nothing} onExtend={nothing} onUndo={nothing} onDraft={nothing} />);
  expect(screen.queryByRole("button", { name: "Always allow…" })).toBeNull();
  given({ ...command(), approval: { tool: "Bash", input: { command: "make" }, rules: [], overrule: true } } as Ask);
  given({ ...command(), agent: "askbridge", approval: { tool: "askbridge", input: {}, rules: [] } } as Ask);
  expect(screen.queryByRole("button", { name: "Always allow…" })).toBeNull();
});

test("a changed call is allowed once, because the rule would be for the call as it was made", async () => {
  const { user } = given(allowed());
  await user.click(press("Edit"));
  await user.type(screen.getByRole("textbox"), " -j4");
  expect(screen.queryByRole("button", { name: "Always allow…" })).toBeNull();
});

test("after four same decisions the card offers the rule, in full, and one tap saves exactly it", async () => {
  const { user, rules, onAnswer } = given(allowed(), offered());
  expect(await screen.findByText("You chose “Allow” 4 times in a row.")).toBeTruthy();
  expect(screen.getByText(/remembered 5eed/)).toBeTruthy();
  expect(rules.save).not.toHaveBeenCalled();
  await user.click(press("Save this rule"));
  expect(rules.save).toHaveBeenCalledExactlyOnceWith({ ask: ASK.id, do: "as_before", for: "project", id: "5eed", until: "2026-12-20T09:00:00Z" });
  expect((await screen.findByRole("status", { name: "" })).textContent).toContain("Saved: the next one is decided by it.");
  expect(onAnswer).not.toHaveBeenCalled();
});

test("a card that was answered before it was shown asks for no offer", async () => {
  const { rules } = given({ ...allowed(), state: "answered", settled_at: "2026-11-20T09:00:00Z", answers: { decision: "allow" } } as Ask, offered());
  await screen.findByText("Allowed once");
  expect(rules.offer).not.toHaveBeenCalled();
});

test("a question's offer names what was chosen, in Japanese too", async () => {
  given(database(), offered({ chosen: "PostgreSQL" }, { do: "answer" }), "ja");
  expect(await screen.findByText("「PostgreSQL」を 4 回続けて選びました。")).toBeTruthy();
});

test("no rule is offered for what looks grave, whatever the server says", () => {
  const none: CardRules = { preview: async () => remembered({}), save: async () => remembered({}), offer: async () => null };
  const shown = (line: string, more: Partial<Remembered> = {}) => {
    const ask = { ...command(), approval: { tool: "Bash", input: { command: line }, rules: [] } } as Ask;
    return render(<Speaks.Provider value="en"><Rules.Provider value={none}><Offer ask={ask} offer={offered({}, more)} /></Rules.Provider></Speaks.Provider>).container.textContent;
  };
  expect(shown("rm -rf build")).toBe("");
  expect(shown("rm -rf build", { do: "deny" })).toContain("You chose “Deny” 4 times in a row.");
  expect(shown("make")).toContain("You chose “Allow” 4 times in a row.");
});

test("a change of a file is offered like any other call, and a plan never is", async () => {
  const { rules } = given(change(), offered());
  expect(await screen.findByText(/times in a row/)).toBeTruthy();
  expect(rules.offer).toHaveBeenCalledTimes(1);
});

test("what Claude Code's rule says of its place is its file", () => {
  expect([{ destination: "userSettings" }, { destination: "projectSettings" }, { destination: "session" }, { destination: "elsewhere" }, "Bash(ls)", null].map(fileOf))
    .toEqual(["~/.claude/settings.json", ".claude/settings.json", null, undefined, undefined, undefined]);
});

test("Claude Code's rule reads as in its settings, and whatever says more is shown as it came", () => {
  const add = { type: "addRules", behavior: "allow", destination: "session" };
  expect(ruleText({ ...add, rules: [{ toolName: "Bash", ruleContent: "ls *" }, { toolName: "WebFetch" }] })).toBe("allow: Bash(ls *)\nallow: WebFetch");
  for (const other of [{ ...add, rules: [] }, { ...add, rules: [{ toolName: "Bash", more: 1 }] }, { ...add, rules: [{ toolName: "Bash" }], more: 1 }, { type: "setMode", mode: "acceptEdits" }, null, 7])
    expect(ruleText(other)).toBe(JSON.stringify(other, null, 2));
});

test("today ends at midnight of the person's own day, and a week later is a week later", () => {
  const now = new Date(2026, 10, 20, 15, 30).getTime();
  expect(untilOf("today", now)).toEqual({ until: new Date(2026, 10, 20, 23, 59, 59).toISOString() });
  expect(untilOf("week", now)).toEqual({ until: new Date(now + 7 * 86_400_000).toISOString() });
  expect(untilOf("good", now)).toEqual({ for_good: true });
  const late = new Date(2026, 10, 20, 23, 59, 30).getTime();
  expect(untilOf("today", late)).toEqual({ until: new Date(late + 60_000).toISOString() });
});
