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

/** Returns the same object if nothing in it is outdated. A node that is not known any more was declared gone: what was said last stays. */
function heeded<T extends Hosted>(of: T, nodes: ReadonlyMap<string, Node>): T {
  const node = of.host && nodes.get(of.host.id);
  if (!of.host || !node) return of;
  const isSame = of.host.state === node.state && of.host.since === node.since && of.host.name === node.name;
  return isSame ? of : { ...of, host: hostOf(node) };
}

/** A node, as asks and conversations name it. */
const hostOf = ({ id, name, state, since }: Node): Host => ({ id, name, state, ...(since === undefined ? {} : { since }) });
