/** The list of conversations with agents. */

import { useEffect, useState } from "react";
import { Trouble, type SessionListed } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { clusterWords } from "@askbridge/words";
import { languageOf, useSettings } from "../settings.ts";
import { hostName } from "../cluster/facts.ts";
import { Link } from "../router.tsx";
import { ago, useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Empty, Page } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";

export function SessionsPage() {
  const words = useWords();
  const client = useClient();
  const { items, next, loaded } = useBridge((state) => state.sessions);
  const isLive = useBridge((state) => state.connection.state === "live");
  const role = useBridge((state) => state.me?.role);
  const language = languageOf(useSettings());
  const nodes = clusterWords[language];
  const now = useNow(15_000);
  const [trouble, setTrouble] = useState<string | null>(null);
  const load = (more?: "next") =>
    client.loadSessions(more).then(() => setTrouble(null), (error) => setTrouble(error instanceof Trouble ? error.message : String(error)));
  useEffect(() => {
    if (isLive) void load();
  }, [isLive]);

  // A script that asks once makes a conversation each time. They would bury the others.
  const isSingle = (session: SessionListed) => session.single_ask && session.open_asks === 0 && session.door !== "claude";
  const [talks, singles] = [items.filter((session) => !isSingle(session)), items.filter(isSingle)];
  const row = (session: SessionListed) => (
    <li key={session.id}>
      <Link className="app-row" href={`/sessions/${session.id}`}>
        <span className="app-row-body">
          <span className="app-row-title">{session.title ?? session.headline ?? session.folder?.split("/").pop() ?? session.agent}</span>
          <span className="app-row-more">{[ago(Date.parse(session.last_activity), now, language), session.agent, hostName(session.host, nodes), session.folder, session.branch].filter(Boolean).join(" · ")}</span>
        </span>
        {session.open_asks > 0 && <span className="app-chip app-chip-waits"><span className="app-said-wide">{words.waiting(session.open_asks)}</span><span className="app-said-narrow" aria-hidden="true">{session.open_asks}</span></span>}
        {session.state === "closed" && <span className="app-chip">{words.closed}</span>}
      </Link>
    </li>
  );
  return (
    <Page title={words.sessions} actions={role === "operator" && <Link className="app-button app-button-main" href="/sessions/new">{words.newSession}</Link>}>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      {!loaded && !trouble && <Unknown />}
      {loaded && items.length === 0 && <Empty title={words.noSessions}><p>{words.noSessionsMore}</p></Empty>}
      {talks.length > 0 && (
        <ul className="app-list app-lean" aria-label={words.sessions}>{talks.map(row)}</ul>
      )}
      {singles.length > 0 && (
        <details className="app-more-fields" open={talks.length === 0}>
          <summary>{words.singleAsks(singles.length)}</summary>
          <ul className="app-list app-lean" aria-label={words.singleAsks(singles.length)}>{singles.map(row)}</ul>
        </details>
      )}
      {next && <p className="app-more"><Button onClick={() => void load("next")}>{words.showMore}</Button></p>}
    </Page>
  );
}
