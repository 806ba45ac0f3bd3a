/**
 * Keeps what asks and conversations say about the node of their agent equal to what is known of the nodes. Pure.
 *
 * That a node went down or came back is no event of any conversation, so nothing else would tell.
 */

import type { State } from "./state.ts";
import type { Cluster, Host, Node } from "./types.ts";

interface Hosted {
  readonly host?: Host;
}

export function heedNodes(state: State, cluster: Cluster): State {
  const nodes = new Map(cluster.nodes.map((node) => [node.id, node]));
  const asks = new Map(state.asks);
  let changed = false;
  for (const [id, view] of state.asks) {
    const ask = heeded(view.ask, nodes);
    if (ask === view.ask) continue;
    changed = true;
    asks.set(id, { ...view, ask });
  }
  const items = state.sessions.items.map((item) => heeded(item, nodes));
  const conversations = new Map([...state.conversations].map(([id, it]) => [id, it.session ? { ...it, session: heeded(it.session, nodes) } : it]));
  return {
    ...state,
    cluster,
    asks: changed ? asks : state.asks,
    sessions: items.some((item, at) => item !== state.sessions.items[at]) ? { ...state.sessions, items } : state.sessions,
    conversations: [...conversations].some(([id, it]) => it.session !== state.conversations.get(id)?.session) ? conversations : state.conversations,
  };
}

/** Returns the same object if nothing in it is outdated. */
function heeded<T extends Hosted>(of: T, nodes: ReadonlyMap<string, Node>): T {
  const { host } = of;
  if (!host) return of;
  const now = hostOf(host, nodes.get(host.id));
  const isSame = host.state === now.state && host.since === now.since && host.name === now.name;
  return isSame ? of : { ...of, host: now };
}

/**
 * A node, as asks and conversations name it. One that was down and is not among the nodes any more was declared gone. One
 * that was up may be newer than the list.
 */
function hostOf(host: Host, node: Node | undefined): Host {
  const { id, name } = node ?? host;
  if (!node) return host.state === "down" ? { id, name, state: "gone" } : host;
  return { id, name, state: node.state, ...(node.since === undefined ? {} : { since: node.since }) };
}
