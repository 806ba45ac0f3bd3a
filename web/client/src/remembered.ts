/** The last known state, stored on this device: shown while the server cannot be reached. */

import type { Store, Surroundings } from "./surroundings.ts";
import type { State } from "./state.ts";
import type { Ask } from "./types.ts";

/** Asks that are stored, open ones first, and none so large that it would fill the storage alone. */
const ASKS_MAX = 200;
const ASK_CHARS_MAX = 200_000;
const CHARS_MAX = 1_500_000;
/** The delay between a change and the write. */
const PAUSE_MS = 1_000;
const VERSION = 1;

interface Memory {
  readonly version: typeof VERSION;
  /** The owner: a digest of the token with which it was received. */
  readonly of: number;
  /** When it was true, by this device's clock. */
  readonly at: number;
  readonly me: State["me"];
  readonly ahead: number;
  readonly snoozes: readonly (readonly [string, number])[];
  readonly asks: readonly Ask[];
}

export class Remembered {
  private readonly store: Store | null;
  private readonly now: () => number;
  private readonly key: string;
  private readonly of: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest: State | null = null;

  constructor(around: Surroundings, prefix: string, token: string) {
    this.of = digest(token);
    this.store = around.storage;
    this.now = around.now;
    this.key = `${prefix}.known`;
  }

  /** Reads the state from when this page was last open, or returns `nothing`. */
  read(nothing: State): State {
    try {
      const kept = JSON.parse(this.store?.getItem(this.key) ?? "null") as Memory | null;
      if (kept?.version !== VERSION || kept.of !== this.of) return nothing;
      const snoozes = new Map(kept.snoozes);
      const asks = new Map(
        kept.asks.map((ask) => [ask.id, { id: ask.id, ask, sending: { state: "idle" as const }, draft: null, snoozedUntil: snoozes.get(ask.id) ?? null }]),
      );
      return { ...nothing, me: kept.me, ahead: kept.ahead, snoozes, asks, rememberedAt: kept.at };
    } catch {
      // A partial write, or another format from another release.
      return nothing;
    }
  }

  /** Notes a change. Only state from the server is stored. */
  note(state: State) {
    if (!state.synced) return;
    this.latest = state;
    this.timer ??= setTimeout(() => this.write(), PAUSE_MS);
  }

  write() {
    clearTimeout(this.timer);
    this.timer = undefined;
    const state = this.latest;
    this.latest = null;
    if (!state || !this.store) return;
    const views = [...state.asks.values()].filter(({ ask, sending }) => ask.state === "open" || ask.state === "proposed" || sending.state === "queued");
    views.sort((a, b) => (a.ask.asked_at < b.ask.asked_at ? -1 : 1));
    const kept: string[] = [];
    let chars = 0;
    for (const { ask } of views) {
      const text = JSON.stringify(ask);
      if (text.length > ASK_CHARS_MAX || chars + text.length > CHARS_MAX) continue;
      chars += text.length;
      if (kept.push(text) >= ASKS_MAX) break;
    }
    const around = JSON.stringify({ version: VERSION, of: this.of, at: this.now(), me: state.me, ahead: state.ahead, snoozes: [...state.snoozes] });
    try {
      this.store.setItem(this.key, `${around.slice(0, -1)},"asks":[${kept.join(",")}]}`);
    } catch {
      // No space. The previous state may be outdated by now, so it is removed.
      this.store.removeItem(this.key);
    }
  }

  close() {
    this.write();
  }
}

/** Distinguishes tokens without revealing them: 32 bits of at least 128. */
function digest(token: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < token.length; at += 1) sum = Math.imul(sum ^ token.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
