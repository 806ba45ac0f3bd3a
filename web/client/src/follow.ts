/** Keeps the conversations on screen up to date: the end first, older pages on demand, then new entries. */

import type { Api } from "./api.ts";
import type { Heard } from "./reduce.ts";
import type { State } from "./state.ts";
import { Trouble } from "./trouble.ts";

/** Entries that are loaded at once. */
const PAGE = 200;

export class Follow {
  private readonly api: Api;
  private readonly hear: (heard: Heard) => void;
  private readonly state: () => State;
  /** The number of watchers. */
  private readonly watched = new Map<string, number>();
  /** One request at a time for each; `true`: another one when it is done. */
  private readonly busy = new Map<string, boolean>();

  constructor(api: Api, state: () => State, hear: (heard: Heard) => void) {
    this.api = api;
    this.state = state;
    this.hear = hear;
  }

  watch(session: string): () => void {
    this.watched.set(session, (this.watched.get(session) ?? 0) + 1);
    if (!this.state().conversations.has(session)) {
      this.hear({ type: "watch", session });
      void this.begin(session);
    }
    let isWatching = true;
    return () => {
      if (!isWatching) return;
      isWatching = false;
      const left = (this.watched.get(session) ?? 1) - 1;
      this.watched.set(session, left);
      // Kept for a moment after the last watcher leaves, such as between two pages, so that it need not be loaded again.
      if (left === 0) setTimeout(() => this.watched.get(session) === 0 && this.hear({ type: "unwatch", session }), 30_000);
    };
  }

  async older(session: string) {
    const known = this.state().conversations.get(session);
    if (!known?.older || known.loading) return;
    this.hear({ type: "loading", session });
    await this.tried(session, async () => {
      const page = await this.api.entriesBefore(session, known.transcript.first, PAGE);
      this.hear({ type: "before", session, entries: page.items, older: page.next !== null });
    });
  }

  /** Fetches new entries, one request at a time. */
  async news(session: string) {
    if (this.busy.has(session)) return void this.busy.set(session, true);
    const known = this.state().conversations.get(session);
    if (!known) return;
    if (known.transcript.last === null) return this.begin(session);
    this.busy.set(session, false);
    await this.tried(session, async () => {
      let after: number | null = known.transcript.last;
      for (let more = true; more; ) {
        const page = await this.api.entries(session, after);
        this.hear({ type: "after", session, entries: page.items });
        after = page.next;
        more = page.next !== null;
      }
      this.hear({ type: "session", session: await this.api.session(session) });
    });
    const again = this.busy.get(session);
    this.busy.delete(session);
    if (again) await this.news(session);
  }

  private async begin(session: string) {
    if (this.busy.has(session)) return;
    this.busy.set(session, false);
    await this.tried(session, async () => {
      const [shown, page] = await Promise.all([this.api.session(session), this.api.entriesBefore(session, null, PAGE)]);
      this.hear({ type: "session", session: shown });
      this.hear({ type: "before", session, entries: page.items, older: page.next !== null });
    });
    const again = this.busy.get(session);
    this.busy.delete(session);
    if (again) await this.news(session);
  }

  private async tried(session: string, work: () => Promise<void>) {
    try {
      await work();
    } catch (error) {
      this.hear({ type: "failed", session, why: error instanceof Trouble ? error.message : String(error) });
    }
  }
}
