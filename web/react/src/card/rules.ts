/** Rules of askbridge that a person makes of a decision, from a card. */

import { createContext, useContext, useEffect, useRef, useState } from "react";
import type { Ask, NewRemembered, Remembered, RuleOffer } from "@askbridge/client";
import type { RuleWords } from "@askbridge/words/rules";

export interface CardRules {
  /** Returns the rule that would be saved. */
  readonly preview: (rule: NewRemembered) => Promise<Remembered>;
  /** Saves it. */
  readonly save: (rule: NewRemembered) => Promise<Remembered>;
  /** Returns the rule that is offered about an ask after several same decisions. `null`: none. */
  readonly offer: (ask: string) => Promise<RuleOffer | null>;
}

/** `null`: this person may make no rules, or there is no server to ask. */
export const Rules = createContext<CardRules | null>(null);

export const useRules = (): CardRules | null => useContext(Rules);

/** Asks for the offer about an ask: while it is open, and once it is answered if it was open on this card. A history asks for none. */
export function useOffer(ask: Ask): RuleOffer | null {
  const rules = useRules();
  const [found, setFound] = useState<{ readonly id: string; readonly offer: RuleOffer | null } | null>(null);
  const wasOpen = useRef(false);
  if (ask.state === "open") wasOpen.current = true;
  const isAsked = (ask.kind === "approval" || ask.kind === "questions") && (ask.state === "open" || (ask.state === "answered" && wasOpen.current));
  useEffect(() => {
    if (!rules || !isAsked) return;
    let isGone = false;
    // Without a response nothing is offered.
    rules.offer(ask.id).then((offer) => isGone || setFound({ id: ask.id, offer }), () => undefined);
    return () => void (isGone = true);
  }, [rules, ask.id, ask.state, isAsked]);
  return isAsked && found?.id === ask.id ? found.offer : null;
}

/** Where Claude Code writes a rule, from what the rule itself says. `null`: in no file. `undefined`: the rule does not say it. */
export function fileOf(rule: unknown): string | null | undefined {
  const destination = typeof rule === "object" && rule !== null ? (rule as { destination?: unknown }).destination : undefined;
  switch (destination) {
    case "localSettings":
      return ".claude/settings.local.json";
    case "projectSettings":
      return ".claude/settings.json";
    case "userSettings":
      return "~/.claude/settings.json";
    case "session":
      return null;
    default:
      return undefined;
  }
}

export type Where = NonNullable<NewRemembered["for"]>;

/** Where a rule holds, in words. */
export const PLACES_FOR_RULES = { session: "ruleInSession", project: "ruleInProject", everywhere: "ruleEverywhere" } as const satisfies Readonly<Record<Where, keyof RuleWords>>;

export type Span = "today" | "week" | "month" | "good";

/** Until when it holds, in words. */
export const SPANS = { today: "ruleToday", week: "ruleWeek", month: "ruleMonth", good: "ruleForGood" } as const satisfies Readonly<Record<Span, keyof RuleWords>>;

/** Until when a rule holds: to the end of the person's own day, for some days, or for good. */
export function untilOf(span: Span, now: number): Pick<NewRemembered, "until" | "for_good"> {
  if (span === "good") return { for_good: true };
  const end = new Date(now);
  if (span === "today") end.setHours(23, 59, 59, 0);
  else end.setTime(now + (span === "week" ? 7 : 30) * 24 * 60 * 60 * 1000);
  // A minute before midnight, today is over before the rule is of use.
  if (end.getTime() - now < 60_000) end.setTime(now + 60_000);
  return { until: end.toISOString() };
}
