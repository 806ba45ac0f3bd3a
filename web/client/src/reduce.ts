/** Reduces everything that is heard to one state. Pure: the same input in the same order always leads to the same state. */

import { askOf, fold } from "./fold.ts";
import { forget, grow, touch, type Heard as HeardOfSessions, hearOfSession } from "./conversation.ts";
import { heedNodes } from "./nodes.ts";
import type { Ask, Cluster, Draft, Event, ServerFrame } from "./types.ts";
import type { Connection, State } from "./state.ts";
import type { AskView, Deed, Sending } from "./view.ts";

/** An input: something that reached this device, or that it did. */
export type Heard =
  /** `at`: when it arrived, by this device's clock. */
  | { readonly type: "frame"; readonly frame: ServerFrame; readonly at?: number }
  | { readonly type: "connection"; readonly connection: Connection }
  /** Asks as the server shows them. */
  | { readonly type: "asks"; readonly asks: readonly Ask[] }
  /** An ask that a list has shortened: its rest is being fetched, or could not be. */
  | { readonly type: "rest"; readonly ask: string; readonly rest: "loading" | "failed" }
  /** An ask that the server does not show (any more). */
  | { readonly type: "unknown"; readonly ask: string }
  /** All pages of open asks have been read. */
  | { readonly type: "synced" }
  /** All decisions made here that are not sent yet. */
  | { readonly type: "unsent"; readonly unsent: ReadonlyMap<string, Deed> }
  | { readonly type: "sending"; readonly ask: string; readonly sending: Sending }
  | { readonly type: "draft"; readonly ask: string; readonly draft: unknown }
  | { readonly type: "cluster"; readonly cluster: Cluster }
  | { readonly type: "snoozes"; readonly snoozes: ReadonlyMap<string, number> }
  | { readonly type: "snooze"; readonly ask: string; readonly until: number | null }
  | HeardOfSessions;

export interface Reduced {
  readonly state: State;
  /** Asks to fetch from the server. */
  readonly look: ReadonlySet<string>;
  /** Loaded conversations with new entries. */
  readonly news: ReadonlySet<string>;
  /** The list of sessions has changed. */
  readonly listChanged: boolean;
}

/** Asks that are over and still shown, so that a card says how it ended. Beyond: the oldest are dropped. */
const OVER_MAX = 500;

/** Asks that are remembered as gone. Beyond: the oldest are dropped. */
const GONE_MAX = 100;

/** Clock differences below this do not matter to people. */
const CLOCK_STEP_MS = 400;


/** Applies inputs in order. Copies what it changes once for all of them. */
export function reduce(before: State, heard: readonly Heard[]): Reduced {
  const work = new Work(before);
  for (const one of heard) {
    try {
      work.take(one);
    } catch {
      // A malformed input. The rest still counts.
    }
  }
  return work.done();
}

class Work {
  private state: State;
  private readonly look = new Set<string>();
  private readonly news = new Set<string>();
  private listChanged = false;
  private asks: Map<string, AskView> | null = null;
  private preparing: Set<string> | null = null;

  constructor(before: State) {
    this.state = before;
  }

  done(): Reduced {
    if (this.asks) this.state = { ...this.state, asks: bounded(this.asks) };
    if (this.preparing) this.state = { ...this.state, preparing: this.preparing };
    return { state: this.state, look: this.look, news: this.news, listChanged: this.listChanged };
  }

  take(heard: Heard) {
    switch (heard.type) {
      case "frame":
        return this.frame(heard.frame, heard.at);
      case "connection":
        this.state = { ...this.state, connection: heard.connection };
        return;
      case "asks":
        return heard.asks.forEach((ask) => this.show(ask));
      case "rest":
        return this.change(heard.ask, { rest: heard.rest });
      case "unknown":
        this.waitFor(heard.ask, false);
        this.editable().delete(heard.ask);
        return this.lost(heard.ask, this.state.unsent.has(heard.ask));
      case "synced":
        this.state = { ...this.state, synced: true, rememberedAt: null };
        return;
      case "unsent":
        this.state = { ...this.state, unsent: heard.unsent };
        return;
      case "sending":
        if (heard.sending.state === "refused" && heard.sending.because.code === "unknown_ask") this.lost(heard.ask, heard.sending.what === "answer");
        return this.change(heard.ask, { sending: heard.sending });
      case "draft":
        return this.change(heard.ask, { draft: heard.draft });
      case "snooze":
        return this.snooze(heard.ask, heard.until);
      case "cluster":
        this.state = heedNodes({ ...this.state, asks: this.seen() }, heard.cluster);
        this.asks = null;
        return;
      case "snoozes":
        this.state = { ...this.state, snoozes: heard.snoozes };
        for (const view of [...this.seen().values()]) {
          const until = heard.snoozes.get(view.id) ?? null;
          if (view.snoozedUntil !== until) this.change(view.id, { snoozedUntil: until });
        }
        return;
      default:
        this.state = hearOfSession(this.state, heard);
    }
  }

  private frame(frame: ServerFrame, at: number | undefined) {
    switch (frame.type) {
      case "welcome":
        this.state = { ...this.state, me: { name: frame.name, role: frame.role } };
        return this.clock(frame.now, at, "anew");
      case "ping":
        return this.clock(frame.now, at, "nearer");
      case "snooze":
        return this.snooze(frame.ask, frame.until === null ? null : Date.parse(frame.until));
      case "devices":
        this.state = { ...this.state, devicesChanged: this.state.devicesChanged + 1 };
        return;
      case "channels":
        this.state = { ...this.state, channelsChanged: this.state.channelsChanged + 1 };
        return;
      case "snapshot":
        return this.snapshot(frame.asks, frame.drafts, frame.more);
      case "event":
        return this.event(frame.session, frame.event, frame.at);
      case "gone":
        return this.gone(new Set(frame.sessions));
      case "delta":
        this.state = grow(this.state, frame);
        return;
      default:
        // Replies, pings and drafts are for the connection's owner; others are from a newer server.
        return;
    }
  }

  /** Removes sessions that were forgotten, with all their asks. */
  private gone(sessions: ReadonlySet<string>) {
    for (const view of [...this.seen().values()]) {
      if (!sessions.has(view.ask.session)) continue;
      this.editable().delete(view.id);
      this.lost(view.id, this.state.unsent.has(view.id));
    }
    this.state = forget(this.state, sessions);
  }

  /** Adjusts the clock offset. A frame is a moment old when it arrives, so the largest difference seen is the most accurate. */
  private clock(now: unknown, at: number | undefined, how: "anew" | "nearer") {
    if (typeof now !== "number" || !Number.isFinite(now) || at === undefined) return;
    const ahead = now - at;
    const known = this.state.ahead;
    const isBetter = how === "anew" ? Math.abs(ahead - known) > CLOCK_STEP_MS : ahead > known + CLOCK_STEP_MS;
    if (isBetter) this.state = { ...this.state, ahead };
  }

  private snapshot(asks: readonly Ask[], drafts: readonly Draft[], more: boolean) {
    const open = new Set(asks.map((ask) => ask.id));
    for (const ask of asks) this.show(ask);
    for (const { ask, draft } of drafts) this.change(ask, { draft });
    // Asks that we thought open and that are not in here ended while we were away, or are on a later page.
    for (const view of this.seen().values()) {
      if ((view.ask.state === "open" || view.ask.state === "proposed") && !open.has(view.id)) this.look.add(view.id);
    }
    for (const id of this.state.conversations.keys()) this.news.add(id);
    this.listChanged = true;
    const synced = this.state.synced || !more;
    this.state = { ...this.state, synced, rememberedAt: synced ? null : this.state.rememberedAt };
  }

  private event(session: string, event: Event, at: number) {
    if (this.state.conversations.has(session)) this.news.add(session);
    const touched = touch(this.state, session, event, at);
    this.state = touched.state;
    if (touched.listChanged) this.listChanged = true;
    const id = askOf(event);
    if (id === null) return;
    if (event.type === "asked" && event.ask.instead_of) this.look.add(event.ask.instead_of);
    const known = this.seen().get(id);
    if (!known) {
      // Unknown asks ended before we connected, unless they are new.
      if (event.type === "asked") {
        this.waitFor(id, true);
        this.look.add(id);
      }
      return;
    }
    const folded = fold(known.ask, event);
    if (folded.look) this.look.add(id);
    this.editable().set(id, { ...known, ask: folded.ask, sending: settledSending(known.sending, folded.ask) });
  }

  /** Marks an ask that the server does not know, for its page to say so. */
  private lost(id: string, answer: boolean) {
    const before = this.state.gone.get(id);
    const gone = new Map([...this.state.gone, [id, { answer: answer || before?.answer === "lost" ? ("lost" as const) : ("none" as const) }]]);
    const [oldest] = gone.keys();
    if (gone.size > GONE_MAX && oldest) gone.delete(oldest);
    this.state = { ...this.state, gone };
  }

  private show(shown: Ask) {
    this.waitFor(shown.id, false);
    if (this.state.gone.has(shown.id)) this.state = { ...this.state, gone: new Map([...this.state.gone].filter(([id]) => id !== shown.id)) };
    this.look.delete(shown.id);
    const known = this.seen().get(shown.id);
    const ask = known && shown.truncated && !known.ask.truncated ? completed(known.ask, shown) : shown;
    // The question is known in full; the outcome may be shortened.
    if (ask !== shown && known?.ask.state !== shown.state) this.look.add(shown.id);
    const view: AskView = known
      ? { ...(ask.truncated ? known : withoutRest(known)), ask, sending: settledSending(known.sending, ask) }
      : { id: ask.id, ask, sending: { state: "idle" }, draft: null, snoozedUntil: this.state.snoozes.get(ask.id) ?? null };
    this.editable().set(ask.id, view);
  }

  /** An ask may become known after it was snoozed. */
  private snooze(id: string, until: number | null) {
    const snoozes = new Map(this.state.snoozes);
    if (until === null) snoozes.delete(id);
    else snoozes.set(id, until);
    this.state = { ...this.state, snoozes };
    this.change(id, { snoozedUntil: until });
  }

  private change(id: string, change: Partial<AskView>) {
    const known = this.seen().get(id);
    if (known) this.editable().set(id, { ...known, ...change });
  }

  private waitFor(id: string, wait: boolean) {
    const preparing = this.preparing ?? this.state.preparing;
    if (preparing.has(id) === wait) return;
    this.preparing ??= new Set(this.state.preparing);
    if (wait) this.preparing.add(id);
    else this.preparing.delete(id);
  }

  private seen(): ReadonlyMap<string, AskView> {
    return this.asks ?? this.state.asks;
  }

  private editable(): Map<string, AskView> {
    this.asks ??= new Map(this.state.asks);
    return this.asks;
  }
}

/** Removes `rest` from an ask that is complete. */
function withoutRest({ rest: _, ...view }: AskView): AskView {
  return view;
}

/** Completes an ask that a list has shortened with the known question, which never changes. */
function completed(known: Ask, { truncated: _, ...shown }: Ask): Ask {
  const { context, ...body } = known;
  const asked = "questions" in body ? { questions: body.questions } : "approval" in body ? { approval: body.approval } : "plan" in body ? { plan: body.plan } : { form: body.form };
  return { ...shown, ...asked, ...(context ? { context } : {}) } as Ask;
}

/** Once an ask is open again, or over for other reasons, "stored" is outdated. */
function settledSending(sending: Sending, ask: Ask): Sending {
  return sending.state === "stored" && ask.state === "open" && sending.what !== "extend" ? { state: "idle" } : sending;
}

function bounded(asks: Map<string, AskView>): ReadonlyMap<string, AskView> {
  const over = [...asks.values()].filter(({ ask, sending }) => ask.settled_at !== null && sending.state !== "queued");
  if (over.length <= OVER_MAX) return asks;
  over.sort((a, b) => ((a.ask.settled_at ?? "") < (b.ask.settled_at ?? "") ? -1 : 1));
  for (const { id } of over.slice(0, over.length - OVER_MAX)) asks.delete(id);
  return asks;
}
