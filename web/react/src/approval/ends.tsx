/** Has the end of what would run been in view? A long command can hide what matters most in its last line. */

import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useWords } from "../wording.tsx";

/**
 * `settling`: not known yet, or in view for less than a moment. `hidden`: some of it has never been in view.
 * `seen` stays, also when the text is scrolled away or edited afterwards.
 */
export type EndState = "settling" | "hidden" | "seen";

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

export function useEnds(): Ends {
  const places = useRef(new Map<symbol, { element: HTMLElement; sight: Sight }>());
  const [state, setState] = useState<EndState>("settling");
  const look = useCallback(() => {
    const all = [...places.current.values()];
    setState((before) => {
      if (before === "seen") return before;
      if (all.length > 0 && all.every(({ sight }) => sight === "seen")) return "seen";
      return all.some(({ sight }) => sight === "hidden") ? "hidden" : "settling";
    });
  }, []);
  const watch = useCallback(
    (end: symbol, element: HTMLElement, sight: Sight) => {
      const before = places.current.get(end)?.sight;
      places.current.set(end, { element, sight: before === "seen" ? "seen" : sight });
      look();
    },
    [look],
  );
  const leave = useCallback(
    (end: symbol) => {
      places.current.delete(end);
      look();
    },
    [look],
  );
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

/** Tells the ends around it how much of one element has been seen, with `isCut` for one behind which more is left out. */
export function useEnd(element: RefObject<HTMLElement | null>, isCut = false) {
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
        watch(end, place, isIn ? "visible" : "hidden");
        if (isIn) settling = setTimeout(() => watch(end, place, "seen"), SETTLE_MS);
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
  }, [element, ends, end, isCut]);
}

function footPx(place: HTMLElement): number {
  const foot = place.closest(".ab-card")?.querySelector<HTMLElement>(".ab-foot");
  if (!foot || getComputedStyle(foot).position !== "sticky") return 0;
  // It stays at the edge of what scrolls, which may end above the window's.
  const { top, height } = foot.getBoundingClientRect();
  return Math.round(Math.min(window.innerHeight / 2, Math.max(height, window.innerHeight - top)));
}

/** The end of a text that would run. Heard by those who do not see it. */
export function End() {
  const words = useWords();
  const place = useRef<HTMLSpanElement>(null);
  useEnd(place);
  return (
    <span ref={place} className="ab-end" tabIndex={-1}>
      <span className="ab-aloud">{words.endAloud}</span>
    </span>
  );
}
