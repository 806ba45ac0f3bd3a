/** Tracks whether the end of what would run has been in view: a long command can hide what matters most in its last line. */

import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useWords } from "../wording.tsx";

/**
 * `settling`: not known yet. `visible`: all of it is in view, but not for long enough. `hidden`: some of it has never been in
 * view. `seen` is final, even if the text is scrolled away or edited afterwards.
 */
export type EndState = "settling" | "visible" | "hidden" | "seen";

type Sight = "unknown" | "hidden" | "visible" | "seen";

export interface Ends {
  readonly state: EndState;
  /** Scrolls to the first end that was not in view, and focuses it. */
  readonly show: () => void;
  /** For the elements with ends; the same object as long as the card exists. */
  readonly lookout: Lookout;
}

interface Lookout {
  readonly watch: (end: symbol, element: HTMLElement, sight: Sight) => void;
  readonly leave: (end: symbol) => void;
}

const Context = createContext<Lookout | null>(null);
export const EndsProvider = Context.Provider;

/** How long an end has to be in view before it counts, so that the second tap of a double tap does not allow anything. */
const SETTLE_MS = 400;

/**
 * Collects the ends, and whether they were seen. `isOriginal`: what is shown is what the agent asked for. Having seen the
 * end of a person's own text in its place says nothing about the original.
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
      // Removing an end does not count as having seen it: ends are removed one by one, and the last one may have been in view.
      look();
    },
    [look],
  );
  const state: EndState = seen.original || (!isOriginal && seen.edited) ? "seen" : now;
  const show = useCallback(() => {
    const first = [...places.current.values()].find(({ sight }) => sight !== "seen");
    if (!first) return;
    // A text field scrolls its own content.
    if (first.element instanceof HTMLTextAreaElement) first.element.scrollTop = first.element.scrollHeight;
    first.element.scrollIntoView({ block: "center" });
    first.element.focus({ preventScroll: true });
  }, []);
  const lookout = useMemo(() => ({ watch, leave }), [watch, leave]);
  return useMemo(() => ({ state, show, lookout }), [state, show, lookout]);
}

/** What has to be read before something may be allowed. `null`: nothing. */
export type Unread = { readonly state: "settling" | "hidden" | "seen"; readonly show: () => void } | null;

/** Grave input has to be in view for a moment before it may be allowed; for all other input the end has to be in view. */
export function unreadOf({ state, show }: Pick<Ends, "state" | "show">, isGrave: boolean): Unread {
  if (state === "visible") return isGrave ? { state: "settling", show } : null;
  return { state, show };
}

export interface EndOptions {
  /** More text after it is left out. */
  readonly isCut?: boolean;
  /** It is a placeholder while something is loaded: for grave input, being in view is not enough. */
  readonly isPreliminary?: boolean;
  /** When this changes, it is a new end, which was not seen yet. */
  readonly of?: unknown;
}

/** Reports to the surrounding card how much of an element has been seen. */
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
        // Do not scroll to an end that is about to be replaced.
        watch(end, place, isIn ? "visible" : isPreliminary ? "unknown" : "hidden");
        if (isIn && !isPreliminary) settling = setTimeout(() => watch(end, place, "seen"), SETTLE_MS);
      },
      // What is behind the sticky buttons at the lower edge of a phone is not in view.
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
  // It sticks to the edge of the scrolling element, which may end above the window's.
  const { top, height } = foot.getBoundingClientRect();
  return Math.round(Math.min(window.innerHeight / 2, Math.max(height, window.innerHeight - top)));
}

/** Marks the end of a text that would run. Screen readers announce it. */
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
