/** Shown in place of what is not loaded yet: that it is loading, or, once it is clear that nothing comes, why. */

import { useEffect, useState, type ReactNode } from "react";
import { useBridge } from "@askbridge/react";
import { useWords } from "../words.ts";

export function Unknown({ children }: { readonly children?: ReactNode }) {
  const words = useWords();
  const isAway = useBridge(({ connection }) => connection.state === "waiting" || connection.state === "offline");
  const isLive = useBridge(({ connection }) => connection.state === "live");
  const [isLong, setLong] = useState(false);
  // Between two attempts the connection says "connecting": the explanation stays until it has connected.
  useEffect(() => {
    if (isAway) setLong(true);
    else if (isLive) setLong(false);
  }, [isAway, isLive]);
  return (
    <div className="app-note app-unknown" role="status">
      {isAway || isLong ? (children ?? <p>{words.notKnownYet}</p>) : <p>{words.looking}</p>}
    </div>
  );
}
