/**
 * Decisions that the server has not confirmed. Stored on this device, one for each ask, until the server rules
 * on it. Answers are idempotent on the server, so sending one twice after a lost connection changes nothing.
 */

import { textOf, tooLarge } from "./frame.ts";
import { refused } from "./trouble.ts";
import { Kept } from "./kept.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ClientFrame, NewAnswer, RefusedServerFrame, ReplyServerFrame } from "./types.ts";
import type { Deed, Sending } from "./view.ts";

export type Parcel =
  | {
      readonly what: "answer";
      readonly answer: NewAnswer;
      /** It was written to a connection, so the server may have it although it never confirmed it. */
      readonly wasSent?: true;
    }
  | { readonly what: "dismiss"; readonly words: string | null }
  | { readonly what: "extend"; readonly seconds: number | null }
  | {
      readonly what: "undo";
      /** The answer may never have arrived; then there is nothing to undo, which is fine too. */
      readonly isSilent?: true;
    };

/** The delay after a temporary refusal, if the server names none. */
const RETRY_MS = 3_000;

export interface OutboxEvents {
  /** Sends a frame and returns its tag, or `null` without a connection. */
  readonly send: (frame: (tag: number) => ClientFrame) => number | "too_large" | null;
  readonly sending: (ask: string, sending: Sending) => void;
  /** Called when the unsent decisions change. */
  readonly unsent: (unsent: ReadonlyMap<string, Deed>) => void;
}

export class Outbox {
  private readonly kept: Kept<Parcel>;
  private readonly flying = new Map<number, { ask: string; parcel: Parcel }>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly events: OutboxEvents;

  constructor(around: Surroundings, prefix: string, events: OutboxEvents) {
    this.events = events;
    this.kept = new Kept(around.storage, `${prefix}.unsent.`);
  }

  /** Adds a decision. It replaces an unsent one for this ask. */
  put(ask: string, parcel: Parcel) {
    this.kept.set(ask, parcel);
    this.events.unsent(this.unsent());
    this.go(ask);
  }

  /**
   * Takes back an unconfirmed decision. Returns whether there was one. What a lost connection may have carried
   * to the server is undone there, over the next connection.
   */
  takeBack(ask: string): boolean {
    const parcel = this.kept.get(ask);
    // A second tap on Undo is not a second undo.
    if (parcel?.what === "undo") return true;
    if (!parcel || this.isFlying(ask)) return false;
    if (parcel.what === "answer" && parcel.wasSent) {
      this.put(ask, { what: "undo", isSilent: true });
      return true;
    }
    clearTimeout(this.timers.get(ask));
    this.kept.delete(ask);
    this.events.unsent(this.unsent());
    this.events.sending(ask, { state: "idle" });
    return true;
  }

  /** Sends everything that may be sent over the new connection. */
  connected() {
    for (const [ask] of this.kept.entries()) this.go(ask);
  }

  /** Requeues what was in flight on the lost connection. */
  lost() {
    const flying = [...this.flying.values()];
    this.flying.clear();
    for (const { ask, parcel } of flying) this.events.sending(ask, { state: "queued", what: parcel.what });
  }

  /** Takes a reply to one of our frames. */
  replied(frame: ReplyServerFrame | RefusedServerFrame): boolean {
    const flying = frame.tag === null ? undefined : this.flying.get(frame.tag);
    if (!flying || frame.tag === null) return false;
    this.flying.delete(frame.tag);
    const { ask, parcel } = flying;
    if (frame.ok) {
      this.over(ask, parcel);
      this.events.sending(ask, { state: "stored", what: parcel.what, late: frame.late === true });
    } else if (frame.error.retry) {
      this.events.sending(ask, { state: "queued", what: parcel.what });
      this.later(ask, (frame.error.retry_after_seconds ?? RETRY_MS / 1000) * 1000);
    } else if (parcel.what === "undo" && parcel.isSilent && frame.error.code === "nothing_to_undo") {
      this.over(ask, parcel);
      this.events.sending(ask, { state: "idle" });
    } else {
      this.over(ask, parcel);
      this.events.sending(ask, { state: "refused", what: parcel.what, because: refused(frame.error) });
    }
    return true;
  }

  /** Returns the state of the stored decision, for an ask that was just loaded. */
  sendingOf(ask: string): Sending | null {
    const parcel = this.kept.get(ask);
    return parcel ? { state: "queued", what: parcel.what } : null;
  }

  /** Returns the answer that the server has not ruled on. */
  answerOf(ask: string): NewAnswer | null {
    const parcel = this.kept.get(ask);
    return parcel?.what === "answer" ? parcel.answer : null;
  }

  /** Returns the decisions that the server has not ruled on, by ask. */
  unsent(): ReadonlyMap<string, Deed> {
    return new Map(this.kept.entries().map(([ask, { what }]) => [ask, what]));
  }

  private over(ask: string, parcel: Parcel) {
    // A newer decision may have been added meanwhile; that one stays.
    if (this.kept.get(ask) === parcel) this.kept.delete(ask);
    else this.go(ask);
    this.events.unsent(this.unsent());
  }

  private go(ask: string) {
    const parcel = this.kept.get(ask);
    if (!parcel || this.isFlying(ask)) return;
    clearTimeout(this.timers.get(ask));
    // Checked before it waits for a connection, while the person is there to shorten it.
    if (textOf(frameOf(Number.MAX_SAFE_INTEGER, ask, parcel)) === null) return this.refuse(ask, parcel);
    const tag = this.events.send((number) => frameOf(number, ask, parcel));
    if (tag === "too_large") return this.refuse(ask, parcel);
    if (tag !== null) this.flying.set(tag, { ask, parcel: this.noted(ask, parcel) });
    this.events.sending(ask, { state: tag === null ? "queued" : "sending", what: parcel.what });
  }

  private refuse(ask: string, parcel: Parcel) {
    this.kept.delete(ask);
    this.events.unsent(this.unsent());
    this.events.sending(ask, { state: "refused", what: parcel.what, because: tooLarge(parcel.what === "answer" ? parcel.answer : undefined) });
  }

  /** Records that an answer was sent, also for a page that is reloaded before the server has ruled on it. */
  private noted(ask: string, parcel: Parcel): Parcel {
    if (parcel.what !== "answer" || parcel.wasSent) return parcel;
    const sent: Parcel = { ...parcel, wasSent: true };
    this.kept.set(ask, sent);
    return sent;
  }

  private isFlying(ask: string): boolean {
    return [...this.flying.values()].some((flying) => flying.ask === ask);
  }

  private later(ask: string, ms: number) {
    clearTimeout(this.timers.get(ask));
    this.timers.set(ask, setTimeout(() => this.go(ask), ms));
  }

  close() {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }
}

function frameOf(tag: number, ask: string, parcel: Parcel): ClientFrame {
  switch (parcel.what) {
    case "answer":
      return { type: "answer", tag, ask, ...parcel.answer };
    case "dismiss":
      return parcel.words === null ? { type: "dismiss", tag, ask } : { type: "dismiss", tag, ask, words: parcel.words };
    case "extend":
      return parcel.seconds === null ? { type: "extend", tag, ask } : { type: "extend", tag, ask, seconds: parcel.seconds };
    case "undo":
      return { type: "undo", tag, ask };
  }
}
