/** Similar approvals, on one page. */

import { useEffect, useMemo, useRef } from "react";
import { isWaiting } from "@askbridge/client";
import { kinTo, Together, useBridge, useClient, useComplete } from "@askbridge/react";
import { languageOf, useSettings } from "../settings.ts";
import { Link } from "../router.tsx";
import { useWords } from "../words.ts";
import { Empty, Page } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";

export function TogetherPage({ ask }: { readonly ask: string }) {
  const words = useWords();
  const client = useClient();
  const language = languageOf(useSettings());
  const asks = useBridge((state) => state.asks);
  const synced = useBridge((state) => state.synced);
  const me = useBridge((state) => state.me?.name);
  const isLive = useBridge((state) => state.connection.state === "live");
  // Asks that are open, or were when first seen here: those stay in place. Those that ended before are history.
  const seen = useRef(new Set([ask]));
  const views = useMemo(() => {
    const kin = kinTo(asks.values(), ask);
    for (const view of kin) if (isWaiting(view)) seen.current.add(view.id);
    return kin.filter(({ id }) => seen.current.has(id)).sort((a, b) => (a.ask.asked_at < b.ask.asked_at ? -1 : 1));
  }, [asks, ask]);
  useEffect(() => {
    if (isLive && !asks.has(ask)) client.look([ask]);
  }, [client, isLive, asks, ask]);
  useComplete(views);
  // Ticks are set when the page is first shown: by then all asks are loaded.
  const isShown = useRef(false);
  isShown.current ||= synced && views.every((view) => !view.ask.truncated || view.rest === "failed");
  return (
    <Page title={words.togetherTitle} actions={<Link className="app-button app-button-quiet" href="/">‹ {words.inbox}</Link>}>
      {isShown.current && views.length > 0 ? (
        <Together views={views} language={language} onAnswer={(id, answer, how) => client.answer(id, answer, how)} {...(me ? { me } : {})} />
      ) : isShown.current ? (
        <Empty title={words.notHere} />
      ) : (
        <Unknown />
      )}
    </Page>
  );
}
