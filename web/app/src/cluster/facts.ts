/** What the page says of a node. Pure. */

import type { Cluster, Node, SessionListed } from "@askbridge/client";
import type { ClusterWords } from "@askbridge/words";

/** A clock that is further off says so: the node settles no deadline then. */
const CLOCK_OFF_MS = 2_000;

export interface Fact {
  readonly label: string;
  readonly text: string;
  readonly isTrouble?: true;
}

export const isDown = ({ state }: Pick<Node, "state">): boolean => state === "down";

/** Have several nodes joined? A server with a journal of its own has no nodes to speak of. */
export const areSeveral = (cluster: Cluster | null): cluster is Cluster => cluster !== null && !cluster.alone && cluster.nodes.length > 1;

export const isClockOff = ({ state, clock_ahead_ms }: Pick<Node, "state" | "clock_ahead_ms">): boolean =>
  state === "up" && Math.abs(clock_ahead_ms ?? 0) > CLOCK_OFF_MS;

/** By name, so that a node keeps its place while it comes and goes; two of the same name by id. */
export const inOrder = (nodes: readonly Node[]): Node[] =>
  [...nodes].sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) || (a.id < b.id ? -1 : 1));

/** What is worth a line of each node. Of one that is down, only what still holds. `at` writes a time for people. */
export function factsOf(node: Node, words: ClusterWords, at: (time: string) => string): Fact[] {
  const { agents, agents_max, connections, lag, clock_ahead_ms: ahead } = node;
  const up: Fact[] = [
    { label: words.agents, text: words.agentsOf(agents, agents_max) },
    { label: words.connections, text: String(connections) },
    lag === 0 ? { label: words.index, text: words.indexCurrent } : { label: words.index, text: words.indexBehind(lag), isTrouble: true },
    ...(ahead === undefined ? [] : [clock(ahead, words)]),
    { label: words.upSince, text: at(node.started_at) },
  ];
  const down: Fact[] = [{ label: words.agents, text: words.agentsWere(agents) }];
  return [
    ...(isDown(node) ? down : up),
    { label: words.version, text: node.version },
    ...(node.labels?.length ? [{ label: words.labels, text: node.labels.join(", ") }] : []),
    ...(node.roots?.length ? [{ label: words.folders, text: rootsOf(node).join(", ") }] : []),
    { label: words.id, text: node.id },
  ];
}

function clock(aheadMs: number, words: ClusterWords): Fact {
  if (Math.abs(aheadMs) <= CLOCK_OFF_MS) return { label: words.clock, text: words.clockRight };
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1).replace(/\.0$/, "");
  return { label: words.clock, text: aheadMs > 0 ? words.clockAhead(seconds) : words.clockBehind(seconds), isTrouble: true };
}

/** Folders in which its agents may work. The home folder may be named twice. */
export const rootsOf = ({ roots = [] }: Pick<Node, "roots">): string[] => [...new Set(roots)];

/** The address, if a browser may open it. */
export function linkOf({ address }: Pick<Node, "address">): string | null {
  if (address === undefined || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}

/** The node of a conversation's agent, in a list. */
export function hostName(host: SessionListed["host"], words: ClusterWords): string | null {
  if (!host) return null;
  switch (host.state) {
    case "up": return host.name;
    case "down": return words.nodeDown(host.name);
    case "gone": return words.nodeGone(host.name);
  }
}
