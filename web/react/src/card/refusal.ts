/** Explains the server's refusal to the person. */

import type { Because } from "@askbridge/client";
import type { CardWords, Language } from "@askbridge/words";
import { ago } from "../time.ts";
import { whoOf } from "./who.ts";

export function refusal(because: Because, me: string | undefined, now: number, words: CardWords, language: Language): string {
  const { winner } = because;
  if (winner?.by && !("rule" in winner.by) && winner.by.person === me)
    return words.refusedYouFirst(winner.by.device ?? "", ago(Date.parse(winner.at), now, language));
  if (winner)
    return winner.by === null
      ? words.refusedExpired
      : words.refusedFirst(whoOf(winner.by, me, words), ago(Date.parse(winner.at), now, language));
  switch (because.code) {
    case "gone":
      return words.refusedGone;
    case "answer_does_not_fit":
      return words.refusedUnfit;
    case "nothing_to_undo":
      return words.refusedNothingToUndo;
    case "forbidden":
    case "agent_may_not_decide":
      return words.refusedForbidden;
    case "unknown_ask":
      return words.refusedUnknown;
    case "unreachable":
      return words.unreachable;
    default:
      return words.refusedBecause(because.detail);
  }
}
