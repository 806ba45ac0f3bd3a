/** The sentence about a node that is down or gone, for cards and conversations. */

import type { Session } from "@askbridge/client";
import type { CardWords, Language } from "@askbridge/words";
import { moment } from "../time.ts";

/** The node of an agent, where several share the journal. */
type Host = Session["host"];

/** Returns since when it is down, and what becomes of an answer; or that it is gone. `null` for one that is up, or is the only one. */
export function hostDown(host: Host, now: number, words: CardWords, language: Language): string | null {
  if (!host || host.state === "up") return null;
  if (host.state === "gone") return words.hostGone(host.name);
  return words.hostDown(host.name, host.since ? moment(Date.parse(host.since), now, language) : "?");
}
