/** Snoozes an ask. */

import { useId, useRef } from "react";
import { isSnoozed, type AskView } from "@askbridge/client";
import { useAhead, useClient } from "@askbridge/react";
import { useWords } from "../words.ts";
import { Button } from "./parts.tsx";

const HOUR_MS = 3_600_000;

/** Tomorrow at eight. */
function tomorrow(now: number): number {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  return day.setHours(8, 0, 0, 0);
}

export function SnoozeButton({ view, onSnoozed }: { readonly view: AskView; readonly onSnoozed: () => void }) {
  const words = useWords();
  const client = useClient();
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();
  const ahead = useAhead();
  if (isSnoozed(view, Date.now() + ahead)) return <Button kind="quiet" onClick={() => client.snooze(view.id, null)}>{words.showAgain}</Button>;
  const choose = (until: number) => {
    menu.current?.hidePopover();
    client.snooze(view.id, until + ahead);
    onSnoozed();
  };
  return (
    <span className="app-snooze">
      <Button kind="quiet" popoverTarget={id}>{words.notNow}</Button>
      <div ref={menu} id={id} popover="auto" className="app-menu" role="group" aria-label={words.notNow}>
        <Button kind="quiet" onClick={() => choose(Date.now() + HOUR_MS / 4)}>{words.inMinutes(15)}</Button>
        <Button kind="quiet" onClick={() => choose(Date.now() + HOUR_MS)}>{words.inHours(1)}</Button>
        <Button kind="quiet" onClick={() => choose(Date.now() + 4 * HOUR_MS)}>{words.inHours(4)}</Button>
        <Button kind="quiet" onClick={() => choose(tomorrow(Date.now()))}>{words.tomorrowMorning}</Button>
      </div>
    </span>
  );
}
