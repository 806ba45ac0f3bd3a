/** Everything a client knows, as one value. */

import type { BlockKind, Session, SessionListed } from "./types.ts";
import type { Transcript } from "./transcript.ts";
import type { AskView, Deed } from "./view.ts";

export interface State {
  readonly connection: Connection;
  readonly me: { readonly name: string; readonly role: string } | null;
  /** How many milliseconds the server's clock is ahead of this device's. Deadlines are kept by the server's. */
  readonly ahead: number;
  /** Changes when a device of this person came, went or was renamed, here or elsewhere. */
  readonly devicesChanged: number;
  /** What this person does not want to see for a while, and until when, by the server's clock. */
  readonly snoozes: ReadonlyMap<string, number>;
  /** Everything open, and what ended while we looked. */
  readonly asks: ReadonlyMap<string, AskView>;
  /** Asks that are known to exist and are not here yet. */
  readonly preparing: ReadonlySet<string>;
  /** Has the server told us, at least once, what is open? Until then an empty inbox means nothing. */
  readonly synced: boolean;
  /** What is here was kept on this device, and was true then (milliseconds since 1970, by this device's clock). `null`: the server has told it. */
  readonly rememberedAt: number | null;
  /** What was decided on this device and waits to be sent, by ask. */
  readonly unsent: ReadonlyMap<string, Deed>;
  /** Asks that the server does not know (any more), and whether an answer to one was lost with it. */
  readonly gone: ReadonlyMap<string, { readonly answer: "none" | "lost" }>;
  readonly sessions: Sessions;
  /** Conversations that are being looked at. */
  readonly conversations: ReadonlyMap<string, Conversation>;
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

export interface Sessions {
  /** Newest first. */
  readonly items: readonly SessionListed[];
  /** The next page, if there is one. */
  readonly next: string | null;
  readonly loaded: boolean;
}

/** A conversation that is being looked at. */
export interface Conversation {
  /** `null` until it is known. */
  readonly session: Session | null;
  readonly transcript: Transcript;
  /** Older entries are there, before the first one here. */
  readonly older: boolean;
  readonly loading: boolean;
  /** It could not be loaded; why. */
  readonly failed: string | null;
  /** It was forgotten, here or elsewhere, while we looked. */
  readonly gone?: true;
  /** Text that is being written right now. */
  readonly live: Live | null;
}

/** A block of text that grows. */
export interface Live {
  /** What it is that grows. Of `asking` the text is JSON that is not whole yet: see `unfinished`. */
  readonly kind: BlockKind;
  readonly block: number;
  readonly text: string;
  /** How many bytes `text` has on the wire, where offsets are counted. */
  readonly bytes: number;
}

export const nothing: State = {
  connection: { state: "connecting" },
  me: null,
  ahead: 0,
  devicesChanged: 0,
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

/** The time by the server's clock, which every time in an ask is of. */
export const serverTime = (state: State, now: number): number => now + state.ahead;

/** Open asks, the longest waiting first; what is snoozed at `now` is left out. */
export function inbox(state: State, now: number): AskView[] {
  return [...state.asks.values()]
    .filter((view) => isWaiting(view) && !isSnoozed(view, now))
    .sort((a, b) => compare(a.ask.asked_at, b.ask.asked_at) || compare(a.id, b.id));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export const isWaiting = (view: AskView) => view.ask.state === "open";

export const isSnoozed = (view: AskView, now: number) => (view.snoozedUntil ?? 0) > now;

/** How many asks wait for the person: all, or those of one session. What is snoozed does not count. */
export function waitingForPerson(state: State, now: number, session?: string): number {
  let waiting = 0;
  for (const view of state.asks.values()) {
    if (isWaiting(view) && !isSnoozed(view, now) && (!session || view.ask.session === session)) waiting += 1;
  }
  return waiting;
}
