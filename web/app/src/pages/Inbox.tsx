/** All open asks, over all sessions and agents, and the card of the selected one. */

import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { isSnoozed, isWaiting, phaseOf, type AskView } from "@askbridge/client";
import { alike, Ask, Inbox, isTyping, toolName, useAsk, useBridge, useClient } from "@askbridge/react";
import { change, languageOf, useSettings, type Order } from "../settings.ts";
import { go, Link } from "../router.tsx";
import { useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { useWide } from "../wide.ts";
import { Button, Empty, Page } from "../parts/parts.tsx";
import { InstallHint } from "../parts/Install.tsx";
import { SnoozeButton } from "../parts/Snooze.tsx";
import { Unknown } from "../parts/Unknown.tsx";
import { focusList, leavesFilter, useInboxKeys } from "./inbox_keys.ts";
import { everything, isLongOver, rows, type Filter } from "./rows.ts";
import "./inbox.css";

/** Groups of similar approvals that are named above the list. */
const GROUPS_SHOWN_MAX = 2;

export function InboxPage({ chosen }: { readonly chosen: string | null }) {
  const words = useWords();
  const settings = useSettings();
  const client = useClient();
  const wide = useWide();
  const now = useNow(5_000);
  const [filter, setFilter] = useState(everything);
  // On a phone the list comes first.
  const [filtering, setFiltering] = useState(false);
  const deferred = useDeferredValue(filter);
  const state = useBridge((all) => all);
  const me = state.me?.name;
  const shown = useMemo(() => rows(state, deferred, settings.order, now), [state, deferred, settings.order, now]);
  const agents = useMemo(() => [...new Set([...state.asks.values()].map(({ ask }) => ask.agent))].sort(), [state.asks]);
  const snoozed = useMemo(() => [...state.asks.values()].filter((view) => isWaiting(view) && isSnoozed(view, now)).length, [state.asks, now]);

  const groups = useMemo(() => alike(shown), [shown]);

  // On a wide screen there is always a card beside the list. It stays after it is answered: the next one must not appear
  // under a finger that is still pressing.
  const stuck = useRef<string | null>(null);
  const held = stuck.current === null ? undefined : state.asks.get(stuck.current);
  if (!held || isSnoozed(held, now) !== filter.snoozed) stuck.current = (shown.find(isWaiting) ?? shown[0])?.id ?? null;
  if (chosen) stuck.current = chosen;
  const current = chosen ?? (wide ? stuck.current : null);
  useEffect(() => {
    if (chosen && !state.asks.has(chosen) && state.connection.state === "live") client.look([chosen]);
  }, [chosen, state.asks, state.connection.state, client]);

  // A person who returns to the page finds what is open, not what ended while they were away.
  const away = current === null ? undefined : state.asks.get(current);
  useReturn(wide && state.synced && away !== undefined && isLongOver(away, now) && shown.some(isWaiting), () => {
    stuck.current = null;
    go("/", "replace");
  });

  useListPlace(!wide, chosen);
  useCardFocus(chosen);
  const filterField = useRef<HTMLInputElement>(null);
  useInboxKeys({
    onStep: (by) => {
      const place = shown.findIndex(({ id }) => id === current);
      const to = place < 0 ? shown[0] : shown[place + by];
      if (to) go(`/asks/${to.id}`, wide || chosen ? "replace" : "push");
    },
    onFilter: () => {
      if (!wide && chosen) return;
      flushSync(() => setFiltering(true));
      filterField.current?.focus();
    },
    onLeave: () => {
      if (!wide && chosen) go("/");
      else focusList();
    },
  });

  if (!wide && chosen) return <AskPage id={chosen} next={after(shown, chosen)} />;
  return (
    <Page title={words.inbox} wide actions={
      <>
        {!wide && <Button kind="quiet" aria-expanded={filtering} aria-controls="filters" onClick={() => setFiltering(!filtering)}>{words.filter}</Button>}
        {(wide || filtering) && (
          <div id="filters" className="app-filters">
            <input ref={filterField} className="app-input app-filter-text" type="search" value={filter.text} placeholder={words.filter} aria-label={words.filter}
              onChange={({ target }) => setFilter({ ...filter, text: target.value })}
              onKeyDown={(event) => leavesFilter(event.nativeEvent, event.currentTarget, focusList) && event.preventDefault()} />
            <select className="app-select app-filter-select" aria-label={words.order} value={settings.order}
              onChange={({ target }) => change({ order: target.value as Order })}>
              <option value="longest">{words.longestWaiting}</option>
              <option value="due">{words.dueFirst}</option>
              <option value="newest">{words.newest}</option>
            </select>
            <select className="app-select app-filter-select" aria-label={words.kind} value={filter.kind}
              onChange={({ target }) => setFilter({ ...filter, kind: target.value as Filter["kind"] })}>
              <option value="">{words.allKinds}</option>
              <option value="questions">{words.kindQuestions}</option>
              <option value="approval">{words.kindApproval}</option>
              <option value="plan">{words.kindPlan}</option>
              <option value="form">{words.kindForm}</option>
            </select>
            {agents.length > 1 && (
              <select className="app-select app-filter-select" aria-label={words.agent} value={filter.agent} onChange={({ target }) => setFilter({ ...filter, agent: target.value })}>
                <option value="">{words.allAgents}</option>
                {agents.map((agent) => <option key={agent}>{agent}</option>)}
              </select>
            )}
            {(snoozed > 0 || filter.snoozed) && (
              <button type="button" className="app-button app-button-quiet" aria-pressed={filter.snoozed} onClick={() => setFilter({ ...filter, snoozed: !filter.snoozed })}>
                {words.snoozed(snoozed)}
              </button>
            )}
          </div>
        )}
      </>
    }>
      <div className="app-inbox">
        <div className="app-inbox-list">
          {groups.slice(0, GROUPS_SHOWN_MAX).map(([first, ...rest]) => first && (
            <Link key={first.id} className="app-alike" href={`/asks/${first.id}/together`}>{words.together(rest.length + 1, toolName(first.ask.approval.tool))}</Link>
          ))}
          {shown.length > 0 ? (
            <Inbox views={shown} selected={wide ? current : null} scrolls={wide ? "box" : "page"} language={languageOf(settings)} onSelect={(id) => go(`/asks/${id}`, wide ? "replace" : "push")} {...(me ? { me } : {})} />
          ) : state.synced ? (
            <Empty title={filter === everything ? words.nothingWaits : words.nothingFound}>
              {filter === everything ? <p>{words.nothingWaitsMore}</p> : <Button onClick={() => setFilter(everything)}>{words.showEverything}</Button>}
              {filter === everything && state.asks.size === 0 && <p className="app-try">{words.nothingWaitsTry} <code>askbridge demo --elsewhere</code></p>}
            </Empty>
          ) : (
            <Unknown />
          )}
        </div>
        {!wide && <InstallHint />}
        {wide && current && (
          <div className="app-inbox-card">
            <Chosen id={current} next={after(shown, current)} />
          </div>
        )}
      </div>
    </Page>
  );
}

/** Calls `back` once after a reload, and whenever the page becomes visible again, if `isStale` then. */
function useReturn(isStale: boolean, back: () => void) {
  const latest = useRef({ isStale, back });
  latest.current = { isStale, back };
  const isReload = useRef(wasReloaded());
  useEffect(() => {
    if (!isStale || !isReload.current) return;
    isReload.current = false;
    latest.current.back();
  }, [isStale]);
  useEffect(() => {
    // Later than that the person has selected it here.
    const timer = setTimeout(() => void (isReload.current = false), RELOAD_MS);
    const seen = () => document.visibilityState === "visible" && latest.current.isStale && latest.current.back();
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, []);
}

/** How long the server's first answer may take after a reload. */
const RELOAD_MS = 5_000;
let isFirst = true;

/** Is this the first page after a reload, not after following a link? */
function wasReloaded(): boolean {
  const [entry] = typeof performance.getEntriesByType === "function" ? performance.getEntriesByType("navigation") : [];
  const first = isFirst;
  isFirst = false;
  return first && (entry as PerformanceNavigationTiming | undefined)?.type !== "navigate" && entry !== undefined;
}

/** Focuses the card that was opened, so that its keys work and reading begins there. Does not interrupt typing. */
function useCardFocus(chosen: string | null) {
  const isHere = useBridge((state) => chosen !== null && state.asks.has(chosen));
  useEffect(() => {
    if (!isHere || isTyping(document.activeElement)) return;
    const frame = requestAnimationFrame(() => {
      const card = document.querySelector<HTMLElement>(".ab-card");
      if (card && !card.contains(document.activeElement) && !isTyping(document.activeElement)) card.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [chosen, isHere]);
}

/** Remembers the scroll position of the list on a phone: going back restores it, with the focus on the row of that card. */
function useListPlace(isPage: boolean, chosen: string | null) {
  const before = useRef<{ y: number; ask: string } | null>(null);
  const scrolled = useRef(0);
  useEffect(() => {
    if (!isPage || chosen) return;
    const note = () => void (scrolled.current = window.scrollY);
    note();
    window.addEventListener("scroll", note, { passive: true });
    return () => window.removeEventListener("scroll", note);
  }, [isPage, chosen]);
  useLayoutEffect(() => {
    if (!isPage) return;
    if (chosen) {
      before.current ??= { y: scrolled.current, ask: chosen };
      window.scrollTo(0, 0);
      return;
    }
    const place = before.current;
    before.current = null;
    if (!place) return;
    window.scrollTo(0, place.y);
    // The rows there have to be rendered first.
    const frame = requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-ask="${CSS.escape(place.ask)}"]`)?.focus({ preventScroll: true })),
    );
    return () => cancelAnimationFrame(frame);
  }, [isPage, chosen]);
}

/** Shown in place of a card: why there is none. */
function Absent({ id }: { readonly id: string }) {
  const words = useWords();
  const gone = useBridge((state) => state.gone.get(id));
  const isUnsent = useBridge((state) => state.unsent.has(id));
  if (gone)
    return (
      <Empty title={words.askGone}>
        <p>{words.askGoneMore}</p>
        {gone.answer === "lost" && <p>{words.askGoneAnswer}</p>}
        <Link className="app-button app-button-plain" href="/">{words.inbox}</Link>
      </Empty>
    );
  return (
    <Unknown>
      <p>{words.askNotKnown}</p>
      {isUnsent && <p>{words.askUnsent}</p>}
    </Unknown>
  );
}

/** Returns the next open ask after this one. */
function after(views: readonly AskView[], id: string): string | null {
  const place = views.findIndex((view) => view.id === id);
  const others = [...views.slice(place + 1), ...views.slice(0, Math.max(0, place))];
  return others.find(isWaiting)?.id ?? null;
}

function AskPage({ id, next }: { readonly id: string; readonly next: string | null }) {
  const words = useWords();
  return (
    <section className="app-ask-page" aria-labelledby="page-title">
      <h1 id="page-title" tabIndex={-1} className="app-hidden">{words.question}</h1>
      <div className="app-ask-bar"><Link className="app-button app-button-quiet" href="/">‹ {words.inbox}</Link></div>
      <Chosen id={id} next={next} />
    </section>
  );
}

function Chosen({ id, next }: { readonly id: string; readonly next: string | null }) {
  const words = useWords();
  const view = useAsk(id);
  if (!view) return <Absent id={id} />;
  // Decided, though perhaps it can still be undone: the undo time goes on while the person is elsewhere.
  const over = phaseOf(view) !== "open";
  return (
    <>
      <Ask key={id} id={id} withRings />
      <div className="app-card-more">
        {isWaiting(view) && <SnoozeButton view={view} onSnoozed={() => go("/", "replace")} />}
        <Link className="app-button app-button-quiet" href={`/sessions/${view.ask.session}`}>{words.openConversation}</Link>
      </div>
      {over && next && (
        // In reach of a thumb. Going back does not lead to a decided ask.
        <div className="app-card-foot"><Button kind="main" onClick={() => go(`/asks/${next}`, "replace")}>{words.next}</Button></div>
      )}
    </>
  );
}
