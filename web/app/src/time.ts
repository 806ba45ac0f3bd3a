/** Times for people. */

import { useEffect, useState } from "react";
import { useAhead } from "@askbridge/react";
import type { Language } from "@askbridge/words";

/** The current time by the server's clock, updated at this interval. */
export function useNow(everyMs: number): number {
  const ahead = useAhead();
  return useHere(everyMs) + ahead;
}

/** The current time by this device's clock, updated at this interval: for what only this device does. */
export function useHere(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1_000],
];

/** "12 seconds ago". */
export function ago(at: number, now: number, language: Language): string {
  const passed = Math.max(0, now - at);
  const [unit, size] = STEPS.find(([, ms]) => passed >= ms) ?? ["second", 1_000];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.floor(passed / size), unit);
}

/** The time of day, with the date if it was another one. */
export function clock(at: number, now: number, language: Language): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(language, sameDay ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" }).format(at);
}
