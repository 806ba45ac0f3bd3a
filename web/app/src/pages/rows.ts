/** The asks that the inbox shows, and their order. */

import { isSnoozed, isWaiting, type AskView, type State } from "@askbridge/client";
import { headlineOf } from "@askbridge/react";
import type { Order } from "../settings.ts";

/** How long a card that ended while it was in view stays in place and says how. */
const LINGER_MS = 60_000;

export interface Filter {
  readonly text: string;
  readonly kind: AskView["ask"]["kind"] | "";
  readonly agent: string;
  readonly snoozed: boolean;
}

/** Did it end so long ago that it has left the list? */
export const isLongOver = (view: AskView, now: number): boolean =>
  !isWaiting(view) && view.ask.state !== "proposed" && view.ask.settled_at !== null && now - Date.parse(view.ask.settled_at) >= LINGER_MS;

export const everything: Filter = { text: "", kind: "", agent: "", snoozed: false };

export function rows(state: State, filter: Filter, order: Order, now: number): AskView[] {
  const wanted = filter.text.trim().toLowerCase();
  const found = [...state.asks.values()].filter((view) => {
    const { ask } = view;
    const lingers = ask.settled_at !== null && now - Date.parse(ask.settled_at) < LINGER_MS;
    if (!isWaiting(view) && ask.state !== "proposed" && !lingers) return false;
    if (isSnoozed(view, now) !== filter.snoozed) return false;
    if (filter.kind && ask.kind !== filter.kind) return false;
    if (filter.agent && ask.agent !== filter.agent) return false;
    return !wanted || `${headlineOf(ask)} ${ask.agent} ${ask.context?.title ?? ""} ${ask.context?.folder ?? ""}`.toLowerCase().includes(wanted);
  });
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const since = (a: AskView, b: AskView) => compare(a.ask.asked_at, b.ask.asked_at) || compare(a.id, b.id);
  // Asks without a deadline wait for ever, so they come last.
  const due = ({ ask }: AskView) => (ask.deadline === null ? Number.POSITIVE_INFINITY : Date.parse(ask.deadline));
  switch (order) {
    case "longest": return found.sort(since);
    case "newest": return found.sort((a, b) => since(b, a));
    case "due": return found.sort((a, b) => (due(a) === due(b) ? since(a, b) : due(a) - due(b)));
  }
}
