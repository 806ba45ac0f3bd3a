/** What a channel tells of besides asks. */

import type { NewsKind } from "@askbridge/client";
import type { ReachWords } from "@askbridge/words";

/** All of them, in the order in which they are offered. Only ntfy can tell that askbridge is down. */
export const tellable = (kind: string): readonly NewsKind[] =>
  kind === "ntfy" ? [...EVERYWHERE, "down"] : EVERYWHERE;

const EVERYWHERE: readonly NewsKind[] = ["agent_failed", "expired", "turn_ended", "channel_failed", "digest"];

const NAMES = {
  turn_ended: "tellsTurnEnded", agent_failed: "tellsAgentFailed", expired: "tellsExpired", channel_failed: "tellsChannelFailed",
  down: "tellsDown", digest: "tellsDigest", test: "aboutTest",
} as const;

const isKnown = (about: string): about is keyof typeof NAMES => about in NAMES;

/** What a ring was about, if not an ask. */
export const aboutInWords = (about: string, words: ReachWords): string => (isKnown(about) ? words[NAMES[about]] : about);
