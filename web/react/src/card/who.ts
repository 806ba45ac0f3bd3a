/** Who did something, and when, in words. */

import type { By } from "@askbridge/client";
import type { CardWords } from "@askbridge/words";

/** The person and the device they used; "you" for the current person. Never a rule, which has its own words. */
export function whoOf(by: By | null, me: string | undefined, words: CardWords): string {
  if (by === null) return "?";
  if ("rule" in by) return by.rule;
  const person = by.person === me ? words.you : by.person;
  return by.device ? words.onDevice(person, by.device) : person;
}
