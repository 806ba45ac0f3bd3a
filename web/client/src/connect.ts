/** Builds a client from connection, outbox, drafts and state. */

import { Api } from "./api.ts";
import type { AnswerHow, Client } from "./client.ts";
import { Drafts } from "./drafts.ts";
import { tooLarge } from "./frame.ts";
import { Follow } from "./follow.ts";
import { Looking } from "./looking.ts";
import { isOneTap } from "./one_tap.ts";
import { Outbox } from "./outbox.ts";
import { reduce, type Heard } from "./reduce.ts";
import { Remembered } from "./remembered.ts";
import { Socket } from "./socket.ts";
import { nothing, serverTime, type State } from "./state.ts";
import { browser, type Surroundings } from "./surroundings.ts";
import { refused, unreachable } from "./trouble.ts";
import type { AskPage, ClientFrame, NewAnswer, ServerFrame } from "./types.ts";
import type { Because, Sending } from "./view.ts";

export interface Options {
  /** The address of the server: `https://ask.example.org`. */
  readonly base: string;
  /** A paired device's token. */
  readonly token: string;
  /** How long an answer given with one tap can be undone before it counts: whole seconds, a minute at most. */
  readonly undoMs?: number;
  /** The prefix of storage keys, if two clients share one storage. */
  readonly prefix?: string;
  readonly around?: Partial<Surroundings>;
}

const UNDO_MS = 5_000;
/** The server's limit. */
const UNDO_SECONDS_MAX = 60;
/** The minimum time between notifications of listeners: a screen shows no more. */
const TELL_MS = 16;
/** Beyond this many unknown asks it is faster to read pages than to fetch each. */
const LOOKS_MAX = 64;
/** Large asks that are fetched at the same time. */
const FETCHES_MAX = 4;

/** Connects to a server, and stays connected until it is closed. */
export function connect(options: Options): Client {
  return new Bridge(options);
}

class Bridge implements Client {
  state: State = nothing;
  readonly api: Api;
  private readonly around: Surroundings;
  private undoMs: number;
  private readonly socket: Socket;
  private readonly outbox: Outbox;
  private readonly drafts: Drafts;
  private readonly looking: Looking;
  private readonly follow: Follow;
  private readonly remembered: Remembered;
  private readonly listeners = new Set<() => void>();
  private readonly replies = new Map<number, (because: Because | null) => void>();
  private readonly shows = new Map<number, string>();
  private heard: Heard[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private toldAt = 0;
  private lastTag = 0;
  private isListing = false;
  private snoozesHeard = 0;
  /** Asks whose rest is wanted, those that are being fetched first. */
  private readonly incomplete = new Set<string>();
  private fetching = 0;

  constructor({ base, token, undoMs = UNDO_MS, prefix = "askbridge", around = {} }: Options) {
    this.around = { ...browser(), ...around };
    this.undoMs = undoMs;
    this.api = new Api(base, token, this.around.fetch);
    this.outbox = new Outbox(this.around, prefix, {
      send: (make) => this.send(make),
      sending: (ask, sending) => this.sending(ask, sending),
      unsent: (unsent) => this.hear({ type: "unsent", unsent }),
    });
    this.drafts = new Drafts(this.around, prefix, {
      send: (ask, draft) => this.send((tag) => ({ type: "draft", tag, ask, draft })),
      draft: (ask, draft) => this.hear({ type: "draft", ask, draft }),
    });
    this.looking = new Looking(this.around, (frame) => this.socket.send(frame));
    this.remembered = new Remembered(this.around, prefix, token);
    this.state = { ...this.remembered.read(nothing), unsent: this.outbox.unsent() };
    for (const [id] of this.state.asks) this.appeared(id);
    this.follow = new Follow(this.api, () => this.state, (heard) => this.hear(heard));
    this.socket = new Socket(base, token, this.around, {
      frame: (frame) => this.frame(frame),
      connection: (connection) => this.hear({ type: "connection", connection }),
      lost: () => this.lost(),
    });
    this.around.window?.addEventListener("pagehide", this.leaving);
    this.around.document?.addEventListener("visibilitychange", this.looked);
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  answer(ask: string, answer: NewAnswer, how?: AnswerHow) {
    const known = this.state.asks.get(ask)?.ask;
    const isUndoable = this.undoMs > 0 && known !== undefined && (how?.isUndoable === true || isOneTap(known, answer));
    // The undo time starts when the server receives the answer, however long it was stored here.
    const undo = isUndoable ? { undo_seconds: Math.min(UNDO_SECONDS_MAX, Math.ceil(this.undoMs / 1000)) } : {};
    this.outbox.put(ask, { what: "answer", answer: { ...answer, ...undo } });
  }

  undoFor(undoMs: number) {
    this.undoMs = undoMs;
  }

  dismiss(ask: string, words?: string) {
    this.outbox.put(ask, { what: "dismiss", words: words?.trim() || null });
  }

  extend(ask: string, seconds: number | null) {
    this.outbox.put(ask, { what: "extend", seconds });
  }

  undo(ask: string) {
    if (!this.outbox.takeBack(ask)) this.outbox.put(ask, { what: "undo" });
  }

  draft(ask: string, draft: unknown) {
    this.drafts.write(ask, draft);
  }

  snooze(ask: string, until: number | null) {
    const before = this.state.asks.get(ask)?.snoozedUntil ?? null;
    this.hear({ type: "snooze", ask, until });
    const seconds = until === null ? null : Math.max(1, (until - serverTime(this.state, this.around.now())) / 1000);
    this.api.snooze(ask, seconds).catch(() => this.hear({ type: "snooze", ask, until: before }));
  }

  look(asks: readonly string[]) {
    const showing = new Set(this.shows.values());
    for (const ask of asks) {
      if (showing.has(ask)) continue;
      const tag = this.send((number) => ({ type: "show", tag: number, ask }));
      if (typeof tag === "number") this.shows.set(tag, ask);
    }
  }

  onScreen = (ask: string) => this.looking.show(ask);

  complete(ask: string) {
    if (!this.state.asks.get(ask)?.ask.truncated || this.incomplete.has(ask)) return;
    this.incomplete.add(ask);
    this.hear({ type: "rest", ask, rest: "loading" });
    this.fetchNext();
  }

  private fetchNext() {
    const ask = [...this.incomplete][this.fetching];
    if (ask === undefined || this.fetching >= FETCHES_MAX) return;
    // Those that are being fetched are in front.
    this.fetching += 1;
    this.api
      .ask(ask)
      .then((whole) => this.hear({ type: "asks", asks: [whole] }))
      .catch(() => this.hear({ type: "rest", ask, rest: "failed" }))
      .finally(() => {
        this.incomplete.delete(ask);
        this.fetching -= 1;
        this.fetchNext();
      });
  }

  async loadSessions(more?: "next") {
    const from = more ? this.state.sessions.next : null;
    if (more && from === null) return;
    const page = await this.api.sessions(from);
    this.hear({ type: "sessions", items: page.items, next: page.next, from });
  }

  async loadCluster() {
    const cluster = await this.api.cluster();
    this.hear({ type: "cluster", cluster });
    return cluster;
  }

  watch = (session: string) => this.follow.watch(session);
  older = (session: string) => this.follow.older(session);

  say(session: string, text: string, about?: string): Promise<Because | null> {
    return this.asked((tag) => (about ? { type: "say", tag, session, text, about } : { type: "say", tag, session, text }));
  }

  unsay = (_session: string, message: string) => this.asked((tag) => ({ type: "unsay", tag, message }));
  interrupt = (session: string) => this.asked((tag) => ({ type: "interrupt", tag, session }));

  retry() {
    this.socket.hurry();
  }

  resync() {
    this.heard = [];
    const { connection, me, ahead, snoozes, unsent } = this.state;
    this.state = { ...nothing, connection, me, ahead, snoozes, unsent };
    this.socket.startAfresh();
    this.tell();
  }

  close() {
    this.around.window?.removeEventListener("pagehide", this.leaving);
    this.around.document?.removeEventListener("visibilitychange", this.looked);
    clearTimeout(this.timer);
    this.outbox.close();
    this.remembered.close();
    this.drafts.close();
    this.looking.close();
    this.socket.close();
    this.listeners.clear();
  }

  private send(make: (tag: number) => ClientFrame): number | "too_large" | null {
    const tag = (this.lastTag += 1);
    const sent = this.socket.send(make(tag));
    return sent === "sent" ? tag : sent === "too_large" ? sent : null;
  }

  private asked(make: (tag: number) => ClientFrame): Promise<Because | null> {
    return new Promise((resolve) => {
      const tag = this.send(make);
      if (tag === "too_large") resolve(tooLarge());
      else if (tag === null) resolve(unreachable);
      else this.replies.set(tag, resolve);
    });
  }

  private frame(frame: ServerFrame) {
    this.hear({ type: "frame", frame, at: this.around.now() });
    try {
      this.act(frame);
    } catch {
      // A malformed reply or draft; nothing waits for it.
    }
  }

  private act(frame: ServerFrame) {
    switch (frame.type) {
      case "welcome":
        return void this.welcomed();
      case "ping":
        return this.looking.again();
      case "snapshot":
        if (frame.more) void this.loadOpen();
        return;
      case "draft":
        return this.drafts.heard(frame.ask, frame.draft);
      case "snooze":
        this.snoozesHeard += 1;
        return;
      case "reply": {
        if (this.outbox.replied(frame) || this.drafts.replied(frame.tag) || frame.tag === null) return;
        const shown = this.shows.get(frame.tag);
        if (shown !== undefined) {
          this.shows.delete(frame.tag);
          // A busy server is asked again; only a final refusal means that there is no such ask.
          if (!frame.ok && frame.error.retry) return void setTimeout(() => this.look([shown]), (frame.error.retry_after_seconds ?? 3) * 1000);
          return this.hear(frame.ok && frame.ask ? { type: "asks", asks: [frame.ask] } : { type: "unknown", ask: shown });
        }
        this.replies.get(frame.tag)?.(frame.ok ? null : refused(frame.error));
        this.replies.delete(frame.tag);
        return;
      }
    }
  }

  private async welcomed() {
    this.outbox.connected();
    this.drafts.connected();
    this.looking.connected();
    // A list on screen is older than the connection; so are conversations, and snoozes of other devices.
    if (this.state.sessions.loaded) this.list();
    for (const session of this.state.conversations.keys()) void this.follow.news(session);
    await this.loadSnoozes();
  }

  private async loadSnoozes(): Promise<void> {
    const heard = this.snoozesHeard;
    const page = await this.api.snoozes().catch(() => null);
    // A newer snooze arrived while the list was on its way.
    if (page && heard !== this.snoozesHeard) return this.loadSnoozes();
    if (page) this.hear({ type: "snoozes", snoozes: new Map(page.items.map(({ ask, until }) => [ask, until === null ? 0 : Date.parse(until)])) });
  }

  /** Loads all open asks page by page: more are open than the snapshot holds. */
  private async loadOpen() {
    let after: string | null = null;
    do {
      const page: AskPage | null =
        await this.api.asks({ state: "open", order: "longest_waiting", limit: 500, ...(after ? { after } : {}) }).catch(() => null);
      if (!page) return;
      this.hear({ type: "asks", asks: page.items });
      after = page.next;
    } while (after !== null);
    this.hear({ type: "synced" });
  }

  private list() {
    if (this.isListing || !this.state.sessions.loaded) return;
    this.isListing = true;
    // Events that arrive together are looked up once.
    setTimeout(() => {
      this.isListing = false;
      this.loadSessions().catch(() => undefined);
    }, 150);
  }

  private lost() {
    this.outbox.lost();
    this.drafts.lost();
    this.looking.lost();
    this.shows.clear();
    for (const resolve of this.replies.values()) resolve(unreachable);
    this.replies.clear();
  }

  private hear(heard: Heard) {
    this.heard.push(heard);
    if (this.timer !== undefined) return;
    const wait = Math.max(0, this.toldAt + TELL_MS - this.around.now());
    this.timer = setTimeout(() => this.takeIn(), wait);
  }

  private takeIn() {
    this.timer = undefined;
    const known = this.state.asks;
    const { state, look, news, listChanged } = reduce(this.state, this.heard);
    this.heard = [];
    this.state = state;
    for (const [id] of state.asks) if (!known.has(id)) this.appeared(id);
    if (look.size > LOOKS_MAX) void this.loadOpen().then(() => this.look([...look].filter((id) => this.state.preparing.has(id) || known.has(id))));
    else this.look([...look]);
    for (const session of news) void this.follow.news(session);
    if (listChanged) this.list();
    if (state.asks !== known) this.remembered.note(state);
    this.tell();
  }

  /** Adds to an ask that was just loaded what this device has stored for it. */
  private appeared(id: string) {
    const draft = this.drafts.of(id);
    const sending = this.outbox.sendingOf(id);
    if (draft !== undefined) this.hear({ type: "draft", ask: id, draft });
    if (sending) this.sending(id, sending);
  }

  /** Shows the state of sending, with the answer that waits: after a reload the card knows no other. */
  private sending(ask: string, sending: Sending) {
    const waits = (sending.state === "held" || sending.state === "queued" || sending.state === "sending") && sending.what === "answer";
    const given = waits ? this.outbox.answerOf(ask) : null;
    this.hear({ type: "sending", ask, sending: given === null ? sending : { ...sending, given } as Sending });
  }

  private tell() {
    this.toldAt = this.around.now();
    for (const listener of [...this.listeners]) listener();
  }

  private readonly looked = () => {
    if (this.around.document?.visibilityState === "hidden") this.leaving();
  };

  /** A page that is left may never run again, so drafts are sent and stored now. Answers are already on their way. */
  private readonly leaving = () => {
    this.drafts.hurry();
    this.remembered.write();
  };
}
