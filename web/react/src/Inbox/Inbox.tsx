/** The list of asks. Only the rows in view are rendered, even of ten thousand. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { AskView } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { useNow } from "../now.ts";
import { Speaks, useWords } from "../wording.tsx";
import { Row } from "./Row.tsx";
import { scrollFor, windowOf } from "./window.ts";

export interface InboxProps {
  /** In display order. */
  readonly views: readonly AskView[];
  readonly language: Language;
  readonly selected?: string | null;
  readonly onSelect: (id: string) => void;
  /** Leave it out where asks cannot be snoozed. */
  readonly onSnooze?: (id: string) => void;
  readonly me?: string;
  /** What scrolls: the list's own box, or the page around it. */
  readonly scrolls?: "box" | "page";
}

/** The height of a row in `inbox.css`, in units of the root's font size. */
const ROW_REM = 6;
/** The height to assume where nothing can be measured. */
const HEIGHT_PX = 800;

export function Inbox(props: InboxProps) {
  return (
    <Speaks.Provider value={props.language}>
      <List {...props} />
    </Speaks.Provider>
  );
}

function List({ views, selected = null, onSelect, onSnooze, me, scrolls = "box" }: InboxProps) {
  const words = useWords();
  const now = useNow();
  const box = useRef<HTMLDivElement>(null);
  const [topPx, setTop] = useState(0);
  const [heightPx, setHeight] = useState(HEIGHT_PX);
  const [rowPx, setRow] = useState(ROW_REM * 16);
  const [reached, setReached] = useState(0);
  const [wish, setWish] = useState<number | null>(null);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const measure = () => {
      setHeight((scrolls === "page" ? window.innerHeight : element.clientHeight) || HEIGHT_PX);
      setTop(scrolls === "page" ? Math.max(0, -element.getBoundingClientRect().top) : element.scrollTop);
      setRow((Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) * ROW_REM);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const moved = scrolls === "page" ? window : element;
    moved.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      moved.removeEventListener("scroll", measure);
    };
  }, [scrolls]);

  const at = Math.min(reached, Math.max(0, views.length - 1));
  const scrolled = { rows: views.length, rowPx, topPx, heightPx };
  const { from, to } = windowOf(scrolled);

  // A row has to be rendered before it can take the focus.
  useEffect(() => {
    if (wish === null) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${wish}"]`);
    if (!row) return;
    row.focus({ preventScroll: true });
    setWish(null);
  }, [wish, from, to]);

  // An ask that was selected elsewhere is scrolled into view too.
  useEffect(() => {
    const row = selected === null ? -1 : views.findIndex(({ id }) => id === selected);
    const top = row < 0 || scrolls === "page" ? null : scrollFor(row, scrolled);
    if (row >= 0) setReached(row);
    if (top === null || !box.current) return;
    box.current.scrollTop = top;
    setTop(top);
  }, [selected]);

  const go = (row: number) => {
    const next = Math.max(0, Math.min(views.length - 1, row));
    setReached(next);
    setWish(next);
    const top = scrollFor(next, scrolled);
    if (top === null) return;
    if (scrolls === "page" && box.current) window.scrollTo(0, window.scrollY + box.current.getBoundingClientRect().top + top);
    else if (box.current) box.current.scrollTop = top;
    setTop(top);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    const page = Math.max(1, Math.floor(heightPx / rowPx) - 1);
    const row = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: at - 1,
      k: at - 1,
      Home: 0,
      End: views.length - 1,
      PageDown: at + page,
      PageUp: at - page,
    }[event.key];
    if (row === undefined) return;
    event.preventDefault();
    go(row);
  };
  const onFocus = useCallback((row: number) => setReached(row), []);

  return (
    <div ref={box} className="ab-inbox" data-scrolls={scrolls} onKeyDown={onKeyDown}>
      <ul aria-label={words.inbox} style={{ paddingTop: from * rowPx, paddingBottom: (views.length - to) * rowPx }}>
        {views.slice(from, to).map((view, place) => (
          <Row
            key={view.id}
            view={view}
            now={now}
            me={me}
            at={from + place}
            of={views.length}
            isSelected={view.id === selected}
            isReachable={from + place === at}
            onSelect={onSelect}
            onSnooze={onSnooze}
            onFocus={onFocus}
          />
        ))}
      </ul>
    </div>
  );
}
