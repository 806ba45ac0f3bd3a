/** What a client needs from its environment. A browser provides all of it. */

export interface Surroundings {
  readonly fetch: typeof fetch;
  readonly WebSocket: new (address: string) => WebSocket;
  /** Stores drafts and unsent answers across a reload. `null`: they are in memory only. */
  readonly storage: Store | null;
  readonly now: () => number;
  /** A random number from 0 to 1, for the jitter of retries. */
  readonly chance: () => number;
  /** The window, if there is one: for events when the network or the page comes and goes. */
  readonly window: Pick<Window, "addEventListener" | "removeEventListener"> | null;
  readonly document: Pick<Document, "addEventListener" | "removeEventListener" | "visibilityState"> | null;
  readonly isOnline: () => boolean;
}

/** The part of the Web Storage API that is used. */
export type Store = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export function browser(): Surroundings {
  return {
    fetch: globalThis.fetch.bind(globalThis),
    WebSocket: globalThis.WebSocket,
    storage: storage(),
    now: Date.now,
    chance: Math.random,
    window: typeof window === "undefined" ? null : window,
    document: typeof document === "undefined" ? null : document,
    isOnline: () => typeof navigator === "undefined" || navigator.onLine !== false,
  };
}

function storage(): Store | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    // A browser that is set to store nothing.
    return null;
  }
}
