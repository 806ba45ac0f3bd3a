/** The frame of every page: navigation, the number of open asks, and the connection. */

import { useEffect, useRef, type ReactNode } from "react";
import { waitingForPerson, type Connection } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { useWords } from "../words.ts";
import { languageOf, useSettings } from "../settings.ts";
import { clock, useHere, useNow } from "../time.ts";
import { Link, placeOf, usePath } from "../router.tsx";
import { BridgeMark } from "../parts/parts.tsx";
import { BrokenBanner } from "../reach/Broken.tsx";
import { badge } from "./badge.ts";
import "./shell.css";

export function Shell({ children }: { readonly children: ReactNode }) {
  const words = useWords();
  const path = usePath();
  const place = placeOf(path);
  const now = useNow(15_000);
  const waiting = useBridge((state) => waitingForPerson(state, now));
  const synced = useBridge((state) => state.synced);
  const main = useRef<HTMLElement>(null);

  useEffect(() => void badge(waiting), [waiting]);
  // On a new page, reading begins at its title; a person who only selected another ask stays where they are.
  const page = place.page;
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.querySelector<HTMLElement>("h1")?.focus();
  }, [page]);

  const tabs = [
    ["inbox", "/", words.inbox, <InboxIcon key="i" />],
    ["sessions", "/sessions", words.sessions, <TalkIcon key="t" />],
    ["history", "/history", words.history, <HistoryIcon key="h" />],
    ["devices", "/devices", words.devices, <DeviceIcon key="d" />],
    ["settings", "/settings", words.settings, <SettingsIcon key="s" />],
  ] as const;
  const here = page === "session" || page === "new_session" ? "sessions" : page === "together" ? "inbox" : page === "reach" || page === "rules" || page === "cluster" ? "settings" : page;
  return (
    <div className={`app-shell ${place.page === "session" || place.page === "together" || (place.page === "inbox" && place.ask) ? "app-shell-deep" : ""}`}>
      <a className="app-skip" href="#main">{words.skipToContent}</a>
      <nav className="app-nav" aria-label={words.navigation}>
        <Link className="app-brand" href="/"><BridgeMark size={28} /><span>askbridge</span></Link>
        <ul>
          {tabs.map(([name, href, label, icon]) => (
            <li key={name} data-tab={name}>
              <Link href={href} aria-current={here === name ? "page" : undefined}>
                {icon}<span className="app-nav-label">{label}</span>
                {name === "inbox" && waiting > 0 && <span className="app-count" aria-label={words.waiting(waiting)}>{waiting > 999 ? "999+" : waiting}</span>}
              </Link>
            </li>
          ))}
        </ul>
        <Status />
      </nav>
      <main id="main" ref={main} aria-busy={!synced}>
        <Banner />
        {children}
      </main>
    </div>
  );
}

/** The state of the connection, always shown in a corner. */
function Status() {
  const words = useWords();
  const connection = useBridge((state) => state.connection);
  const me = useBridge((state) => state.me);
  return (
    <p className="app-status" data-state={connection.state}>
      <span className="app-status-dot" aria-hidden="true" />
      <span>{connection.state === "live" ? words.connectedAs(me?.name ?? "") : words.connectionState(connection.state)}</span>
    </p>
  );
}

/** Shows that the connection is lost, once it has been lost long enough to matter. */
function Banner() {
  const words = useWords();
  const client = useClient();
  const connection = useBridge((state) => state.connection);
  const lostSince = useRef<number | null>(null);
  const now = useHere(1_000);
  if (connection.state === "live") lostSince.current = null;
  else lostSince.current ??= Date.now();
  const isLong = lostSince.current !== null && now - lostSince.current > 2_000;
  const unsent = useBridge((state) => state.unsent.size);
  const rememberedAt = useBridge((state) => state.rememberedAt);
  const language = languageOf(useSettings());
  return (
    <div className="app-banners" role="status" aria-live="polite">
      <BrokenBanner />
      {isLong && connection.state !== "signed_out" && (
        <p className="app-banner">
          <span>
            {said(connection, now, words)}
            {unsent > 0 && <strong> {words.unsent(unsent)}</strong>}
            {rememberedAt !== null && ` ${words.asOf(clock(rememberedAt, now, language))}`}
          </span>
          <button type="button" onClick={() => client.retry()}>{words.tryNow}</button>
        </p>
      )}
    </div>
  );
}

function said(connection: Connection, now: number, words: ReturnType<typeof useWords>): string {
  if (connection.state === "offline") return words.offline;
  if (connection.state === "waiting") return words.retryIn(Math.max(1, Math.ceil((connection.until - now) / 1000)));
  return words.connecting;
}

const icon = (path: string) => (
  <svg className="app-icon" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
    <path d={path} fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
  </svg>
);
const InboxIcon = () => icon("M3 13h5l1.5 3h5L16 13h5M5.5 5h13L21 13v6H3v-6z");
const TalkIcon = () => icon("M4 5h16v11H9l-5 4zM8 9h8M8 12.5h5");
const HistoryIcon = () => icon("M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4M12 8v4.5l3 2");
const DeviceIcon = () => icon("M7 3h10v18H7zM11 18h2");
const SettingsIcon = () => icon("M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4");
