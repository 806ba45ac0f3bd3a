/**
 * What the person decided and the server has not confirmed. Kept on this device, one for each ask, until the server rules
 * on it: the same answer again is no news to it, so sending twice after a lost connection changes nothing.
 */

import { textOf, tooLarge } from "./frame.ts";
import { refused } from "./trouble.ts";
import { Kept } from "./kept.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ClientFrame, NewAnswer, RefusedServerFrame, ReplyServerFrame } from "./types.ts";
import type { Deed, Sending } from "./view.ts";

export type Parcel =
  | { readonly what: "answer"; readonly answer: NewAnswer; readonly notBefore: number | null }
  | { readonly what: "dismiss"; readonly words: string | null }
  | { readonly what: "extend"; readonly seconds: number | null }
  | { readonly what: "undo" };

/** How long a refusal that may pass keeps a parcel back, if the server names no time. */
const RETRY_MS = 3_000;

export interface OutboxEvents {
  /** Sends a frame and returns its tag, or `null` without a connection. */
  readonly send: (frame: (tag: number) => ClientFrame) => number | "too_large" | null;
  readonly sending: (ask: string, sending: Sending) => void;
  /** What waits to be sent is not what it was. */
  readonly unsent: (unsent: ReadonlyMap<string, Deed>) => void;
}

export class Outbox {
  private readonly kept: Kept<Parcel>;
  private readonly flying = new Map<number, { ask: string; parcel: Parcel }>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly around: Surroundings;
  private readonly events: OutboxEvents;

  constructor(around: Surroundings, prefix: string, events: OutboxEvents) {
    this.around = around;
    this.events = events;
    this.kept = new Kept(around.storage, `${prefix}.unsent.`);
  }

  /** Puts something in. It takes the place of what was there for this ask and has not been sent. */
  put(ask: string, parcel: Parcel) {
    this.kept.set(ask, parcel);
    this.events.unsent(this.unsent());
    this.go(ask);
  }

  /** Takes back what was not sent. Returns whether there was something. */
  takeBack(ask: string): boolean {
    const parcel = this.kept.get(ask);
    if (!parcel || [...this.flying.values()].some((flying) => flying.ask === ask)) return false;
    clearTimeout(this.timers.get(ask));
    this.kept.delete(ask);
    this.events.unsent(this.unsent());
    this.events.sending(ask, { state: "idle" });
    return true;
  }

  /** There is a connection: everything goes out that may. */
  connected() {
    for (const [ask] of this.kept.entries()) this.go(ask);
  }

  /** The connection is gone. What was on its way waits for the next one. */
  lost() {
    const flying = [...this.flying.values()];
    this.flying.clear();
    for (const { ask, parcel } of flying) this.events.sending(ask, { state: "queued", what: parcel.what });
  }

  /** Takes a reply to something of ours. */
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
    } else {
      this.over(ask, parcel);
      this.events.sending(ask, { state: "refused", what: parcel.what, because: refused(frame.error) });
    }
    return true;
  }

  /** How what is kept for an ask stands, for an ask that has just become known. */
  sendingOf(ask: string): Sending | null {
    const parcel = this.kept.get(ask);
    if (!parcel) return null;
    const isHeld = parcel.what === "answer" && parcel.notBefore !== null && parcel.notBefore > this.around.now();
    return isHeld ? { state: "held", what: "answer", until: parcel.notBefore } : { state: "queued", what: parcel.what };
  }

  /** The answer that waits for the server's word. */
  answerOf(ask: string): NewAnswer | null {
    const parcel = this.kept.get(ask);
    return parcel?.what === "answer" ? parcel.answer : null;
  }

  /** What the server has not ruled on, by ask. */
  unsent(): ReadonlyMap<string, Deed> {
    return new Map(this.kept.entries().map(([ask, { what }]) => [ask, what]));
  }

  /** Answers that are kept back for undoing, for whoever has to send them because the page is being left. */
  held(): [string, NewAnswer][] {
    const now = this.around.now();
    return this.kept.entries().flatMap(([ask, parcel]) =>
      parcel.what === "answer" && parcel.notBefore !== null && parcel.notBefore > now ? [[ask, parcel.answer] as [string, NewAnswer]] : [],
    );
  }

  /** The page is being left: what is held goes now, if it can. */
  hurry() {
    for (const [ask, parcel] of this.kept.entries()) {
      if (parcel.what !== "answer" || parcel.notBefore === null) continue;
      this.kept.set(ask, { ...parcel, notBefore: null });
      this.go(ask);
    }
  }

  private over(ask: string, parcel: Parcel) {
    // Somebody may have put in something newer meanwhile; that stays.
    if (this.kept.get(ask) === parcel) this.kept.delete(ask);
    else this.go(ask);
    this.events.unsent(this.unsent());
  }

  private go(ask: string) {
    const parcel = this.kept.get(ask);
    if (!parcel || [...this.flying.values()].some((flying) => flying.ask === ask)) return;
    clearTimeout(this.timers.get(ask));
    // Before it is held or waits for a connection: the person is still there to shorten it.
    if (textOf(frameOf(Number.MAX_SAFE_INTEGER, ask, parcel)) === null) return this.refuse(ask, parcel);
    const wait = parcel.what === "answer" && parcel.notBefore !== null ? parcel.notBefore - this.around.now() : 0;
    if (parcel.what === "answer" && parcel.notBefore !== null && wait > 0) {
      this.events.sending(ask, { state: "held", what: "answer", until: parcel.notBefore });
      return this.later(ask, wait);
    }
    const tag = this.events.send((number) => frameOf(number, ask, parcel));
    if (tag === "too_large") return this.refuse(ask, parcel);
    if (tag !== null) this.flying.set(tag, { ask, parcel });
    this.events.sending(ask, { state: tag === null ? "queued" : "sending", what: parcel.what });
  }

  private refuse(ask: string, parcel: Parcel) {
    this.kept.delete(ask);
    this.events.unsent(this.unsent());
    this.events.sending(ask, { state: "refused", what: parcel.what, because: tooLarge(parcel.what === "answer" ? parcel.answer : undefined) });
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
