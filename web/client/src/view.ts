/** What a client shows of an ask: the server's view, and what this device is doing about it. */

import type { Ask, By, ErrorCode, NewAnswer, Time } from "./types.ts";

/** An ask as this device knows it. Immutable: each change makes a new one. */
export interface AskView {
  readonly id: string;
  /** As the server last sent it. Nothing in it is guessed. */
  readonly ask: Ask;
  readonly sending: Sending;
  /** The person's draft, from here or another device. `null`: none. The card knows its shape. */
  readonly draft: unknown;
  /** Hidden from the inbox until then, in milliseconds since 1970. */
  readonly snoozedUntil: number | null;
  /** For an ask that a list has shortened (`ask.truncated`): the rest is being fetched, or could not be. */
  readonly rest?: "loading" | "failed";
}

/** The state of the last thing that the person did to an ask on this device. `given`: the answer that waits. */
export type Sending =
  | { readonly state: "idle" }
  /** Only on a card without a server: held by the page for a moment, so that a slip of the finger can be undone. */
  | { readonly state: "held"; readonly what: Deed; readonly until: number; readonly given?: NewAnswer }
  /** No connection. Stored on this device, sent once there is one. */
  | { readonly state: "queued"; readonly what: Deed; readonly given?: NewAnswer }
  /** On its way to the server, which has not confirmed it. */
  | { readonly state: "sending"; readonly what: Deed; readonly given?: NewAnswer }
  /** The server has stored it. The outcome is in the ask. */
  | { readonly state: "stored"; readonly what: Deed; readonly late: boolean }
  /** The server refused it, for instance because another person was first. */
  | { readonly state: "refused"; readonly what: Deed; readonly because: Because };

export type Deed = "answer" | "dismiss" | "extend" | "undo";

/** Why something was refused, and who was first, if another person was. */
export interface Because {
  readonly code: ErrorCode | "unreachable";
  readonly detail: string;
  /** What is wrong with the answer, by question. */
  readonly parts: readonly { readonly question?: string; readonly detail: string }[];
  readonly winner: { readonly by: By | null; readonly at: Time } | null;
  readonly retry: boolean;
}

/** The state of an ask for a person. `ask.parked` and `ask.stranded` come on top of `open`. */
export type Phase =
  | "open"
  | "queued"
  | "sending"
  /** Answered and stored, and can still be undone, until `undoUntil`. */
  | "undoable"
  /** Settled by an answer; there is no proof yet that the agent received it. */
  | "stored"
  | "delivered"
  | "dismissed"
  | "expired"
  | "ruled"
  | "withdrawn"
  | "overtaken";

/** Returns the state of an ask. What the server says takes precedence over what this device has sent. */
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

/** Returns until when an answer can be undone, by the server's clock, which is `ahead` of this one's. `null`: it cannot. */
export function undoUntil(view: AskView, ahead = 0): number | null {
  if (view.ask.state === "open" && view.sending.state === "held") return view.sending.until + ahead;
  if (view.ask.state === "proposed" && view.ask.undo_until) return Date.parse(view.ask.undo_until);
  return null;
}
