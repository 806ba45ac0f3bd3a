/** Which asks the inbox shows, and in which order. */

import { isSnoozed, isWaiting, type AskView, type State } from "@askbridge/client";
import { headlineOf } from "@askbridge/react";

/** So long a card that ended while we looked stays in its place and says how. */
const LINGER_MS = 60_000;

export interface Filter {
  readonly text: string;
  readonly kind: AskView["ask"]["kind"] | "";
  readonly agent: string;
  readonly snoozed: boolean;
}

export const everything: Filter = { text: "", kind: "", agent: "", snoozed: false };

export function rows(state: State, filter: Filter, order: "longest" | "newest", now: number): AskView[] {
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
  const sign = order === "longest" ? 1 : -1;
  return found.sort((a, b) => sign * (a.ask.asked_at < b.ask.asked_at ? -1 : a.ask.asked_at > b.ask.asked_at ? 1 : a.id < b.id ? -1 : 1));
}
