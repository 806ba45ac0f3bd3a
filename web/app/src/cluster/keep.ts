/** Keeps what is known of the nodes fresh, while the page can be seen. */

import { useEffect, useState } from "react";
import { Trouble } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";

/**
 * Reads the nodes at this interval. Where a server has its journal for itself, they are read once for each connection.
 * Returns why they could not be read the last time.
 */
export function useKeptCluster(everyMs: number): string | null {
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const mayRead = useBridge((state) => state.me?.role === "operator");
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    if (!isLive || !mayRead) return;
    let isOver = false;
    let isReading = false;
    let isAlone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A page that nobody sees reads nothing; it goes on once it is seen.
    const read = async () => {
      if (isReading || isAlone || document.visibilityState !== "visible") return;
      clearTimeout(timer);
      isReading = true;
      const why = await client.loadCluster().then(
        ({ alone }) => {
          isAlone = alone;
          return null;
        },
        (error: unknown) => (error instanceof Trouble ? error.message : String(error)),
      );
      isReading = false;
      if (isOver) return;
      setTrouble(why);
      if (!isAlone) timer = setTimeout(() => void read(), everyMs);
    };
    const look = () => void read();
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [client, isLive, mayRead, everyMs]);
  return trouble;
}
