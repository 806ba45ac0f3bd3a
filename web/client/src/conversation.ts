/** State of sessions and conversations. Pure. */

import { append, blank, prepend } from "./transcript.ts";
import type { DeltaServerFrame, Entry, Event, Session, SessionListed } from "./types.ts";
import type { Conversation, State } from "./state.ts";

export type Heard =
  | { readonly type: "sessions"; readonly items: readonly SessionListed[]; readonly next: string | null; readonly from: string | null }
  | { readonly type: "watch"; readonly session: string }
  | { readonly type: "unwatch"; readonly session: string }
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "loading"; readonly session: string }
  | { readonly type: "failed"; readonly session: string; readonly why: string }
  /** Entries before the loaded ones; `older`: there are more before them. */
  | { readonly type: "before"; readonly session: string; readonly entries: readonly Entry[]; readonly older: boolean }
  /** Entries after the loaded ones. */
  | { readonly type: "after"; readonly session: string; readonly entries: readonly Entry[] };

const unseen: Conversation = { session: null, transcript: blank, older: false, loading: true, failed: null, live: null };

export function hearOfSession(state: State, heard: Heard): State {
  switch (heard.type) {
    case "sessions": {
      const items = heard.from === null ? heard.items : merged(state.sessions.items, heard.items);
      // A first page that was fetched again must not remove the pages that were loaded below it.
      const kept = heard.from === null && state.sessions.loaded ? merged(items, olderThan(state.sessions.items, items)) : items;
      const next = heard.from === null && state.sessions.loaded && kept.length > items.length ? state.sessions.next : heard.next;
      return { ...state, sessions: { items: kept, next, loaded: true } };
    }
    case "watch":
      return state.conversations.has(heard.session) ? state : put(state, heard.session, unseen);
    case "unwatch": {
      const conversations = new Map(state.conversations);
      conversations.delete(heard.session);
      return { ...state, conversations };
    }
    case "session":
      return change(state, heard.session.id, { session: heard.session });
    case "loading":
      return change(state, heard.session, { loading: true, failed: null });
    case "failed":
      return change(state, heard.session, { loading: false, failed: heard.why });
    case "before": {
      const known = state.conversations.get(heard.session);
      if (!known) return state;
      const transcript = prepend(known.transcript, heard.entries);
      return change(state, heard.session, { transcript, older: heard.older, loading: false, failed: null });
    }
    case "after": {
      const known = state.conversations.get(heard.session);
      if (!known) return state;
      const transcript = append(known.transcript, heard.entries);
      const live = known.live;
      const isStored = live !== null && transcript.items.some((item) => (item.kind === "text" || item.kind === "thinking") && item.kind === live.kind && item.block === live.block);
      const ended = heard.entries.some(({ events }) => events.some((event) => ENDS_LIVE.has(event.type) || (live?.kind === "asking" && ENDS_ASKING.has(event.type))));
      return change(state, heard.session, { transcript, failed: null, ...(isStored || ended ? { live: null } : {}) });
    }
  }
}

/** Removes forgotten sessions. One that is on screen says so. */
export function forget(state: State, sessions: ReadonlySet<string>): State {
  const items = state.sessions.items.filter(({ id }) => !sessions.has(id));
  const conversations = new Map(state.conversations);
  for (const id of sessions) {
    if (conversations.has(id)) conversations.set(id, { ...unseen, loading: false, gone: true });
  }
  return { ...state, sessions: { ...state.sessions, items }, conversations };
}

const olderThan = (all: readonly SessionListed[], page: readonly SessionListed[]) => {
  const oldest = page.at(-1);
  return oldest ? all.filter((item) => item.started_at < oldest.started_at) : [];
};

function merged(known: readonly SessionListed[], more: readonly SessionListed[]): SessionListed[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...more.filter(({ id }) => !ids.has(id))];
}

const put = (state: State, id: string, conversation: Conversation): State =>
  ({ ...state, conversations: new Map(state.conversations).set(id, conversation) });

function change(state: State, id: string, part: Partial<Conversation>): State {
  const known = state.conversations.get(id);
  return known ? put(state, id, { ...known, ...part }) : state;
}

const encoder = new TextEncoder();

/** Streaming text. A delta that does not fit the text so far means that one was lost; the stored text completes it. */
export function grow(state: State, { session, block, kind, offset, text }: DeltaServerFrame): State {
  const known = state.conversations.get(session);
  if (!known) return state;
  const live = known.live?.block === block ? known.live : null;
  const bytes = encoder.encode(text).length;
  if (live && offset === live.bytes) {
    return change(state, session, { live: { block, kind, text: live.text + text, bytes: live.bytes + bytes } });
  }
  if (!live && offset === 0) return change(state, session, { live: { block, kind, text, bytes } });
  return state;
}

/** Updates the list of sessions after an event in one of them. */
export function touch(state: State, session: string, event: Event, at: number): { state: State; listChanged: boolean } {
  const asks = event.type === "asked" ? 1 : ENDS.has(event.type) ? -1 : 0;
  if (event.type === "started" || event.type === "closed" || event.type === "continued" || event.type === "configured") {
    return { state, listChanged: true };
  }
  if (asks === 0 && event.type !== "said") return { state, listChanged: false };
  const items = state.sessions.items.map((item) =>
    item.id === session
      ? { ...item, open_asks: Math.max(0, item.open_asks + asks), waiting_for_person: item.open_asks + asks > 0, last_activity: new Date(at).toISOString() }
      : item,
  );
  return { state: { ...state, sessions: { ...state.sessions, items } }, listChanged: false };
}

const ENDS_LIVE: ReadonlySet<string> = new Set(["turn_ended", "unhosted"]);
/** The call that was being streamed has arrived: as an ask, or as a call that became none. */
const ENDS_ASKING: ReadonlySet<string> = new Set(["asked", "tool_called", "tool_returned"]);
const ENDS: ReadonlySet<string> = new Set(["settled", "withdrawn", "overtaken"]);
