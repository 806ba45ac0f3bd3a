/** Everything a client knows, as one value. */

import type { AskView } from "./view.ts";

export interface State {
  readonly connection: Connection;
  readonly me: { readonly name: string; readonly role: string } | null;
  readonly asks: ReadonlyMap<string, AskView>;
}

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** Lost; the next attempt is at this time, in milliseconds since 1970. */
  | { readonly state: "waiting"; readonly until: number }
  /** The browser itself says that there is no network. */
  | { readonly state: "offline" }
  /** The server does not know our token (any more). */
  | { readonly state: "signed_out" };

export const nothing: State = { connection: { state: "connecting" }, me: null, asks: new Map() };

/** Open asks, the longest waiting first; what is snoozed at `now` is left out. */
export function inbox(state: State, now: number): AskView[] {
  return [...state.asks.values()]
    .filter(({ ask, snoozedUntil }) => ask.state === "open" && (snoozedUntil ?? 0) <= now)
    .sort((a, b) => a.ask.asked_at.localeCompare(b.ask.asked_at) || a.id.localeCompare(b.id));
}
