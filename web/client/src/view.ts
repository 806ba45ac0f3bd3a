/** What a client shows of an ask: what the server says, and what this device is doing about it. */

import type { Ask, By, ErrorCode, NewAnswer, Time } from "./types.ts";

/** An ask as this device knows it. Never changed in place: a new one takes its place. */
export interface AskView {
  readonly id: string;
  /** As the server told it last. Nothing in here is guessed. */
  readonly ask: Ask;
  readonly sending: Sending;
  /** What the person has half written, here or on another device. `null`: nothing. The card knows its shape. */
  readonly draft: unknown;
  /** Hidden from the inbox until then, in milliseconds since 1970. */
  readonly snoozedUntil: number | null;
  /** Of an ask that a list has shortened (`ask.truncated`): the rest is on its way, or could not be had. */
  readonly rest?: "loading" | "failed";
}

/** What became of the last thing that the person did to an ask on this device. `given`: the answer that waits. */
export type Sending =
  | { readonly state: "idle" }
  /** Only on a card without a server: kept back by the page for a moment, so that a slip of the finger can be undone. */
  | { readonly state: "held"; readonly what: Deed; readonly until: number; readonly given?: NewAnswer }
  /** No connection. Kept on this device, sent once there is one. */
  | { readonly state: "queued"; readonly what: Deed; readonly given?: NewAnswer }
  /** On its way to the server, which has not confirmed it. */
  | { readonly state: "sending"; readonly what: Deed; readonly given?: NewAnswer }
  /** The server wrote it down. What becomes of it is in the ask. */
  | { readonly state: "stored"; readonly what: Deed; readonly late: boolean }
  /** The server said no, for instance because somebody else was first. */
  | { readonly state: "refused"; readonly what: Deed; readonly because: Because };

export type Deed = "answer" | "dismiss" | "extend" | "undo";

/** Why something was refused, and who was first if somebody was. */
export interface Because {
  readonly code: ErrorCode | "unreachable";
  readonly detail: string;
  /** What is wrong with the answer to which question. */
  readonly parts: readonly { readonly question?: string; readonly detail: string }[];
  readonly winner: { readonly by: By | null; readonly at: Time } | null;
  readonly retry: boolean;
}

/** Where an ask stands, for a person to see. `ask.parked` and `ask.stranded` come on top of `open`. */
export type Phase =
  | "open"
  | "queued"
  | "sending"
  /** Answered and stored, and it can still be taken back, until `undoUntil`. */
  | "undoable"
  /** Settled by an answer; the agent has not shown yet that it heard. */
  | "stored"
  | "delivered"
  | "dismissed"
  | "expired"
  | "ruled"
  | "withdrawn"
  | "overtaken";

/** Says where an ask stands. What the server knows goes before what this device hopes. */
export function phaseOf(view: AskView): Phase {
  const { ask, sending } = view;
  switch (ask.state) {
    case "open":
      if (sending.state === "held") return "undoable";
      if (sending.state === "queued" && sending.what !== "extend") return "queued";
      if (sending.state === "sending" && sending.what !== "extend") return "sending";
      return "open";
    case "proposed":
      return "undoable";
    case "answered":
      return ask.delivered_at === null ? "stored" : "delivered";
    default:
      return ask.state;
  }
}

/** Until when an answer can be taken back, by the server's clock, which is `ahead` of this one's. `null`: it cannot. */
export function undoUntil(view: AskView, ahead = 0): number | null {
  if (view.ask.state === "open" && view.sending.state === "held") return view.sending.until + ahead;
  if (view.ask.state === "proposed" && view.ask.undo_until) return Date.parse(view.ask.undo_until);
  return null;
}
