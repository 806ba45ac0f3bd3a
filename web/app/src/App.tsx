/** The root of the app: the device's identity, and the current page. */

import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { connect, Trouble } from "@askbridge/client";
import { Askbridge, loadCards, useBridge } from "@askbridge/react";
import { base, become, forget, secretInAddress, token } from "./identity.ts";
import { isInstalled, isIos } from "./install.ts";
import { languageOf, useSettings } from "./settings.ts";
import { useWords } from "./words.ts";
import { placeOf, usePath } from "./router.tsx";
import { Shell } from "./shell/Shell.tsx";
import { InboxPage } from "./pages/Inbox.tsx";
import { PairPage } from "./pages/Pair.tsx";
import { PairHerePage } from "./pages/PairHere.tsx";
import { Empty, Page } from "./parts/parts.tsx";
import { useNotifications } from "./notify.ts";
import { endSubscription, useResync } from "./reach/web_push.ts";
import { useKeptCluster } from "./cluster/keep.ts";
import { Boundary } from "./boundary.tsx";
import { LastResort } from "./LastResort.tsx";
import "./pages/pages.css";

const later = {
  chat: () => import("./chat/Chat.tsx"),
  together: () => import("./pages/Together.tsx"),
  sessions: () => import("./pages/Sessions.tsx"),
  newSession: () => import("./pages/NewSession.tsx"),
  history: () => import("./pages/History.tsx"),
  devices: () => import("./pages/Devices.tsx"),
  settings: () => import("./pages/Settings.tsx"),
  reach: () => import("./reach/Reach.tsx"),
  rules: () => import("./pages/Rules.tsx"),
  cluster: () => import("./cluster/Cluster.tsx"),
};
const ChatPage = lazy(() => later.chat().then((it) => ({ default: it.ChatPage })));
const TogetherPage = lazy(() => later.together().then((it) => ({ default: it.TogetherPage })));
const SessionsPage = lazy(() => later.sessions().then((it) => ({ default: it.SessionsPage })));
const NewSessionPage = lazy(() => later.newSession().then((it) => ({ default: it.NewSessionPage })));
const HistoryPage = lazy(() => later.history().then((it) => ({ default: it.HistoryPage })));
const DevicesPage = lazy(() => later.devices().then((it) => ({ default: it.DevicesPage })));
const ReachPage = lazy(() => later.reach().then((it) => ({ default: it.ReachPage })));
const RulesPage = lazy(() => later.rules().then((it) => ({ default: it.RulesPage })));
const ClusterPage = lazy(() => later.cluster().then((it) => ({ default: it.ClusterPage })));
const SettingsPage = lazy(() => later.settings().then((it) => ({ default: it.SettingsPage })));

/** Preloads lazy chunks, so that they are there without a server. Pages without TLS have no service worker that would do it. */
function useEverything() {
  const isLive = useBridge((state) => state.connection.state === "live");
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => {
      for (const load of [...Object.values(later), loadCards]) load().catch(() => undefined);
    }, AHEAD_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
}

/** The delay before preloading, so that the current page loads first. */
const AHEAD_MS = 500;

/** How often the nodes of a shared journal are read, for cards and conversations to say which of them are down. */
const NODES_EVERY_MS = 15_000;

type Identity = { readonly state: "pairing" } | { readonly state: "where" } | { readonly state: "nobody"; readonly why: string | null } | { readonly state: "somebody"; readonly token: string };

const secret = secretInAddress();

// A pairing link that is opened in a tab with the app changes only the hash of the address.
window.addEventListener("hashchange", () => location.hash.startsWith("#pair=") && location.reload());

export function App() {
  const [who, setWho] = useState<Identity>(() => {
    const known = token();
    return secret ? { state: isIos() && !isInstalled() && !known ? "where" : "pairing" } : known ? { state: "somebody", token: known } : { state: "nobody", why: null };
  });
  const again = (why: string | null = null) => {
    const known = token();
    setWho(known ? { state: "somebody", token: known } : { state: "nobody", why });
  };
  const isPairing = who.state === "pairing";
  useEffect(() => {
    // A used link is no reason to turn away a device that is already paired.
    if (secret && isPairing) become(secret).then(() => again(), (error) => again(error instanceof Trouble ? error.message : String(error)));
  }, [isPairing]);
  switch (who.state) {
    case "pairing": return <Waiting />;
    case "where": return <PairHerePage secret={secret ?? ""} onHere={() => setWho({ state: "pairing" })} />;
    case "nobody": return <PairPage why={who.why} onPaired={() => again()} />;
    case "somebody": return <SignedIn key={who.token} token={who.token} onSignedOut={() => { endSubscription().catch(() => undefined); forget(); again(); }} />;
  }
}

function Waiting() {
  return <main className="app-door"><p role="status">{useWords().pairing}</p></main>;
}

function SignedIn({ token: mine, onSignedOut }: { readonly token: string; readonly onSignedOut: () => void }) {
  const settings = useSettings();
  const undoMs = Number(settings.undo) * 1000;
  const client = useMemo(() => connect({ base, token: mine, undoMs }), [mine]);
  useEffect(() => client.undoFor(undoMs), [client, undoMs]);
  useEffect(() => {
    // For the last-resort page, which has no other access to the client.
    window.askbridge = client;
    return () => client.close();
  }, [client]);
  const language = languageOf(settings);
  return (
    <Askbridge client={client} language={language}>
      <Doors onSignedOut={onSignedOut} />
    </Askbridge>
  );
}

function Doors({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const path = usePath();
  const isOut = useBridge((state) => state.connection.state === "signed_out");
  useNotifications();
  useResync();
  useEverything();
  useKeptCluster(NODES_EVERY_MS);
  useEffect(() => {
    if (isOut) onSignedOut();
  }, [isOut]);
  return (
    <Shell>
      <Boundary place={path} fallback={(error, again) => <LastResort error={error} again={again} />}>
        <Suspense fallback={null}><Here /></Suspense>
      </Boundary>
    </Shell>
  );
}

function Here() {
  const words = useWords();
  const place = placeOf(usePath());
  switch (place.page) {
    case "inbox": return <InboxPage chosen={place.ask} />;
    case "together": return <TogetherPage key={place.ask} ask={place.ask} />;
    case "sessions": return <SessionsPage />;
    case "new_session": return <NewSessionPage />;
    case "session": return <ChatPage key={place.session} session={place.session} />;
    case "history": return <HistoryPage />;
    case "devices": return <DevicesPage />;
    case "settings": return <SettingsPage />;
    case "reach": return <ReachPage />;
    case "rules": return <RulesPage />;
    case "cluster": return <ClusterPage />;
    case "unknown": return <Page title={words.notHere}><Empty title={words.notHere} /></Page>;
  }
}
