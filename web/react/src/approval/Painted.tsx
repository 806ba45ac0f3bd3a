/** Code in colours, with everything in it visible. */

import { useMemo } from "react";
import { Seen } from "../text/Seen.tsx";
import { paint, type Tongue } from "./paint.ts";

export function Painted({ code, tongue }: { readonly code: string; readonly tongue: Tongue }) {
  const stains = useMemo(() => paint(code, tongue), [code, tongue]);
  return (
    <>
      {stains.map(({ ink, text }, at) =>
        ink === "plain" ? (
          <Seen key={at} text={text} />
        ) : (
          <span key={at} data-ink={ink}>
            <Seen text={text} />
          </span>
        ),
      )}
    </>
  );
}
