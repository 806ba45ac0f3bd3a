/** Says on every page that a channel of the person does not work: they would wait for a ring that never comes. */

import { useEffect, useState } from "react";
import type { Channel } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { useReachWords } from "../words.ts";
import { Link } from "../router.tsx";

/** The channels that do not work, read again whenever the server says that one has changed. */
export function useBrokenChannels(): readonly Channel[] {
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const changed = useBridge((state) => state.channelsChanged);
  const [broken, setBroken] = useState<readonly Channel[]>([]);
  useEffect(() => {
    if (!isLive) return;
    let isStale = false;
    // Those who have no channels are refused: bots, and people without a device.
    client.api.channels().then(({ items }) => isStale || setBroken(items.filter((channel) => channel.broken)), () => undefined);
    return () => void (isStale = true);
  }, [client, isLive, changed]);
  return broken;
}

export function BrokenBanner() {
  const words = useReachWords();
  const [first] = useBrokenChannels();
  if (!first) return null;
  return <p className="app-banner"><span>{words.brokenElsewhere(first.name)}</span><Link href="/settings/reach">{words.brokenLook}</Link></p>;
}
