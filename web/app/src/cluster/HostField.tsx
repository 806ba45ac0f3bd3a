/** A field for the node that is to run a new agent. */

import type { Node } from "@askbridge/client";
import { clusterWords, type ClusterWords } from "@askbridge/words";
import { languageOf, useSettings } from "../settings.ts";
import { inOrder, isDown } from "./facts.ts";

export interface HostFieldProps {
  readonly nodes: readonly Node[];
  /** The id of the chosen node. Empty, or one that is gone: the server chooses. */
  readonly host: string;
  readonly onHost: (host: string) => void;
}

export function HostField({ nodes, host, onHost }: HostFieldProps) {
  const words = clusterWords[languageOf(useSettings())];
  const isKnown = nodes.some(({ id }) => id === host);
  return (
    <label className="app-field">
      <span>{words.node}</span>
      <select className="app-select" value={isKnown ? host : ""} onChange={({ target }) => onHost(target.value)}>
        <option value="">{words.nodeAny}</option>
        {/* One that is down starts nothing. */}
        {inOrder(nodes).map((node) => <option key={node.id} value={node.id} disabled={isDown(node)}>{nameOf(node, words)}</option>)}
      </select>
      <small>{words.nodeMore}</small>
    </label>
  );
}

function nameOf(node: Node, words: ClusterWords): string {
  if (isDown(node)) return words.nodeDown(node.name);
  return node.labels?.length ? words.nodeLabelled(node.name, node.labels.join(", ")) : node.name;
}
