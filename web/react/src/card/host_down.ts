/** The sentence about a node that is down, for cards and conversations. */

import type { Session } from "@askbridge/client";
import type { CardWords, Language } from "@askbridge/words";
import { moment } from "../time.ts";

/** The node of an agent, where several share the journal. */
type Host = Session["host"];

/** Returns since when it is down, and what becomes of an answer; `null` for a node that is up, or is the only one. */
export function hostDown(host: Host, now: number, words: CardWords, language: Language): string | null {
  if (!host || host.state !== "down") return null;
  return words.hostDown(host.name, host.since ? moment(Date.parse(host.since), now, language) : "?");
}
