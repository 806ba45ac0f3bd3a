/** The time left to answer, and a button for ten more minutes. */

import { useEffect, useState } from "react";
import { useNow } from "../now.ts";
import { clock } from "../time.ts";
import { useWords } from "../wording.tsx";
import { Icon } from "./Icon.tsx";

const MORE_SECONDS = 600;
const MINUTE = 60_000;

export function Countdown({ deadline, onExtend }: { readonly deadline: string; readonly onExtend: (seconds: number) => void }) {
  const words = useWords();
  const left = Date.parse(deadline) - useNow();
  // A countdown that is read aloud every second would drown everything else, so only two moments are.
  const mark = left <= 0 ? "" : left <= MINUTE ? words.minuteLeftAloud : left <= 10 * MINUTE ? words.tenMinutesLeftAloud : "";
  const [first] = useState(mark);
  const [aloud, setAloud] = useState("");
  useEffect(() => {
    if (mark !== first) setAloud(mark);
  }, [mark, first]);
  return (
    <div className="ab-countdown" data-soon={left < 2 * MINUTE ? "" : undefined}>
      <span role="timer">
        <Icon of="clock" />
        {left > 0 ? words.left(clock(left, words)) : words.timeIsUp}
      </span>
      <button type="button" className="ab-button" data-tone="quiet" onClick={() => onExtend(MORE_SECONDS)}>
        {words.tenMoreMinutes}
      </button>
      <span className="ab-aloud" aria-live="polite">
        {aloud}
      </span>
    </div>
  );
}
