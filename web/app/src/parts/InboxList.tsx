/** The list of what waits. Only the rows that can be seen are there. */

import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { isWaiting, type AskView } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { ago } from "../time.ts";
import { useWords } from "../words.ts";
import { headline } from "./headline.ts";

const ROW_PX = 76;
/** Rows above and below what can be seen. */
const SPARE = 8;

export function InboxList({ views, current, language, now, onChoose }: {
  readonly views: readonly AskView[]; readonly current: string | null; readonly language: Language; readonly now: number; readonly onChoose: (id: string) => void;
}) {
  const words = useWords();
  const list = useRef<HTMLUListElement>(null);
  const [span, setSpan] = useState({ from: 0, to: 30 });
  useLayoutEffect(() => {
    const look = () => {
      const box = list.current?.getBoundingClientRect();
      if (!box) return;
      const from = Math.max(0, Math.floor(-box.top / ROW_PX) - SPARE);
      const to = from + Math.ceil(window.innerHeight / ROW_PX) + 2 * SPARE;
      setSpan((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }, [views.length]);

  const wantsFocus = useRef<string | null>(null);
  useEffect(() => {
    if (wantsFocus.current === null) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-id="${wantsFocus.current}"]`);
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
    if (row) wantsFocus.current = null;
  });
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const at = views.findIndex((view) => view.id === (event.target as HTMLElement).dataset.id);
    const next = step === undefined ? undefined : views[at + step];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    wantsFocus.current = next.id;
    const place = (at + (step ?? 0)) * ROW_PX;
    const box = list.current?.getBoundingClientRect();
    if (box && (box.top + place < 0 || box.top + place + ROW_PX > window.innerHeight)) window.scrollBy({ top: (step ?? 0) * ROW_PX });
    onChooseRow(next.id);
  };
  const onChooseRow = (id: string) => {
    if (current !== null) onChoose(id);
    else list.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)?.focus();
  };
  const seen = views.slice(span.from, span.to);
  return (
    <ul ref={list} className="app-asks" aria-label={words.inbox} style={{ height: views.length * ROW_PX }} onKeyDown={move}>
      {seen.map((view, nth) => (
        <li key={view.id} style={{ transform: `translateY(${(span.from + nth) * ROW_PX}px)` }}>
          <button type="button" data-id={view.id} className="app-asks-row" data-over={!isWaiting(view)} aria-current={view.id === current ? "true" : undefined} onClick={() => onChoose(view.id)}>
            <span className="app-row-title">{headline(view.ask)}</span>
            <span className="app-row-more">{view.ask.agent} · {ago(Date.parse(view.ask.asked_at), now, language)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
