/**
 * Applies an event to a known ask.
 *
 * Events arrive as they are stored, and the store's shape is not the API's. What the event alone determines in the API's shape
 * is applied at once; for the rest the ask is fetched again (`look`), so that the same logic does not exist in two
 * languages.
 */

import type { Ask, By, Event, RecordedOutcome, RecordedWho } from "./types.ts";

export interface Folded {
  readonly ask: Ask;
  /** The ask has to be fetched: the server knows more than the event says. */
  readonly look: boolean;
}

const time = (ms: number) => new Date(ms).toISOString();

const by = (who: RecordedWho): By => ({ person: who.person, device: who.device, via: who.via });

/** The rule that decided, and where it is written. */
function ruled({ rule, file, line }: RecordedOutcome): By | null {
  if (rule === undefined) return null;
  return { rule, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) };
}

/** Returns the ask that an event is about, if any. Unknown events name theirs like the others. */
export function askOf(event: Event): string | null {
  if (event.type === "asked") return event.ask.id;
  if (event.type === "delivered" || event.type === "handed") return "verdict" in event.parcel ? event.parcel.verdict : null;
  const ask = (event as { ask?: unknown }).ask;
  return typeof ask === "string" && event.type !== "tool_called" ? ask : null;
}

export function fold(ask: Ask, event: Event): Folded {
  const now = (change: Partial<Ask>): Folded => ({ ask: { ...ask, ...change } as Ask, look: false });
  const soon = (change: Partial<Ask>): Folded => ({ ...now(change), look: true });
  switch (event.type) {
    case "extended":
      return now({ deadline: event.deadline === undefined ? null : time(event.deadline) });
    case "parked":
      return now({ parked: true });
    case "stranded":
      return now({ stranded: true });
    case "handed":
    case "overrule_used":
      return now({});
    case "delivered":
      // An MCP client takes the decision about a tool, and never reports what it ran.
      return ask.door === "mcp" && ask.kind === "approval"
        ? now({ handed_at: time(event.at) })
        : now({ delivered_at: time(event.at) });
    case "proposed":
      return soon({ state: "proposed", undo_until: time(event.until), by: by(event.by) });
    case "settled": {
      const { outcome } = event;
      const who = outcome.by ? by(outcome.by) : ruled(outcome);
      return soon({ state: outcome.type, settled_at: time(event.at), by: who, ...(outcome.words === undefined ? {} : { words: outcome.words }) });
    }
    case "withdrawn":
      return now({ state: "withdrawn", settled_at: time(event.at), words: event.why, answerable: false });
    case "overtaken":
      return now({
        state: "overtaken",
        settled_at: time(event.at),
        words: event.mouth,
        answerable: false,
        ...(event.ran === undefined ? {} : { ran: event.ran }),
      });
    default:
      return soon({});
  }
}
