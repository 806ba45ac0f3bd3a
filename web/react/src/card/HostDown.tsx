/** Says that the node of the agent is down, since when, and what becomes of an answer meanwhile. */

import type { Ask } from "@askbridge/client";
import { useNow } from "../now.ts";
import { Seen } from "../text/Seen.tsx";
import { useSpoken, useWords } from "../wording.tsx";
import { hostDown } from "./host_down.ts";
import { Notice } from "./Notice.tsx";

export const isHostDown = ({ host }: Pick<Ask, "host">): boolean => host?.state === "down";

export function HostDown({ ask }: { readonly ask: Pick<Ask, "host"> }) {
  const words = useWords();
  const language = useSpoken();
  const now = useNow(isHostDown(ask));
  // Of one that is gone, the card says already that the way back to the agent is.
  const text = isHostDown(ask) ? hostDown(ask.host, now, words, language) : null;
  if (text === null) return null;
  return (
    <Notice icon="broken" tone="lantern">
      <p>
        <Seen text={text} />
      </p>
    </Notice>
  );
}
