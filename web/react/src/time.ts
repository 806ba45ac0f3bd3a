/** Times for people. */

import type { CardWords, Language } from "@askbridge/words";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was: "12 seconds ago". A time in the future, because two clocks differ, counts as just now. */
export function ago(at: number, now: number, language: Language): string {
  const past = Math.max(0, now - at);
  const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  if (past < MINUTE) return format.format(-Math.max(1, Math.floor(past / SECOND)), "second");
  if (past < HOUR) return format.format(-Math.floor(past / MINUTE), "minute");
  if (past < DAY) return format.format(-Math.floor(past / HOUR), "hour");
  return format.format(-Math.floor(past / DAY), "day");
}

/** A duration in one or two words: "4 min". */
export function stretch(ms: number, words: CardWords): string {
  if (ms < MINUTE) return words.lessThanAMinute;
  if (ms < HOUR) return words.minutes(Math.floor(ms / MINUTE));
  if (ms < DAY) return words.hours(Math.floor(ms / HOUR));
  return words.days(Math.floor(ms / DAY));
}

/** The time left: `9:41`, and in words beyond an hour. Rounded down to seconds. */
export function clock(ms: number, words: CardWords): string {
  const left = Math.max(0, ms);
  if (left >= DAY) return words.days(Math.floor(left / DAY));
  if (left >= HOUR) return `${words.hours(Math.floor(left / HOUR))} ${words.minutes(Math.floor((left % HOUR) / MINUTE))}`;
  const seconds = Math.floor(left / SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The time of day, and the date if it was not today. */
export function moment(at: number, now: number, language: Language): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(language, isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" }).format(
    at,
  );
}
