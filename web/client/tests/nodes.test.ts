/** What becomes of what is known when nodes go down and come back. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nothing, reduce, type Cluster, type Heard, type Host, type Node, type ServerFrame, type Session, type SessionListed, type State } from "../src/index.ts";

const frames = JSON.parse(readFileSync(new URL("./recorded/story.json", import.meta.url), "utf8")) as ServerFrame[];
const heard = (frame: ServerFrame): Heard =>
  frame.type === "reply" && frame.ok && frame.ask ? { type: "asks", asks: [frame.ask] } : { type: "frame", frame };
const story = reduce(nothing, frames.map(heard)).state;

const SINCE = "2026-11-15T09:14:00.000Z";
const node = (id: string, name: string, more: Partial<Node> = {}): Node =>
  ({ id, name, state: "up", version: "0.1.0", agents: 0, agents_max: 4, connections: 0, lag: 0, started_at: "2026-11-15T08:00:00.000Z", ...more });
const cluster = (...nodes: Node[]): Cluster => ({ here: "node_1", alone: false, rank: 0, nodes });
const desk: Host = { id: "node_2", name: "desk", state: "up" };
const listed = (id: string, host: Host) => ({ id, host, started_at: "2026-11-15T08:30:00.000Z" }) as SessionListed;
const knows = (state: State, nodes: Cluster) => reduce(state, [{ type: "cluster", cluster: nodes }]).state;

/** One ask, one row and one conversation of an agent on `desk`, and everything else as it was. */
function given(): { readonly state: State; readonly ask: string } {
  const view = [...story.asks.values()][0]!;
  const state = reduce(story, [
    { type: "asks", asks: [{ ...view.ask, host: desk }] },
    { type: "sessions", items: [listed("ses_1", desk), listed("ses_2", { ...desk, id: "node_1", name: "gpu" })], next: null, from: null },
    { type: "watch", session: "ses_1" },
    { type: "session", session: { id: "ses_1", host: desk } as Session },
  ]).state;
  return { state, ask: view.id };
}

test("that a node is down, and that it is back, reaches its asks, rows and conversations, and no others", () => {
  const { state, ask } = given();
  const down = knows(state, cluster(node("node_1", "gpu"), node("node_2", "desk", { state: "down", since: SINCE })));
  const expected = { id: "node_2", name: "desk", state: "down", since: SINCE };
  expect(down.asks.get(ask)?.ask.host).toEqual(expected);
  expect(down.sessions.items.map(({ host }) => host)).toEqual([expected, { id: "node_1", name: "gpu", state: "up" }]);
  expect(down.conversations.get("ses_1")?.session?.host).toEqual(expected);
  for (const [id, view] of down.asks) if (id !== ask) expect(view).toBe(state.asks.get(id));
  const back = knows(down, cluster(node("node_1", "gpu"), node("node_2", "desk")));
  expect(back.asks.get(ask)?.ask.host).toEqual(desk);
  expect(back.conversations.get("ses_1")?.session?.host).toEqual(desk);
});

test("nodes that are as they were change nothing but the nodes", () => {
  const { state } = given();
  const nodes = cluster(node("node_1", "gpu"), node("node_2", "desk"));
  const after = knows(state, nodes);
  expect(after).toEqual({ ...state, cluster: nodes });
  expect([after.asks, after.sessions, after.conversations]).toEqual([state.asks, state.sessions, state.conversations]);
  expect(after.asks).toBe(state.asks);
  expect(after.sessions).toBe(state.sessions);
  expect(after.conversations).toBe(state.conversations);
});

test("a node that was down and is not listed any more was declared gone; one that was up is newer than the list", () => {
  const { state, ask } = given();
  const down = knows(state, cluster(node("node_2", "desk", { state: "down", since: SINCE })));
  const gone = knows(down, cluster(node("node_1", "gpu")));
  expect(gone.asks.get(ask)?.ask.host).toEqual({ id: "node_2", name: "desk", state: "gone" });
  expect(gone.sessions.items.map(({ host }) => host?.state)).toEqual(["gone", "up"]);
  expect(knows(state, cluster(node("node_1", "gpu"))).asks.get(ask)?.ask.host).toEqual(desk);
});
