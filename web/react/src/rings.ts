/** Where an ask rang: only the ask itself says it, so an open card fetches it, and again when something may have changed. */

import { useEffect, useRef, useState } from "react";
import type { Ask, Client, Ring } from "@askbridge/client";

/** The minimum time between two requests. */
const PAUSE_MS = 3_000;
/** Ringing is no event of the ask, so a card that waits also looks by itself. */
const AGAIN_MS = 20_000;

/** Returns the rings of an ask. `null`: not known. `ask`: what is known of it so far; without it nothing is fetched. */
export function useRings(client: Client, isLive: boolean, id: string, ask: Ask | undefined): readonly Ring[] | null {
  const [known, setKnown] = useState<{ readonly id: string; readonly rings: readonly Ring[] } | null>(null);
  const watcher = useRef<RingWatcher | null>(null);
  const isHere = ask !== undefined;
  const isOpen = ask?.state === "open" || ask?.state === "proposed";

  useEffect(() => {
    if (!isLive || !isHere) return;
    const own = new RingWatcher(client, id, (rings) => setKnown({ id, rings }));
    watcher.current = own;
    own.look();
    return () => own.stop();
  }, [client, id, isLive, isHere]);
  // Every event of the ask makes a new object of it.
  useEffect(() => watcher.current?.look(), [ask]);
  useEffect(() => {
    if (!isOpen || !isLive) return;
    const timer = setInterval(() => document.visibilityState === "visible" && watcher.current?.look(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOpen, isLive]);
  return known?.id === id ? known.rings : null;
}

/** Fetches the rings of one ask, at most every few seconds; wishes that come sooner are put together. */
export class RingWatcher {
  private readonly client: Pick<Client, "api">;
  private readonly id: string;
  private readonly tell: (rings: readonly Ring[]) => void;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(client: Pick<Client, "api">, id: string, tell: (rings: readonly Ring[]) => void) {
    this.client = client;
    this.id = id;
    this.tell = tell;
  }

  look() {
    if (this.isStopped || this.timer !== undefined) return;
    const wait = Math.max(0, this.lookedAt + PAUSE_MS - Date.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.lookedAt = Date.now();
      // Without a response the last known ones stay.
      this.client.api.ask(this.id).then(({ rings }) => this.isStopped || this.tell(rings ?? []), () => undefined);
    }, wait);
  }

  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
