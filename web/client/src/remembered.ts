/** The last that was known, kept on this device: shown while the server cannot be reached. */

import type { Store, Surroundings } from "./surroundings.ts";
import type { State } from "./state.ts";
import type { Ask } from "./types.ts";

/** So many asks are kept at most, those that wait first, and none that alone would fill the storage. */
const ASKS_MAX = 200;
const ASK_CHARS_MAX = 200_000;
const CHARS_MAX = 1_500_000;
/** Written so long after a change at the earliest. */
const PAUSE_MS = 1_000;
const VERSION = 1;

interface Memory {
  readonly version: typeof VERSION;
  /** Whose it is: a digest of the token with which it was heard. */
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

  /** What was known when this page was last open, or nothing. */
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
      // Half a write, or a release that kept something else.
      return nothing;
    }
  }

  /** Something changed. Only what the server has told is worth keeping. */
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
      // No room. What was kept before may be wrong by now.
      this.store.removeItem(this.key);
    }
  }

  close() {
    this.write();
  }
}

/** Tells tokens apart, and says nothing about them: 32 bits of at least 128. */
function digest(token: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < token.length; at += 1) sum = Math.imul(sum ^ token.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
