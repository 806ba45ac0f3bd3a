/** What was rung over one channel, for a person to read. Pure. */

import type { Channel, Ring } from "@askbridge/client";
import type { Language, ReachWords } from "@askbridge/words";
import { clock } from "../time.ts";
import { aboutInWords } from "./tells.ts";

/** Outcomes that a channel shows. */
const OUTCOMES_MAX = 10;

/** Returns the last rings of a channel, newest first. Rings name their channel, and keep that name after it is gone. */
export function ringsOf(channel: Pick<Channel, "name" | "kind" | "added_at">, rings: readonly Ring[]): Ring[] {
  const since = Date.parse(channel.added_at);
  return rings.filter((ring) => ring.channel === channel.name && ring.kind === channel.kind && Date.parse(ring.at) >= since).slice(0, OUTCOMES_MAX);
}

/** "rang 09:14", "failed 09:14: the server answered 500". */
export function outcomeOf(ring: Ring, now: number, words: ReachWords, language: Language): string {
  const time = clock(Date.parse(ring.at), now, language);
  const why = ring.why ?? "";
  const told = ring.about ? `${aboutInWords(ring.about, words)} · ` : "";
  return told + stateOf(ring, time, why, now, words, language);
}

function stateOf(ring: Ring, time: string, why: string, now: number, words: ReachWords, language: Language): string {
  const times = ring.times > 1 ? ` · ${words.ringTimes(ring.times)}` : "";
  switch (ring.state) {
    case "sending": return words.ringSending(time) + times;
    case "sent": return words.ringSent(time) + times;
    case "delivered": return words.ringDelivered(clock(Date.parse(ring.rang_at ?? ring.at), now, language)) + times;
    case "seen": return words.ringSeen(clock(Date.parse(ring.rang_at ?? ring.at), now, language), time) + times;
    case "answered": return words.ringAnswered(time);
    case "closed": return words.ringClosed(time, lowered(why));
    case "failed": return words.ringFailed(time, why) + times;
    case "suppressed": return words.ringHeld(time, why);
  }
}

/** The server's sentence, in the middle of ours. */
const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** A name that no other channel has: "ntfy", "ntfy 2". */
export function freeName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted;
  for (let n = 2; ; n += 1) if (!taken.includes(`${wanted} ${n}`)) return `${wanted} ${n}`;
}

/** A topic that cannot be guessed: 120 random bits in lowercase letters and digits. */
export function randomTopic(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes)): string {
  return `ask-${[...random(new Uint8Array(24))].map((byte) => "abcdefghjkmnpqrstuvwxyz023456789".charAt(byte % 32)).join("")}`;
}

/** A secret for signatures, as Standard Webhooks writes it. */
export function randomSecret(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes)): string {
  return `whsec_${btoa(String.fromCharCode(...random(new Uint8Array(32))))}`;
}

/** Is this the public ntfy server, where everyone who knows a topic can read it? */
export function isPublicNtfy(server: string): boolean {
  const name = /^(?:https?:\/\/)?([^/:?#]+)/i.exec(server.trim())?.[1]?.toLowerCase() ?? "";
  return name === "ntfy.sh" || name.endsWith(".ntfy.sh");
}

/** `22:00-07:00`, if both ends are given. */
export const quietHours = (from: string, to: string): string | undefined => (from && to ? `${from}-${to}` : undefined);
