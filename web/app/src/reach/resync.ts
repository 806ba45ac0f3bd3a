/** Decides what a page does about its own Web Push channel when it is loaded. Pure. */

import type { NewChannelCommon } from "@askbridge/client";

/** What this browser keeps of its channel. */
export interface KeptPush {
  readonly channel: string;
  readonly endpoint: string;
  /** The server's key that the subscription was made with. */
  readonly key: string;
  /** What the channel was added with, in case it has to be added anew. */
  readonly as: Pick<NewChannelCommon, "name" | "content" | "decides" | "quiet">;
}

export interface PushNow {
  readonly kept: KeptPush | null;
  /** Does the server still have the channel? */
  readonly isListed: boolean;
  /** The browser's current subscription. */
  readonly endpoint: string | null;
  /** The server's current key. */
  readonly key: string;
  readonly mayNotify: boolean;
}

export type PushStep =
  /** Nothing to do. */
  | "none"
  /** Subscribe anew, add the channel anew, remove the old one if it is still there. */
  | "renew"
  /** The person removed the channel on another device, so the subscription ends too. */
  | "unsubscribe"
  /** The browser shows nothing any longer, so the server should not ring it. */
  | "remove";

/**
 * The server's channel outlives a subscription that the browser or its push service has ended, and the event that says
 * so (`pushsubscriptionchange`) is reliable only in Firefox.
 */
export function pushStep({ kept, isListed, endpoint, key, mayNotify }: PushNow): PushStep {
  if (kept === null) return "none";
  if (!mayNotify) return "remove";
  const isSame = endpoint === kept.endpoint && key === kept.key;
  if (isSame) return isListed ? "none" : "unsubscribe";
  return "renew";
}
