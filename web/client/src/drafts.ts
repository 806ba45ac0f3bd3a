/**
 * Drafts: stored here at once, sent when the person pauses, shown on their other devices. What the server echoes
 * never overwrites what is being typed.
 */

import { Kept } from "./kept.ts";
import type { Surroundings } from "./surroundings.ts";

const PAUSE_MS = 400;
/** Our own drafts come back as an echo, perhaps after newer ones were typed. This many are recognised. */
const ECHOES_MAX = 16;

export interface DraftEvents {
  /** Sends a draft and returns the tag, or `null` without a connection. One that is too large stays on this device. */
  readonly send: (ask: string, draft: unknown) => number | "too_large" | null;
  readonly draft: (ask: string, draft: unknown) => void;
}

export class Drafts {
  /** Drafts that the server does not have. */
  private readonly unsent: Kept<unknown>;
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly echoes = new Map<string, string[]>();
  private readonly flying = new Map<number, { ask: string; draft: unknown }>();
  private readonly events: DraftEvents;

  constructor(around: Surroundings, prefix: string, events: DraftEvents) {
    this.events = events;
    this.unsent = new Kept(around.storage, `${prefix}.draft.`);
  }

  write(ask: string, draft: unknown) {
    this.unsent.set(ask, draft);
    this.events.draft(ask, draft);
    clearTimeout(this.timers.get(ask));
    this.timers.set(ask, setTimeout(() => this.send(ask), PAUSE_MS));
  }

  /** Takes a draft from the server: an echo of ours, or that of another device. */
  heard(ask: string, draft: unknown) {
    const isEcho = this.echoes.get(ask)?.includes(JSON.stringify(draft)) ?? false;
    if (!isEcho && this.unsent.get(ask) === undefined) this.events.draft(ask, draft);
  }

  /** Returns the draft to show for an ask that was just loaded. */
  of(ask: string): unknown {
    return this.unsent.get(ask);
  }

  connected() {
    for (const [ask] of this.unsent.entries()) this.send(ask);
  }

  /** Deletes the draft of an ask that the person has decided. */
  drop(ask: string) {
    clearTimeout(this.timers.get(ask));
    this.unsent.delete(ask);
  }

  /** Sends everything now: the page is being left. */
  hurry() {
    for (const [ask, timer] of this.timers) {
      clearTimeout(timer);
      this.send(ask);
    }
  }

  close() {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  /** Takes the reply to a draft. One that was refused is dropped: its ask is over. */
  replied(tag: number | null): boolean {
    const flying = tag === null ? undefined : this.flying.get(tag);
    if (!flying || tag === null) return false;
    this.flying.delete(tag);
    if (this.unsent.get(flying.ask) === flying.draft) this.unsent.delete(flying.ask);
    return true;
  }

  lost() {
    this.flying.clear();
  }

  private send(ask: string) {
    this.timers.delete(ask);
    const draft = this.unsent.get(ask);
    const tag = draft === undefined ? null : this.events.send(ask, draft);
    if (tag === null || tag === "too_large") return;
    const echoes = [...(this.echoes.get(ask) ?? []), JSON.stringify(draft)];
    this.echoes.set(ask, echoes.slice(-ECHOES_MAX));
    this.flying.set(tag, { ask, draft });
  }
}
