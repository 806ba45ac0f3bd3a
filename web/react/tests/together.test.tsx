import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ApprovalAsk } from "@askbridge/client";
import { alike, kinTo, Together } from "../src/index.ts";
import type { ApprovalView } from "../src/together/alike.ts";
import { command, database, viewOf } from "../gallery/asks.ts";

const run = (line: string, change: object = {}): ApprovalView => {
  const ask: ApprovalAsk = command(change);
  return viewOf({ ...ask, approval: { ...ask.approval, input: { command: line }, summary: `Run ${line}` } }) as ApprovalView;
};

test("alike is the same tool of the same agent in the same folder, twice at least, and waiting", () => {
  const [one, two] = [run("ls"), run("ls -l")];
  const others = [run("ls", { agent: "other" }), run("ls", { context: { folder: "/elsewhere" } }), run("ls", { state: "answered", settled_at: "2026-11-15T08:00:00.000Z" }), viewOf(database())];
  expect(alike([one, ...others, two]).map((group) => group.map(({ id }) => id))).toEqual([[one.id, two.id]]);
  expect(alike([one, ...others])).toEqual([]);
  expect(kinTo([one, ...others, two], two.id).map(({ id }) => id)).toEqual([one.id, others[2]!.id, two.id]);
  expect(kinTo(others, "ask_none")).toEqual([]);
});

test("each is shown whole, what is grave has to be ticked, and only what is ticked is decided", async () => {
  const onAnswer = vi.fn();
  const views = [run("cargo test"), run("rm -rf target"), run("cargo fmt")];
  render(<Together views={views} language="en" onAnswer={onAnswer} />);
  for (const line of ["cargo test", "rm -rf target", "cargo fmt"]) expect(await screen.findAllByText(new RegExp(line))).not.toEqual([]);
  const ticks = () => screen.getAllByRole<HTMLInputElement>("checkbox").map(({ checked }) => checked);
  expect(ticks()).toEqual([true, false, true]);
  expect(screen.getByText("2 of 3 ticked")).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: /cargo fmt/ }));
  await userEvent.click(screen.getByRole("button", { name: "Allow 1 once" }));
  expect(onAnswer.mock.calls).toEqual([[views[0]!.id, { decision: "allow" }]]);
});

test("what comes while somebody reads is there, without a tick", async () => {
  const onAnswer = vi.fn();
  const [one, two, late] = [run("cargo test"), run("cargo fmt"), run("cargo doc")];
  const card = (views: ApprovalView[]) => <Together views={views} language="en" onAnswer={onAnswer} />;
  const { rerender } = render(card([one, two]));
  rerender(card([one, two, late]));
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /cargo doc/ }).checked).toBe(false);
  expect(screen.getByText("just came")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Deny 2…" }));
  await userEvent.keyboard("not now");
  await userEvent.click(screen.getByRole("button", { name: "Deny" }));
  expect(onAnswer.mock.calls).toEqual([one, two].map(({ id }) => [id, { decision: "deny", words: "not now" }]));
});

test("what was decided meanwhile stays in its place and says by whom, and cannot be decided again", () => {
  const over = run("cargo test", { state: "answered", answerable: false, settled_at: new Date(Date.now() - 12_000).toISOString(), by: { person: "bob", device: "desk", via: "native" }, answers: { decision: "allow" } });
  render(<Together views={[over, run("cargo fmt")]} language="en" onAnswer={() => undefined} />);
  const [first] = screen.getAllByRole("listitem");
  expect(within(first!).queryByRole("checkbox")).toBeNull();
  expect(within(first!).getByText(/Decided by bob \(desk\) 1\d seconds ago/)).toBeTruthy();
  expect(screen.getByText("1 of 1 ticked")).toBeTruthy();
});
