/** The nodes that share the journal: how they are, and what one that is down means for people. */

import { useId, useState } from "react";
import type { Cluster, Node, NodeForgotten } from "@askbridge/client";
import { Seen, useBridge } from "@askbridge/react";
import { clusterWords } from "@askbridge/words";
import { languageOf, useSettings } from "../settings.ts";
import { Link } from "../router.tsx";
import { clock, useNow } from "../time.ts";
import { Page } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";
import { Forget } from "./Forget.tsx";
import { factsOf, inOrder, isClockOff, isDown, linkOf } from "./facts.ts";
import { useKeptCluster } from "./keep.ts";
import "./cluster.css";

/** How often the nodes are read while this page is seen. */
const READ_EVERY_MS = 3_000;

export function ClusterPage() {
  const words = clusterWords[languageOf(useSettings())];
  const cluster = useBridge((state) => state.cluster);
  const role = useBridge((state) => state.me?.role);
  const trouble = useKeptCluster(READ_EVERY_MS);
  const isBarred = role !== undefined && role !== "operator";
  return (
    <Page title={words.title} wide actions={<Link className="app-button app-button-quiet" href="/settings">{words.back}</Link>}>
      <div className="app-form">
        {trouble && <p className="app-trouble" role="alert">{words.notFresh(trouble)}</p>}
        {isBarred && <p className="app-note">{words.onlyOperators}</p>}
        {!isBarred && !cluster && !trouble && <Unknown />}
        {cluster?.alone && <p className="app-note">{words.alone}</p>}
        {cluster && !cluster.alone && <Nodes cluster={cluster} />}
      </div>
    </Page>
  );
}

export function Nodes({ cluster }: { readonly cluster: Cluster }) {
  const words = clusterWords[languageOf(useSettings())];
  const nodes = inOrder(cluster.nodes);
  const here = nodes.find(({ id }) => id === cluster.here);
  const [gone, setGone] = useState<{ readonly name: string; readonly of: NodeForgotten } | null>(null);
  return (
    <>
      <div>
        {/* Read aloud when a node goes or comes. */}
        <p className="app-nodes-sum" role="status">{words.howMany(nodes.length, nodes.filter(isDown).length)}</p>
        <p className="app-note">{words.anyNode}</p>
        <p className="app-note" role="status">{gone && <Seen text={words.forgotten(gone.name, gone.of.sessions, gone.of.asks)} />}</p>
      </div>
      {cluster.holds_back && <p className="app-trouble" role="alert"><Seen text={words.holdsBack(here?.name ?? cluster.here, cluster.holds_back)} /></p>}
      <ul className="app-nodes" aria-label={words.nodes}>
        {nodes.map((node) => <NodeItem key={node.id} node={node} isHere={node.id === cluster.here} onForgotten={(of) => setGone({ name: node.name, of })} />)}
      </ul>
    </>
  );
}

function NodeItem({ node, isHere, onForgotten }: { readonly node: Node; readonly isHere: boolean; readonly onForgotten: (of: NodeForgotten) => void }) {
  const language = languageOf(useSettings());
  const words = clusterWords[language];
  const now = useNow(30_000);
  const title = useId();
  const at = (time: string) => clock(Date.parse(time), now, language);
  const link = linkOf(node);
  return (
    <li className="app-node" data-state={node.state}>
      <section aria-labelledby={title}>
        <header>
          <h2 id={title}><Seen text={node.name} /></h2>
          <span className="app-node-state"><span className="app-node-dot" aria-hidden="true" />{isDown(node) ? (node.since ? words.downSince(at(node.since)) : words.down) : words.up}</span>
          {isHere && <span className="app-chip">{words.here}</span>}
        </header>
        {isDown(node) && (
          <div className="app-node-means">
            <p><Seen text={words.downMeans(node.name)} /></p>
            <p><InCode text={words.downDo(node.name)} /></p>
            <Forget node={node} onForgotten={onForgotten} />
          </div>
        )}
        {isClockOff(node) && <p className="app-node-means">{words.clockOff}</p>}
        <dl>
          {node.address && <div><dt>{words.address}</dt><dd>{link ? <a href={link} rel="noreferrer"><Seen text={node.address} /></a> : <Seen text={node.address} />}</dd></div>}
          {factsOf(node, words, at).map(({ label, text, isTrouble }) => (
            <div key={label} data-trouble={isTrouble ? "" : undefined}><dt>{label}</dt><dd><Seen text={text} /></dd></div>
          ))}
        </dl>
      </section>
    </li>
  );
}

/** A sentence with commands between backticks. */
function InCode({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : <Seen key={at} text={part} />))}</>;
}
