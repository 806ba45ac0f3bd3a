/** Where an ask rang for the person, and what became of that: a quiet line for each channel. */

import type { Ring } from "@askbridge/client";
import type { CardWords, Language } from "@askbridge/words";
import { useNow } from "../now.ts";
import { Seen } from "../text/Seen.tsx";
import { moment } from "../time.ts";
import { useSpoken, useWords } from "../wording.tsx";
import { Icon } from "./Icon.tsx";

/** Lines at most, so that many channels do not push the question away. */
const LINES_MAX = 4;

export function Rings({ rings, isOpen }: { readonly rings: readonly Ring[]; readonly isOpen: boolean }) {
  const words = useWords();
  const language = useSpoken();
  const now = useNow(false);
  const shown = rings.filter((ring) => isWorthALine(ring, isOpen)).slice(0, LINES_MAX);
  if (shown.length === 0) return null;
  return (
    <ul className="ab-rings" aria-label={words.rangWhere}>
      {shown.map((ring, at) => (
        <li key={at} data-state={ring.state} data-tone={ring.state === "failed" && isOpen ? "stop" : undefined}>
          <Icon of="bell" />
          <span><Seen text={ringLine(ring, isOpen, now, words, language)} /></span>
        </li>
      ))}
    </ul>
  );
}

/** That it did not ring matters while the question waits, and no longer. */
const isWorthALine = ({ state }: Ring, isOpen: boolean) => isOpen || (state !== "suppressed" && state !== "sending");

/** What became of one ring, in a few words. */
export function ringLine({ channel, state, at, why, rang_at, seen_at }: Ring, isOpen: boolean, now: number, words: CardWords, language: Language): string {
  const clock = (text: string) => moment(Date.parse(text), now, language);
  const time = clock(at);
  switch (state) {
    case "delivered": return words.rangDelivered(channel, clock(rang_at ?? at));
    case "seen": return words.rangSeen(channel, clock(rang_at ?? at), clock(seen_at ?? at));
    case "sending": return words.ringing(channel);
    case "sent": return words.rang(channel, time);
    case "answered": return words.rangAnswered(channel, time);
    case "closed": return words.rangClosed(channel, time);
    case "suppressed": return words.rangNot(channel, why ?? "");
    case "failed": return isOpen ? words.rangFailed(channel, why ?? "") : words.rangGaveUp(channel, why ?? "");
  }
}
