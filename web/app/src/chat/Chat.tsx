/** One conversation: what was said and done, and what comes next. */

import { useEffect, useMemo, useState } from "react";
import { Trouble, isWaiting, type Conversation, type Item, type Session } from "@askbridge/client";
import { hostDown, Seen, useBridge, useClient } from "@askbridge/react";
import { cardWords } from "@askbridge/words";
import { Link } from "../router.tsx";
import { languageOf, useSettings } from "../settings.ts";
import { useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Empty } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";
import { Composer } from "./Composer.tsx";
import { Log } from "./Log.tsx";
import { spent } from "./spent.ts";
import "./chat.css";

const MODES = ["default", "acceptEdits", "plan"];

export function ChatPage({ session }: { readonly session: string }) {
  const client = useClient();
  const words = useWords();
  useEffect(() => client.watch(session), [client, session]);
  const conversation = useBridge((state) => state.conversations.get(session));
  const asks = useBridge((state) => state.asks);
  const open = useMemo(
    () => [...asks.values()].filter((view) => view.ask.session === session && isWaiting(view)).sort((a, b) => (a.ask.asked_at < b.ask.asked_at ? -1 : 1)),
    [asks, session],
  );
  // Older asks are in the conversation, but not in the client's state.
  const missing = useMemo(
    () => (conversation?.transcript.items ?? []).flatMap((item) => (item.kind === "ask" && !asks.has(item.ask) ? [item.ask] : [])),
    [conversation?.transcript.items, asks],
  );
  const isLive = useBridge((state) => state.connection.state === "live");
  useEffect(() => {
    if (isLive && missing.length > 0) client.look(missing.slice(-100));
  }, [client, isLive, missing]);

  if (conversation?.gone) {
    return <section className="app-chat"><h1 className="app-hidden" tabIndex={-1}>{words.conversation}</h1><Empty title={words.wasForgotten}><Link href="/sessions">{words.sessions}</Link></Empty></section>;
  }
  if (!conversation || (!conversation.session && !conversation.failed)) {
    return <section className="app-chat"><h1 className="app-hidden" tabIndex={-1}>{words.conversation}</h1><div className="app-chat-wait"><Unknown /></div></section>;
  }
  if (!conversation.session) {
    return <section className="app-chat"><h1 className="app-hidden" tabIndex={-1}>{words.conversation}</h1><Empty title={words.notHere}><p>{conversation.failed}</p><Link href="/sessions">{words.sessions}</Link></Empty></section>;
  }
  return (
    <section className="app-chat" aria-labelledby="page-title">
      <Head conversation={conversation} />
      <Log session={session} conversation={conversation} works={open.length === 0 && conversation.session.process === "running" && isBusy(conversation)} />
      <Composer session={session} conversation={conversation} open={open[0] ?? null} />
    </section>
  );
}

function Head({ conversation }: { readonly conversation: Conversation }) {
  const words = useWords();
  const client = useClient();
  const session = conversation.session;
  const role = useBridge((state) => state.me?.role);
  const [asking, setAsking] = useState(false);
  const total = useMemo(() => spent(conversation.transcript.items), [conversation.transcript.items]);
  if (!session) return null;
  const isOver = session.state !== "active";
  const mayConfigure = role === "operator" && session.door === "claude" && !isOver;
  const runs = session.process === "running" && isBusy(conversation);
  return (
    <header className="app-chat-head">
      <Link className="app-button app-button-quiet app-chat-back" href="/sessions" aria-label={words.sessions}>‹</Link>
      <div className="app-chat-name">
        <h1 id="page-title" tabIndex={-1}>{session.title ?? session.folder?.split("/").pop() ?? session.agent}</h1>
        <p className="app-row-more">
          {[session.agent, session.folder, session.branch, session.model].filter(Boolean).join(" · ")}
          {" · "}<span>{session.waits_for_process === undefined ? words.processState(session.state === "active" ? session.process : session.state) : words.waitsForProcess(session.waits_for_process)}</span>
          {total && <span className="app-spent"> · {words.spent(total.costUsd, total.tokensIn, total.tokensOut)}</span>}
        </p>
        {session.workflow && <Step workflow={session.workflow} />}
      </div>
      <HostLine host={session.host} />
      <div className="app-chat-deeds">
        {mayConfigure && (
          <select className="app-select app-filter-select" aria-label={words.mode} value={session.permission_mode ?? "default"}
            onChange={({ target }) => void client.api.configure(session.id, { permission_mode: target.value }).catch(() => undefined)}>
            {[...new Set([...MODES, session.permission_mode ?? "default"])].map((mode) => <option key={mode} value={mode}>{words.modeName(mode)}</option>)}
          </select>
        )}
        {runs && <Button kind="stop" onClick={() => void client.interrupt(session.id)}>{words.interrupt}</Button>}
        {role === "operator" && !isOver && (asking ? (
          <>
            <Button kind="stop" onClick={() => void client.api.end(session.id).catch(() => undefined).then(() => setAsking(false))}>{words.endNow}</Button>
            <Button kind="quiet" onClick={() => setAsking(false)}>{words.cancel}</Button>
          </>
        ) : <Button kind="quiet" onClick={() => setAsking(true)}>{words.end}</Button>)}
        {role === "operator" && (isOver || session.process === "none") && <Forget session={session.id} />}
      </div>
    </header>
  );
}

/** Says that the node of the agent is down, and what becomes of answers meanwhile. */
function HostLine({ host }: { readonly host: Session["host"] }) {
  const language = languageOf(useSettings());
  const now = useNow(30_000);
  const text = hostDown(host, now, cardWords[language], language);
  return text === null ? null : <p className="app-chat-down" role="status"><Seen text={text} /></p>;
}

/** Where the conversation is in its step workflow, and what the step asks a person. */
export function Step({ workflow }: { readonly workflow: NonNullable<Session["workflow"]> }) {
  const words = useWords();
  return (
    <p className="app-chat-step">
      <span className="app-chip">{words.workflowStep(workflow.name, workflow.step)}</span>
      {workflow.waits_for && <span className="app-chip app-chip-waits">{words.workflowAsks(workflow.waits_for)}</span>}
    </p>
  );
}

/** Forgets the conversation, once the person has confirmed it. */
function Forget({ session }: { readonly session: string }) {
  const words = useWords();
  const client = useClient();
  const [asking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  // Once it is forgotten, the page says so: every device is told, this one too.
  const forget = () => client.api.forget(session).catch((error) => {
    setTrouble(error instanceof Trouble ? error.message : String(error));
    setAsking(false);
  });
  if (!asking) {
    return (
      <>
        {trouble && <span className="app-trouble" role="alert">{trouble}</span>}
        <Button kind="quiet" onClick={() => { setTrouble(null); setAsking(true); }}>{words.forget}</Button>
      </>
    );
  }
  return (
    <>
      <span className="app-note" role="status">{words.forgetMore}</span>
      <Button kind="stop" onClick={() => void forget()}>{words.forgetNow}</Button>
      <Button kind="quiet" onClick={() => setAsking(false)}>{words.cancel}</Button>
    </>
  );
}

/** Is the agent working, as far as the conversation shows? */
export function isBusy({ transcript, live }: Conversation): boolean {
  if (live) return true;
  const last = transcript.items.findLast((item: Item) => item.kind !== "notice" && item.kind !== "configured");
  if (!last) return false;
  return last.kind === "said" ? last.state === "heard" : last.kind !== "turn_ended" && last.kind !== "closed";
}
