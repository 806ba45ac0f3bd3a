/** Conversations with agents. */

import { useEffect, useState } from "react";
import { Trouble } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { languageOf, useSettings } from "../settings.ts";
import { Link } from "../router.tsx";
import { ago, useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Empty, Page } from "../parts/parts.tsx";

export function SessionsPage() {
  const words = useWords();
  const client = useClient();
  const { items, next, loaded } = useBridge((state) => state.sessions);
  const isLive = useBridge((state) => state.connection.state === "live");
  const role = useBridge((state) => state.me?.role);
  const language = languageOf(useSettings());
  const now = useNow(15_000);
  const [trouble, setTrouble] = useState<string | null>(null);
  const load = (more?: "next") =>
    client.loadSessions(more).then(() => setTrouble(null), (error) => setTrouble(error instanceof Trouble ? error.message : String(error)));
  useEffect(() => {
    if (isLive) void load();
  }, [isLive]);

  return (
    <Page title={words.sessions} actions={role === "operator" && <Link className="app-button app-button-main" href="/sessions/new">{words.newSession}</Link>}>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      {!loaded && !trouble && <p className="app-note" role="status">{words.looking}</p>}
      {loaded && items.length === 0 && <Empty title={words.noSessions}><p>{words.noSessionsMore}</p></Empty>}
      {items.length > 0 && (
        <ul className="app-list app-lean" aria-label={words.sessions}>
          {items.map((session) => (
            <li key={session.id}>
              <Link className="app-row" href={`/sessions/${session.id}`}>
                <span className="app-row-body">
                  <span className="app-row-title">{session.title ?? session.folder?.split("/").pop() ?? session.agent}</span>
                  <span className="app-row-more">{[session.agent, session.folder, session.branch].filter(Boolean).join(" · ")}</span>
                </span>
                {session.open_asks > 0 && <span className="app-chip app-chip-waits">{words.waiting(session.open_asks)}</span>}
                {session.state === "closed" && <span className="app-chip">{words.closed}</span>}
                <span className="app-row-more app-row-when">{ago(Date.parse(session.last_activity), now, language)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {next && <p className="app-more"><Button onClick={() => void load("next")}>{words.showMore}</Button></p>}
    </Page>
  );
}
