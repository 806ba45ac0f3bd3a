/** Notifies a person who looks elsewhere of open asks, and removes the notification once an ask is settled anywhere. */

import { useEffect, useRef } from "react";
import { isSnoozed, isWaiting, type AskView, type State } from "@askbridge/client";
import { headlineOf, useAhead, useBridge, useClient } from "@askbridge/react";
import { useSettings } from "./settings.ts";
import { useWords } from "./words.ts";
import { go } from "./router.tsx";

/** Notifications at once. Beyond: only the count in the title. */
const SHOWN_MAX = 5;

export function useNotifications() {
  const { notify } = useSettings();
  const words = useWords();
  const asks = useBridge((state) => state.asks);
  const synced = useBridge((state) => state.synced);
  const ahead = useAhead();
  const seen = useRef<Set<string> | null>(null);
  const shown = useRef(new Map<string, Shown>());
  const client = useClient();
  const gone = useBridge((state) => state.gone);
  /** The asks that were over when pushed notifications were last looked at. */
  const before = useRef<ReadonlySet<string> | null>(null);
  /** Asks of pushed notifications that were fetched, because the page did not know whether they are over. */
  const looked = useRef(new Set<string>());

  useEffect(() => {
    const now = Date.now() + ahead;
    const waiting = [...asks.values()].filter((view) => isWaiting(view) && !isSnoozed(view, now));
    for (const [id, notification] of shown.current) {
      if (waiting.some((view) => view.id === id) && notify !== "off") continue;
      notification.close();
      shown.current.delete(id);
    }
    if (!synced) return;
    // Only when something may be over: Chromium forgets a notification that is looked for while it is being shown.
    const over = new Set([...gone.keys(), ...[...asks.values()].filter((view) => !isWaiting(view)).map(({ id }) => id)]);
    const known = before.current;
    before.current = over;
    if (known === null || [...over].some((id) => !known.has(id))) {
      void closePushed(asks, gone).then((unknown) => {
        const news = unknown.filter((id) => !looked.current.has(id));
        for (const id of news) looked.current.add(id);
        if (news.length > 0) client.look(news);
      });
    }
    // Asks that were there when the page was opened are not news.
    const earlier = seen.current;
    seen.current = new Set(waiting.map(({ id }) => id));
    if (earlier === null || notify === "off" || Notification.permission !== "granted") return;
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    for (const view of waiting.filter(({ id }) => !earlier.has(id))) {
      if (shown.current.size >= SHOWN_MAX) break;
      shown.current.set(view.id, tell(view, notify === "full" ? headlineOf(view.ask) : words.somethingWaits, words.asks(view.ask.agent)));
    }
  }, [asks, gone, synced, notify, words, ahead]);

  useEffect(() => {
    const open = ({ data }: MessageEvent) => {
      if (typeof data === "object" && data?.type === "open" && typeof data.path === "string") go(data.path);
    };
    navigator.serviceWorker?.addEventListener("message", open);
    return () => navigator.serviceWorker?.removeEventListener("message", open);
  }, []);
}

/** Closes pushed notifications whose asks are over. Returns the asks of the others that are not known here. */
async function closePushed(asks: State["asks"], gone: State["gone"]): Promise<string[]> {
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined);
  const unknown: string[] = [];
  for (const shown of (await worker?.getNotifications?.().catch(() => [])) ?? []) {
    const ask = (shown.data as { ask?: unknown } | null)?.ask;
    if (typeof ask !== "string") continue;
    const view = asks.get(ask);
    if (view ? !isWaiting(view) : gone.has(ask)) shown.close();
    else if (!view) unknown.push(ask);
  }
  return unknown;
}

interface Shown {
  readonly close: () => void;
}

function tell(view: AskView, body: string, title: string): Shown {
  const options = { body, tag: view.id, icon: "/icon-192.png", data: { path: `/asks/${view.id}` } };
  let closed = false;
  // On phones only a service worker can show notifications.
  const ready = navigator.serviceWorker?.controller ? navigator.serviceWorker.ready : null;
  if (ready) {
    void ready.then((worker) => (closed ? undefined : worker.showNotification(title, options)));
    return {
      close: () => {
        closed = true;
        void ready.then(async (worker) => (await worker.getNotifications({ tag: view.id })).forEach((it) => it.close()));
      },
    };
  }
  const plain = new Notification(title, options);
  plain.onclick = () => {
    window.focus();
    go(`/asks/${view.id}`);
    plain.close();
  };
  return plain;
}
