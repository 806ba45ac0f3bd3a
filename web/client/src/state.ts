/** The state of a client, as one value. */

import type { BlockKind, Cluster, Session, SessionListed } from "./types.ts";
import type { Transcript } from "./transcript.ts";
import type { AskView, Deed } from "./view.ts";

export interface State {
  readonly connection: Connection;
  readonly me: { readonly name: string; readonly role: string } | null;
  /** How many milliseconds the server's clock is ahead of this device's. Deadlines are by the server's clock. */
  readonly ahead: number;
  /** Changes when a device of this person was paired, removed or renamed, here or elsewhere. */
  readonly devicesChanged: number;
  /** Changes when a way in which this person is reached came, went or was changed, or works no longer or again. */
  readonly channelsChanged: number;
  /** The nodes that share the journal, as they were when they were last read. `null`: they were not, or the person may not. */
  readonly cluster: Cluster | null;
  /** Asks that this person has snoozed, and until when, by the server's clock. */
  readonly snoozes: ReadonlyMap<string, number>;
  /** All open asks, and those that ended while the page was open. */
  readonly asks: ReadonlyMap<string, AskView>;
  /** Asks that are known to exist and are not loaded yet. */
  readonly preparing: ReadonlySet<string>;
  /** Has the server told us, at least once, which asks are open? Until then an empty inbox means nothing. */
  readonly synced: boolean;
  /** When the stored state was true (milliseconds since 1970, by this device's clock). `null`: the state is from the server. */
  readonly rememberedAt: number | null;
  /** Decisions made on this device that are not sent yet, by ask. */
  readonly unsent: ReadonlyMap<string, Deed>;
  /** Asks that the server does not know (any more), and whether an answer to one was lost with it. */
  readonly gone: ReadonlyMap<string, { readonly answer: "none" | "lost" }>;
  readonly sessions: Sessions;
  /** Conversations on screen. */
  readonly conversations: ReadonlyMap<string, Conversation>;
}

export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** Lost; the next attempt is at this time, in milliseconds since 1970. */
  | { readonly state: "waiting"; readonly until: number }
  /** The browser reports that there is no network. */
  | { readonly state: "offline" }
  /** The server does not know our token (any more). */
  | { readonly state: "signed_out" };

export interface Sessions {
  /** Newest first. */
  readonly items: readonly SessionListed[];
  /** The next page, if there is one. */
  readonly next: string | null;
  readonly loaded: boolean;
}

/** A conversation on screen. */
export interface Conversation {
  /** `null` until it is known. */
  readonly session: Session | null;
  readonly transcript: Transcript;
  /** There are older entries before the first loaded one. */
  readonly older: boolean;
  readonly loading: boolean;
  /** Why it could not be loaded. */
  readonly failed: string | null;
  /** It was forgotten, here or elsewhere, while it was on screen. */
  readonly gone?: true;
  /** Text that is being streamed. */
  readonly live: Live | null;
}

/** A block of text that is being streamed. */
export interface Live {
  /** The kind of block. The text of `asking` is incomplete JSON: see `unfinished`. */
  readonly kind: BlockKind;
  readonly block: number;
  readonly text: string;
  /** The length of `text` in bytes on the wire, where offsets are counted. */
  readonly bytes: number;
}

export const nothing: State = {
  connection: { state: "connecting" },
  me: null,
  ahead: 0,
  devicesChanged: 0,
  channelsChanged: 0,
  cluster: null,
  snoozes: new Map(),
  asks: new Map(),
  preparing: new Set(),
  synced: false,
  rememberedAt: null,
  unsent: new Map(),
  gone: new Map(),
  sessions: { items: [], next: null, loaded: false },
  conversations: new Map(),
};

/** Returns the time by the server's clock, as in every ask. */
export const serverTime = (state: State, now: number): number => now + state.ahead;

/** Returns the open asks, the longest waiting first, without those snoozed at `now`. */
export function inbox(state: State, now: number): AskView[] {
  return [...state.asks.values()]
    .filter((view) => isWaiting(view) && !isSnoozed(view, now))
    .sort((a, b) => compare(a.ask.asked_at, b.ask.asked_at) || compare(a.id, b.id));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const isWaiting = (view: AskView) => view.ask.state === "open";

export const isSnoozed = (view: AskView, now: number) => (view.snoozedUntil ?? 0) > now;

/** Counts the asks that wait for the person: all, or those of one session. Snoozed ones do not count. */
export function waitingForPerson(state: State, now: number, session?: string): number {
  let waiting = 0;
  for (const view of state.asks.values()) {
    if (isWaiting(view) && !isSnoozed(view, now) && (!session || view.ask.session === session)) waiting += 1;
  }
  return waiting;
}
