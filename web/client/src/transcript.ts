/** A conversation as a person reads it. Pure: entries in, items out. */

import type { Entry, Event, RecordedLevel, RecordedToolRuling } from "./types.ts";

/** One item. `key` is stable across updates. */
export type Item = { readonly key: string; readonly at: number } & Body;

export type Body =
  /** A message to the agent. `by` is `null` when the server sent it, on a person's behalf. */
  | { readonly kind: "said"; readonly by: string | null; readonly message: string; readonly text: string; readonly about: string | null; readonly state: "waits" | "heard" | "withdrawn" }
  | { readonly kind: "text"; readonly block: number; readonly text: string }
  | { readonly kind: "thinking"; readonly block: number; readonly text: string }
  | { readonly kind: "tool"; readonly call: string; readonly name: string; readonly input: unknown; readonly ask: string | null; readonly ruled: Ruled | null; readonly result: Result | null }
  | { readonly kind: "ask"; readonly ask: string }
  | { readonly kind: "turn_ended"; readonly reason: string; readonly usage: Usage | null }
  | { readonly kind: "notice"; readonly level: RecordedLevel; readonly text: string }
  | { readonly kind: "interrupted"; readonly by: string | null }
  | { readonly kind: "configured"; readonly model: string | null; readonly mode: string | null; readonly title: string | null }
  | { readonly kind: "closed"; readonly why: string }
  | { readonly kind: "continued"; readonly to: string }
  /** An event that this release does not know. Shown as raw data. */
  | { readonly kind: "unknown"; readonly raw: unknown };

/** The rule that decided about a call without a person, or sent it to one. */
export interface Ruled {
  readonly rule: string;
  /** File and line. `null`: it is in no file. */
  readonly place: string | null;
  readonly ruling: RecordedToolRuling;
}

export interface Result {
  readonly ok: boolean;
  readonly output: string;
  readonly at: number;
}

/** The cost of a turn, as far as the agent reports it. */
export interface Usage {
  readonly costUsd: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
}

export interface Transcript {
  readonly items: readonly Item[];
  /** The positions of the first and the last entry. */
  readonly first: number | null;
  readonly last: number | null;
  /** The entries as received, so that older ones can be put before them. */
  readonly entries: readonly Entry[];
}

export const blank: Transcript = { items: [], first: null, last: null, entries: [] };

/** Adds later entries. Known ones are skipped. */
export function append(transcript: Transcript, entries: readonly Entry[]): Transcript {
  const fresh = entries.filter(({ position }) => transcript.last === null || position > transcript.last);
  if (fresh.length === 0) return transcript;
  const items = [...transcript.items];
  const places = placesOf(items);
  for (const entry of fresh) add(items, places, entry);
  return {
    items,
    first: transcript.first ?? fresh[0]?.position ?? null,
    last: fresh.at(-1)?.position ?? transcript.last,
    entries: [...transcript.entries, ...fresh],
  };
}

/** Puts entries before the existing ones. A result may then find its call, so everything is read again. */
export function prepend(transcript: Transcript, entries: readonly Entry[]): Transcript {
  const fresh = entries.filter(({ position }) => transcript.first === null || position < transcript.first);
  return fresh.length === 0 ? transcript : append(blank, [...fresh, ...transcript.entries]);
}

/** The places of calls and messages, to find them for later events. */
type Places = Map<string, number>;

function placesOf(items: readonly Item[]): Places {
  const places: Places = new Map();
  items.forEach((item, place) => {
    if (item.kind === "tool") places.set(item.call, place);
    if (item.kind === "said") places.set(item.message, place);
  });
  return places;
}

function add(items: Item[], places: Places, entry: Entry) {
  entry.events.forEach((event, nth) => {
    try {
      one(items, places, event, { key: `${entry.position}.${nth}`, at: entry.at });
    } catch {
      // A malformed event is shown as raw data, and the rest goes on.
      items.push({ key: `${entry.position}.${nth}`, at: entry.at, kind: "unknown", raw: event });
    }
  });
}

function one(items: Item[], places: Places, event: Event, head: { key: string; at: number }) {
  const push = (body: Body) => void items.push({ ...head, ...body });
  const amend = (name: string, change: (item: Item) => Item): boolean => {
    const place = places.get(name);
    const item = place === undefined ? undefined : items[place];
    if (place === undefined || !item) return false;
    items[place] = change(item);
    return true;
  };
  switch (event.type) {
    case "said":
      places.set(event.message, items.length);
      return push({ kind: "said", by: event.by?.person ?? null, message: event.message, text: text(event.text), about: event.about ?? null, state: "waits" });
    case "unsaid":
      amend(event.message, (item) => (item.kind === "said" ? { ...item, state: "withdrawn" } : item));
      return;
    case "handed":
    case "delivered":
      if ("message" in event.parcel) amend(event.parcel.message, (item) => (item.kind === "said" ? { ...item, state: "heard" } : item));
      return;
    case "text":
      return push({ kind: "text", block: event.block, text: text(event.text) });
    case "thinking":
      return push({ kind: "thinking", block: event.block, text: text(event.text) });
    case "tool_called":
      // Questions and plans are shown as the ask that they became; other tools are shown beside it.
      places.set(event.call, items.length);
      return push({ kind: "tool", call: event.call, name: text(event.name), input: event.input, ask: event.ask ?? null, ruled: null, result: null });
    case "tool_returned": {
      const result: Result = { ok: event.ok, output: text(event.output), at: head.at };
      const found = amend(event.call, (item) => (item.kind === "tool" ? { ...item, result } : item));
      if (!found) push({ kind: "tool", call: event.call, name: "", input: null, ask: null, ruled: null, result });
      return;
    }
    case "tool_ruled": {
      const place = event.file == null ? null : `${text(event.file)}:${event.line ?? 1}`;
      const ruled: Ruled = { rule: text(event.rule), place, ruling: event.ruling };
      if (amend(event.call, (item) => (item.kind === "tool" ? { ...item, ruled } : item))) return;
      places.set(event.call, items.length);
      return push({ kind: "tool", call: event.call, name: text(event.tool), input: null, ask: null, ruled, result: null });
    }
    case "asked":
      return push({ kind: "ask", ask: text(event.ask.id) });
    case "turn_ended":
      return push({ kind: "turn_ended", reason: text(event.reason), usage: usageOf(event.usage) });
    case "notice":
      return push({ kind: "notice", level: event.level, text: text(event.text) });
    case "interrupted":
      return push({ kind: "interrupted", by: event.by?.person ?? null });
    case "configured": {
      const { model, mode, title } = event.settings;
      return push({ kind: "configured", model: model ?? null, mode: mode ?? null, title: title ?? null });
    }
    case "closed":
      return push({ kind: "closed", why: text(event.why) });
    case "continued":
      return push({ kind: "continued", to: event.to });
    case "started": case "hosted": case "unhosted": case "proposed": case "undone": case "extended": case "voted":
    case "settled": case "withdrawn": case "overtaken": case "parked": case "stranded": case "late_answered":
    case "overrule_used":
      // The state of an ask or a process is shown with it, not where it changed.
      return;
    default:
      return push({ kind: "unknown", raw: event });
  }
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("a text was expected");
  return value;
}

const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** Parses Claude Code's report about a turn. Other agents may report less, or in another form. */
export function usageOf(raw: unknown): Usage | null {
  if (typeof raw !== "object" || raw === null) return null;
  const said = raw as Record<string, unknown>;
  const tokens = (typeof said.usage === "object" && said.usage !== null ? said.usage : said) as Record<string, unknown>;
  const inputs = [tokens.input_tokens, tokens.cache_read_input_tokens, tokens.cache_creation_input_tokens].map(number);
  const usage: Usage = {
    costUsd: number(said.total_cost_usd ?? said.cost_usd),
    tokensIn: inputs.every((count) => count === null) ? null : inputs.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    tokensOut: number(tokens.output_tokens),
  };
  return Object.values(usage).every((value) => value === null) ? null : usage;
}
