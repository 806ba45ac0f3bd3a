/** The current time, for what is on the screen. */

import { createContext, useContext, useSyncExternalStore } from "react";

/** How many milliseconds the server's clock is ahead of this device's. */
export const Ahead = createContext(0);

export const useAhead = (): number => useContext(Ahead);

const SECOND = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all countdowns, however many cards there are. */
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

/**
 * Milliseconds since 1970 by the server's clock, in steps of a second while `ticks`, otherwise as of the last
 * render. A device with a wrong clock shows the same countdown as all others.
 */
export function useNow(ticks = true): number {
  const ahead = useAhead();
  return useSyncExternalStore(ticks ? subscribe : rest, () => Math.floor((Date.now() + ahead) / SECOND) * SECOND);
}
