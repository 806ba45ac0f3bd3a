/** Earlier asks and decisions, with a text search. */

import { useEffect, useRef, useState } from "react";
import { Trouble, type Ask } from "@askbridge/client";
import { headlineOf, useBridge, useClient } from "@askbridge/react";
import type { Wanted } from "@askbridge/client";
import { languageOf, useSettings } from "../settings.ts";
import { Link } from "../router.tsx";
import { clock, useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Empty, Page } from "../parts/parts.tsx";
import { outcome } from "../parts/outcome.ts";

type State = NonNullable<Wanted["state"]>;

export function HistoryPage() {
  const words = useWords();
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const language = languageOf(useSettings());
  const now = useNow(30_000);
  const [text, setText] = useState("");
  const [state, setState] = useState<State>("over");
  const [found, setFound] = useState<{ items: readonly Ask[]; next: string | null } | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const turn = useRef(0);

  const load = async (after: string | null) => {
    const mine = (turn.current += 1);
    try {
      const page = await client.api.asks({ state, q: text.trim(), limit: 50, ...(after ? { after } : {}) });
      // The query has changed meanwhile.
      if (mine !== turn.current) return;
      setTrouble(null);
      setFound((before) => ({ items: after && before ? [...before.items, ...page.items] : page.items, next: page.next }));
    } catch (error) {
      if (mine === turn.current) setTrouble(error instanceof Trouble ? error.message : String(error));
    }
  };
  useEffect(() => {
    const timer = setTimeout(() => void load(null), text ? 200 : 0);
    return () => clearTimeout(timer);
  }, [text, state, isLive]);

  return (
    <Page title={words.history} actions={
      <>
        <input className="app-input app-filter-text" type="search" value={text} placeholder={words.searchHistory} aria-label={words.searchHistory} onChange={({ target }) => setText(target.value)} />
        <select className="app-select app-filter-select" aria-label={words.state} value={state} onChange={({ target }) => setState(target.value as State)}>
          <option value="over">{words.stateOver}</option>
          <option value="late">{words.stateLate}</option>
          <option value="answered">{words.stateAnswered}</option>
          <option value="dismissed">{words.stateDismissed}</option>
          <option value="expired">{words.stateExpired}</option>
          <option value="withdrawn">{words.stateWithdrawn}</option>
          <option value="all">{words.stateAll}</option>
        </select>
      </>
    }>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      <p className="app-hidden" role="status">{found ? (found.next ? words.foundFirst(found.items.length) : words.found(found.items.length)) : trouble ? "" : words.looking}</p>
      {found && found.items.length === 0 && <Empty title={words.nothingFound} />}
      {!found && !trouble && <p className="app-note">{words.looking}</p>}
      {found && found.items.length > 0 && (
        <ul className="app-list app-lean" aria-label={words.history}>
          {found.items.map((ask) => (
            <li key={ask.id}>
              <Link className="app-row" href={`/asks/${ask.id}`}>
                <span className="app-row-body">
                  <span className="app-row-title">{headlineOf(ask)}</span>
                  <span className="app-row-more">{outcome(ask, words)}</span>
                  <span className="app-row-more">{ask.agent} · {clock(Date.parse(ask.settled_at ?? ask.asked_at), now, language)}</span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {found?.next && <p className="app-more"><Button onClick={() => void load(found.next)}>{words.showMore}</Button></p>}
    </Page>
  );
}
