import { expect, test } from "vitest";
import type { Node } from "@askbridge/client";
import { clusterWords } from "@askbridge/words";
import { areSeveral, factsOf, hostName, inOrder, isClockOff, linkOf } from "./facts.ts";

const node = (more: Partial<Node> = {}): Node => ({
  id: "node_0000000000000001", name: "desk", state: "up", version: "0.1.0", agents: 1, agents_max: 16, connections: 2, lag: 0,
  started_at: "2026-11-15T08:00:00.000Z", ...more,
});
const said = (of: Node) => factsOf(of, clusterWords.en, (time) => time.slice(11, 16)).map(({ label, text, isTrouble }) => `${label}: ${text}${isTrouble ? " !" : ""}`);

test("a node that is up says how it is, and what is wrong stands out", () => {
  expect(said(node({ labels: ["gpu", "big"], roots: ["/home/ada", "/home/ada"] }))).toEqual([
    "Agents: 1 of 16", "Connections: 2", "Index: up to date", "Up since: 08:00", "Version: 0.1.0", "Labels: gpu, big", "Folders: /home/ada",
    "Id: node_0000000000000001",
  ]);
  expect(said(node({ lag: 7, clock_ahead_ms: -4_200 }))).toEqual(expect.arrayContaining(["Index: 7 entries behind !", "Clock: 4.2 s behind !"]));
  expect(said(node({ clock_ahead_ms: 3_000 }))).toContain("Clock: 3 s ahead !");
  expect(said(node({ clock_ahead_ms: 1_900 }))).toContain("Clock: right");
});

test("of a node that is down, only what still holds is said", () => {
  expect(said(node({ state: "down", since: "2026-11-15T09:14:00.000Z", lag: 7, clock_ahead_ms: 9_000 }))).toEqual([
    "Agents: 1, when it was last heard of", "Version: 0.1.0", "Id: node_0000000000000001",
  ]);
  expect(isClockOff(node({ state: "down", clock_ahead_ms: 9_000 }))).toBe(false);
  expect(isClockOff(node({ clock_ahead_ms: -9_000 }))).toBe(true);
});

test("nodes keep their places: by name, as people count, then by id", () => {
  const nodes = [node({ name: "node-10" }), node({ name: "node-2", id: "b" }), node({ name: "node-2", id: "a", state: "down" })];
  expect(inOrder(nodes).map(({ name, id }) => `${name} ${id}`)).toEqual(["node-2 a", "node-2 b", "node-10 node_0000000000000001"]);
});

test("an address is a link only if a browser may open it", () => {
  expect(linkOf(node({ address: "https://desk.example.org" }))).toBe("https://desk.example.org");
  for (const address of ["javascript:alert(1)", "desk:4760", "no address"]) expect(linkOf(node({ address })), address).toBeNull();
  expect(linkOf(node())).toBeNull();
});

test("a conversation names its node only where there are several", () => {
  expect(hostName(undefined, clusterWords.en)).toBeNull();
  expect(hostName({ id: "node_1", name: "desk", state: "up" }, clusterWords.en)).toBe("desk");
  expect(hostName({ id: "node_1", name: "desk", state: "down" }, clusterWords.en)).toBe("desk (down)");
  expect(hostName({ id: "node_1", name: "desk", state: "gone" }, clusterWords.en)).toBe("desk (gone)");
  const cluster = { here: "node_1", alone: false, rank: 0 };
  expect(areSeveral({ ...cluster, nodes: [node(), node({ id: "node_2" })] })).toBe(true);
  expect([areSeveral(null), areSeveral({ ...cluster, nodes: [node()] }), areSeveral({ ...cluster, alone: true, nodes: [node(), node()] })]).toEqual([false, false, false]);
});
