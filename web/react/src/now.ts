/** The time, for what is on the screen. */

import { useSyncExternalStore } from "react";

const SECOND = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for everything that counts, however many cards there are. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, SECOND);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const rest = () => () => {};

/** Milliseconds since 1970, in steps of a second while `ticks`, otherwise as it was at the last drawing. */
export function useNow(ticks = true): number {
  return useSyncExternalStore(ticks ? subscribe : rest, () => Math.floor(Date.now() / SECOND) * SECOND);
}
