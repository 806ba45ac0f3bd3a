/** This browser as a channel: its subscription to Web Push, kept in step with what the server has. */

import { useEffect } from "react";
import type { Channel, Client } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { deviceNameOf } from "../device_name.ts";
import { isInstalled, isIos } from "../install.ts";
import { pushStep, type KeptPush } from "./resync.ts";

/** `forget()` of the identity removes it with everything else of the person. */
const KEY = "askbridge.push";

/** Whether this browser can be rung, or why not. */
export type PushAbility = "able" | "insecure" | "ios" | "none" | "blocked";

export function pushAbility(): PushAbility {
  if (!window.isSecureContext) return "insecure";
  // Safari on iOS has the interfaces only in the installed app.
  if (isIos() && !isInstalled()) return "ios";
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return "none";
  return Notification.permission === "denied" ? "blocked" : "able";
}

/** Why a browser did not subscribe, apart from what the server refuses. */
export class PushTrouble extends Error {
  readonly why: "blocked" | "no_worker" | "refused";
  constructor(why: PushTrouble["why"], detail = "") {
    super(detail);
    this.why = why;
  }
}

export function keptPush(): KeptPush | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as KeptPush | null;
    return typeof kept?.channel === "string" && typeof kept.endpoint === "string" ? kept : null;
  } catch {
    return null;
  }
}

function keep(kept: KeptPush | null) {
  if (kept === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, JSON.stringify(kept));
}

export const nameOfThisBrowser = () => deviceNameOf(navigator.userAgent, navigator.maxTouchPoints);

/** Adds this browser as a channel. Has to be called in a tap: browsers ask for permission only then. */
export async function ringHere(client: Client, as: KeptPush["as"]): Promise<Channel> {
  if ((await Notification.requestPermission()) !== "granted") throw new PushTrouble("blocked");
  const { key } = await client.api.webPushKey();
  return subscribe(client, key, as);
}

async function subscribe(client: Client, key: string, as: KeptPush["as"]): Promise<Channel> {
  const worker = await activeWorker();
  // A subscription with another key, or one that the server does not know, would be in the way.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  let made: PushSubscription;
  try {
    made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  } catch (error) {
    throw new PushTrouble("refused", error instanceof Error ? error.message : String(error));
  }
  const { endpoint, keys } = made.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (!endpoint || !p256dh || !auth) throw new PushTrouble("refused");
  try {
    const channel = await client.api.addChannel({ kind: "web_push", endpoint, keys: { p256dh, auth }, actions_max: actionsMax(), ...as });
    keep({ channel: channel.id, endpoint, key, as });
    return channel;
  } catch (error) {
    await made.unsubscribe().catch(() => false);
    throw error;
  }
}

/** Ends this browser's subscription and removes its channel. */
export async function stopRingingHere(client: Client): Promise<void> {
  const kept = keptPush();
  if (kept === null) return;
  await client.api.removeChannel(kept.channel).catch(() => undefined);
  await endSubscription();
}

/** Ends this browser's subscription; its channel is gone already. */
export async function endSubscription(): Promise<void> {
  keep(null);
  const worker = await navigator.serviceWorker?.getRegistration();
  await (await worker?.pushManager?.getSubscription())?.unsubscribe();
}

/** Brings subscription and channel in step, once for each time the page is loaded. */
export function useResync() {
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  useEffect(() => {
    // Without a channel here, or without the server, there is nothing to compare. The next load tries again.
    if (isLive && !isResynced && keptPush() !== null) {
      isResynced = true;
      // One page at a time: two that are opened together would both renew it.
      const alone = navigator.locks ? navigator.locks.request(KEY, () => resync(client)) : resync(client);
      alone.catch(() => undefined);
    }
  }, [client, isLive]);
}

let isResynced = false;

async function resync(client: Client) {
  const kept = keptPush();
  if (kept === null || pushAbility() === "none") return;
  const [{ items }, { key }] = await Promise.all([client.api.channels(), client.api.webPushKey()]);
  const worker = await activeWorker();
  const endpoint = (await worker.pushManager.getSubscription())?.endpoint ?? null;
  const listed = items.find(({ id }) => id === kept.channel);
  const mayNotify = Notification.permission === "granted";
  switch (pushStep({ kept, isListed: listed !== undefined, endpoint, key, mayNotify })) {
    case "none": return;
    case "unsubscribe": return endSubscription();
    case "remove": return stopRingingHere(client);
    case "renew": {
      const { name, content, decides, quiet } = listed ?? kept.as;
      await subscribe(client, key, { ...(name ? { name } : {}), ...(content ? { content } : {}), ...(decides ? { decides } : {}), ...(quiet ? { quiet } : {}) });
      if (listed) await client.api.removeChannel(listed.id);
    }
  }
}

/** How long a page waits for its worker, which may still be starting. */
const WORKER_MS = 10_000;

async function activeWorker(): Promise<ServiceWorkerRegistration> {
  const late = new Promise<null>((done) => setTimeout(() => done(null), WORKER_MS));
  const worker = await Promise.race([navigator.serviceWorker.ready, late]);
  if (worker === null) throw new PushTrouble("no_worker");
  return worker;
}

const actionsMax = () => (Notification as { maxActions?: number }).maxActions ?? 0;

/** The bytes of base64url, which not every browser takes as a key. */
export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
