/** Declares a node gone that will not come back, once the person has confirmed it. */

import { useState } from "react";
import { Trouble, type Node, type NodeForgotten } from "@askbridge/client";
import { Seen, useClient } from "@askbridge/react";
import { clusterWords } from "@askbridge/words";
import { languageOf, useSettings } from "../settings.ts";
import { useWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";

export function Forget({ node, onForgotten }: { readonly node: Node; readonly onForgotten: (of: NodeForgotten) => void }) {
  const words = useWords();
  const nodes = clusterWords[languageOf(useSettings())];
  const client = useClient();
  const [asking, setAsking] = useState(false);
  // The focus goes where the person was.
  const [wasAsked, setWasAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const forget = async () => {
    setBusy(true);
    try {
      onForgotten(await client.api.forgetNode(node.id));
      await client.loadCluster().catch(() => undefined);
    } catch (error) {
      setTrouble(error instanceof Trouble ? error.message : String(error));
      setAsking(false);
    } finally {
      setBusy(false);
    }
  };
  if (!asking) {
    return (
      <>
        {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
        <Button kind="quiet" aria-label={nodes.forgetNamed(node.name)} onClick={() => { setTrouble(null); setAsking(true); setWasAsked(true); }} autoFocus={wasAsked}>{nodes.forget}</Button>
      </>
    );
  }
  return (
    <div className="app-node-forget">
      <p role="status"><Seen text={nodes.forgetMeans(node.name)} /></p>
      <span className="app-sure">
        <Button kind="stop" disabled={busy} onClick={() => void forget()}>{nodes.forgetNow}</Button>
        <Button kind="quiet" autoFocus onClick={() => setAsking(false)}>{words.cancel}</Button>
      </span>
    </div>
  );
}
