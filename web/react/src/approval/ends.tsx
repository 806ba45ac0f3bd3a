/** Has the end of what would run been in view? A long command can hide what matters most in its last line. */

import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useWords } from "../wording.tsx";

/**
 * `settling`: not known yet. `visible`: all of it is in view, for less than a moment. `hidden`: some of it has never been in
 * view. `seen` stays, also when the text is scrolled away or edited afterwards.
 */
export type EndState = "settling" | "visible" | "hidden" | "seen";

type Sight = "unknown" | "hidden" | "visible" | "seen";

export interface Ends {
  readonly state: EndState;
  /** Scrolls to the first end that was not in view, and takes the focus there. */
  readonly show: () => void;
  /** For what has the ends: stays the same for as long as the card is there. */
  readonly lookout: Lookout;
}

interface Lookout {
  readonly watch: (end: symbol, element: HTMLElement, sight: Sight) => void;
  readonly leave: (end: symbol) => void;
}

const Context = createContext<Lookout | null>(null);
export const EndsProvider = Context.Provider;

/** So long an end stays in view before it counts, so that the second tap of a double tap does not allow anything. */
const SETTLE_MS = 400;

/**
 * Which ends there are, and whether they were seen. `isOriginal`: what is shown is what the agent asked for. Having seen the
 * end of a text that a person wrote in its place says nothing about the original.
 */
export function useEnds(isOriginal = true): Ends {
  const places = useRef(new Map<symbol, { element: HTMLElement; sight: Sight }>());
  const [now, setNow] = useState<Exclude<EndState, "seen">>("settling");
  const [seen, setSeen] = useState({ original: false, edited: false });
  const shows = useRef(isOriginal);
  shows.current = isOriginal;
  const look = useCallback(() => {
    const sights = [...places.current.values()].map(({ sight }) => sight);
    const isVisible = sights.length > 0 && sights.every((sight) => sight === "visible" || sight === "seen");
    setNow(sights.includes("hidden") ? "hidden" : isVisible ? "visible" : "settling");
    return sights.length > 0 && sights.every((sight) => sight === "seen");
  }, []);
  const watch = useCallback(
    (end: symbol, element: HTMLElement, sight: Sight) => {
      const before = places.current.get(end)?.sight;
      places.current.set(end, { element, sight: before === "seen" ? "seen" : sight });
      if (!look()) return;
      const which = shows.current ? "original" : "edited";
      setSeen((known) => (known[which] ? known : { ...known, [which]: true }));
    },
    [look],
  );
  const leave = useCallback(
    (end: symbol) => {
      places.current.delete(end);
      // What is taken away was not seen by that: ends leave one by one, and the last one may have been in view.
      look();
    },
    [look],
  );
  const state: EndState = seen.original || (!isOriginal && seen.edited) ? "seen" : now;
  const show = useCallback(() => {
    const first = [...places.current.values()].find(({ sight }) => sight !== "seen");
    if (!first) return;
    // A text field has its end inside.
    if (first.element instanceof HTMLTextAreaElement) first.element.scrollTop = first.element.scrollHeight;
    first.element.scrollIntoView({ block: "center" });
    first.element.focus({ preventScroll: true });
  }, []);
  const lookout = useMemo(() => ({ watch, leave }), [watch, leave]);
  return useMemo(() => ({ state, show, lookout }), [state, show, lookout]);
}

/** What has to be read before something may be allowed. `null`: nothing has. */
export type Unread = { readonly state: "settling" | "hidden" | "seen"; readonly show: () => void } | null;

/** What is grave stays in view for a moment before it may be allowed; of everything else the end has to be in view. */
export function unreadOf({ state, show }: Pick<Ends, "state" | "show">, isGrave: boolean): Unread {
  if (state === "visible") return isGrave ? { state: "settling", show } : null;
  return { state, show };
}

export interface EndOptions {
  /** More is left out behind it. */
  readonly isCut?: boolean;
  /** It stands in for something that is still being loaded: being in view is not enough for what is grave. */
  readonly isPreliminary?: boolean;
  /** When this changes, it is another end: that the one before was seen does not count. */
  readonly of?: unknown;
}

/** Tells the ends around it how much of one element has been seen. */
export function useEnd(element: RefObject<HTMLElement | null>, { isCut = false, isPreliminary = false, of }: EndOptions = {}) {
  const ends = useContext(Context);
  const [end] = useState(() => Symbol("end"));
  useEffect(() => {
    const place = element.current;
    if (!place || !ends) return;
    const { watch, leave } = ends;
    if (isCut || typeof IntersectionObserver === "undefined") {
      watch(end, place, "hidden");
      return () => leave(end);
    }
    let settling: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const isIn = entries.at(-1)?.isIntersecting ?? false;
        clearTimeout(settling);
        // Nothing leads to an end that is about to be replaced.
        watch(end, place, isIn ? "visible" : isPreliminary ? "unknown" : "hidden");
        if (isIn && !isPreliminary) settling = setTimeout(() => watch(end, place, "seen"), SETTLE_MS);
      },
      // What is behind the buttons that stay at the lower edge of a phone is not in view.
      { rootMargin: `0px 0px -${footPx(place)}px 0px` },
    );
    watch(end, place, "unknown");
    observer.observe(place);
    return () => {
      clearTimeout(settling);
      observer.disconnect();
      leave(end);
    };
  }, [element, ends, end, isCut, isPreliminary, of]);
}

function footPx(place: HTMLElement): number {
  const foot = place.closest(".ab-card")?.querySelector<HTMLElement>(".ab-foot");
  if (!foot || getComputedStyle(foot).position !== "sticky") return 0;
  // It stays at the edge of what scrolls, which may end above the window's.
  const { top, height } = foot.getBoundingClientRect();
  return Math.round(Math.min(window.innerHeight / 2, Math.max(height, window.innerHeight - top)));
}

/** The end of a text that would run. Heard by those who do not see it. */
export function End({ isPreliminary = false }: Pick<EndOptions, "isPreliminary">) {
  const words = useWords();
  const place = useRef<HTMLSpanElement>(null);
  useEnd(place, { isPreliminary });
  return (
    <span ref={place} className="ab-end" tabIndex={-1}>
      <span className="ab-aloud">{words.endAloud}</span>
    </span>
  );
}
