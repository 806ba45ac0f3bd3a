/**
 * The conversation itself. Only a window of it is rendered: it begins at the end, grows upwards when the person
 * scrolls there, and drops what is far away. What is in view never moves because something else is added or removed.
 */

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { unfinished, type Conversation } from "@askbridge/client";
import { Markdown, Preparing, useClient } from "@askbridge/react";
import { languageOf, useSettings } from "../settings.ts";
import { useWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";
import { Row } from "./Row.tsx";

/** The number of rendered items at most, and how many are added or removed at once. */
const WINDOW = 240;
const STEP = 80;
/** This close to an edge, more items are loaded. */
const NEAR_PX = 600;

export function Log({ session, conversation, works }: { readonly session: string; readonly conversation: Conversation; readonly works: boolean }) {
  const words = useWords();
  const client = useClient();
  const { items } = conversation.transcript;
  const box = useRef<HTMLDivElement>(null);
  /** The key of the first rendered item, because items before it may come and go. `null`: the window is at the end. */
  const [top, setTop] = useState<string | null>(null);
  const [atEnd, setAtEnd] = useState(true);
  const anchor = useRef<{ key: string; top: number } | null>(null);

  const found = top === null ? -1 : items.findIndex((item) => item.key === top);
  const from = found >= 0 ? found : Math.max(0, items.length - WINDOW / 2);
  const to = top === null ? items.length : Math.min(items.length, from + WINDOW);
  const shown = items.slice(from, to);

  /** Remembers what is at the top of the screen, to keep it there. */
  const hold = useCallback(() => {
    const frame = box.current;
    if (!frame) return;
    const edge = frame.getBoundingClientRect().top;
    for (const row of frame.querySelectorAll<HTMLElement>("[data-key]")) {
      const { bottom, top: place } = row.getBoundingClientRect();
      if (bottom > edge) return void (anchor.current = { key: row.dataset.key ?? "", top: place - edge });
    }
  }, []);

  const scrolled = () => {
    const frame = box.current;
    if (!frame) return;
    const below = frame.scrollHeight - frame.scrollTop - frame.clientHeight;
    const isAtEnd = to === items.length && below < 40;
    setAtEnd(isAtEnd);
    hold();
    if (frame.scrollTop < NEAR_PX) {
      if (from > 0) setTop(items[Math.max(0, from - STEP)]?.key ?? null);
      else if (conversation.older && !conversation.loading) {
        setTop(items[from]?.key ?? null);
        void client.older(session);
      }
    } else if (below < NEAR_PX && to < items.length) {
      setTop(items[Math.min(items.length - WINDOW, from + STEP)]?.key ?? null);
    } else if (isAtEnd && top !== null) setTop(null);
  };

  // After every change: a person who reads the end stays at the end, and one who reads elsewhere stays there.
  useLayoutEffect(() => {
    const frame = box.current;
    if (!frame) return;
    if (atEnd) return void (frame.scrollTop = frame.scrollHeight);
    const held = anchor.current;
    const row = held && frame.querySelector<HTMLElement>(`[data-key="${CSS.escape(held.key)}"]`);
    if (!row || !held) return;
    const moved = row.getBoundingClientRect().top - frame.getBoundingClientRect().top - held.top;
    if (Math.abs(moved) > 1) frame.scrollTop += moved;
  }, [items, from, to, conversation.live?.text, atEnd]);

  // Content that loads later, such as a picture or a card, must not push the end away either.
  useLayoutEffect(() => {
    const frame = box.current;
    const inner = frame?.firstElementChild;
    if (!frame || !inner) return;
    const watch = new ResizeObserver(() => {
      if (atEnd) frame.scrollTop = frame.scrollHeight;
    });
    watch.observe(inner);
    watch.observe(frame);
    return () => watch.disconnect();
  }, [atEnd]);

  const toEnd = () => {
    setTop(null);
    setAtEnd(true);
  };
  return (
    <div className="app-log-frame">
      <div ref={box} className="app-log" onScroll={scrolled} tabIndex={0} role="log" aria-label={words.conversation} aria-live="off">
        <ol>
          {(from > 0 || conversation.older) && <li className="app-log-older"><Button kind="quiet" onClick={scrolled}>{conversation.loading ? words.looking : words.older}</Button></li>}
          {shown.map((item) => <li key={item.key} data-key={item.key} data-kind={item.kind}><Row item={item} session={session} /></li>)}
          {conversation.live && to === items.length && (
            <li data-key="live" data-kind={conversation.live.kind} className="app-live">
              {conversation.live.kind === "asking" ? <BeingAsked json={conversation.live.text} /> : conversation.live.kind === "thinking"
                ? <details className="app-fold" open><summary>{words.thinking}</summary><div className="app-fold-body app-thinking"><Markdown text={conversation.live.text} /></div></details>
                : <Markdown text={conversation.live.text} />}
            </li>
          )}
          {works && !conversation.live && to === items.length && <li className="app-works app-line" role="status"><span className="app-works-light" aria-hidden="true" />{words.works}</li>}
          {items.length === 0 && !conversation.loading && <li className="app-note">{words.nothingSaid}</li>}
        </ol>
      </div>
      {!atEnd && <Button className="app-to-end" onClick={toEnd}>{words.toEnd}</Button>}
    </div>
  );
}

/** A question that is shown while it is streamed. */
function BeingAsked({ json }: { readonly json: string }) {
  const language = languageOf(useSettings());
  const half = useMemo(() => unfinished(json), [json]);
  return <Preparing language={language} {...(half ? { text: half.question, options: half.options } : {})} />;
}
