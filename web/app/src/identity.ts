/** The identity of this device: a token in this origin's storage, or the secret of a pairing link. */

import { pair } from "@askbridge/client";
import { deviceNameOf } from "./device_name.ts";

const KEY = "askbridge.token";

export const base = location.origin;

export const token = (): string | null => localStorage.getItem(KEY);

/** Not personal: how this browser looks. */
const STAYS = "askbridge.settings";

/** Removes the token, and everything that was stored with it: open asks, drafts, unsent answers. */
export function forget() {
  const ours = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at)).filter((key) => key?.startsWith("askbridge."));
  for (const key of ours) if (key && key !== STAYS) localStorage.removeItem(key);
}

/** Takes the secret out of the address. It works once and must not stay in the history. */
export function secretInAddress(): string | null {
  const secret = new URLSearchParams(location.hash.slice(1)).get("pair");
  if (secret) history.replaceState(null, "", location.pathname);
  return secret;
}

/** Returns the secret in a pasted link, or the pasted secret itself. */
export const secretIn = (pasted: string): string => /#pair=([^&\s]+)/.exec(pasted)?.[1] ?? pasted.trim();

export async function become(secret: string): Promise<string> {
  const device = await pair(base, secret, deviceNameOf(navigator.userAgent, navigator.maxTouchPoints));
  localStorage.setItem(KEY, device.token);
  return device.token;
}
