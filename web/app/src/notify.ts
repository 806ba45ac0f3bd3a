/** Notifies a person who looks elsewhere of open asks, and removes the notification once an ask is settled anywhere. */

import { useEffect, useRef } from "react";
import { isSnoozed, isWaiting, type AskView } from "@askbridge/client";
import { headlineOf, useAhead, useBridge } from "@askbridge/react";
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

  useEffect(() => {
    const now = Date.now() + ahead;
    const waiting = [...asks.values()].filter((view) => isWaiting(view) && !isSnoozed(view, now));
    for (const [id, notification] of shown.current) {
      if (waiting.some((view) => view.id === id) && notify !== "off") continue;
      notification.close();
      shown.current.delete(id);
    }
    if (!synced) return;
    // Asks that were there when the page was opened are not news.
    const known = seen.current;
    seen.current = new Set(waiting.map(({ id }) => id));
    if (known === null || notify === "off" || Notification.permission !== "granted") return;
    if (document.visibilityState === "visible" && document.hasFocus()) return;
    for (const view of waiting.filter(({ id }) => !known.has(id))) {
      if (shown.current.size >= SHOWN_MAX) break;
      shown.current.set(view.id, tell(view, notify === "full" ? headlineOf(view.ask) : words.somethingWaits, words.asks(view.ask.agent)));
    }
  }, [asks, synced, notify, words, ahead]);

  useEffect(() => {
    const open = ({ data }: MessageEvent) => {
      if (typeof data === "object" && data?.type === "open" && typeof data.path === "string") go(data.path);
    };
    navigator.serviceWorker?.addEventListener("message", open);
    return () => navigator.serviceWorker?.removeEventListener("message", open);
  }, []);
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
