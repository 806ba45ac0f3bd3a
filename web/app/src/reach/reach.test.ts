import { expect, test } from "vitest";
import type { Ring } from "@askbridge/client";
import { reachWords } from "@askbridge/words";
import { placeOf } from "../router.tsx";
import { newChannel, nothingTyped } from "./Fields.tsx";
import { shownAs } from "./OnThePhone.tsx";
import { freeName, isPublicNtfy, outcomeOf, quietHours, randomSecret, randomTopic, ringsOf } from "./outcomes.ts";
import { pushStep, type PushNow } from "./resync.ts";
import { bytesOf } from "./web_push.ts";

const kept = { channel: "ch_1", endpoint: "https://push/1", key: "K", as: { name: "Chrome" } };
const asKept: PushNow = { kept, isListed: true, endpoint: kept.endpoint, key: "K", mayNotify: true };

test.each<[string, Partial<PushNow>, ReturnType<typeof pushStep>]>([
  ["all is as it was", {}, "none"],
  ["this browser was never a channel", { kept: null, isListed: false, endpoint: null }, "none"],
  ["the browser has another endpoint", { endpoint: "https://push/2" }, "renew"],
  ["the browser lost its subscription", { endpoint: null }, "renew"],
  ["the push service ended it, and the server noticed", { endpoint: null, isListed: false }, "renew"],
  ["the server has another key", { key: "L", isListed: false }, "renew"],
  ["the person removed the channel on another device", { isListed: false }, "unsubscribe"],
  ["the person took the permission back", { mayNotify: false }, "remove"],
  ["the permission is gone, and the subscription with it", { mayNotify: false, endpoint: null }, "remove"],
])("a page that is loaded brings its subscription in step: %s", (_, change, step) => {
  expect(pushStep({ ...asKept, ...change })).toBe(step);
});

const ring = (more: Partial<Ring> = {}): Ring => ({ channel: "phone", kind: "ntfy", person: "ada", state: "sent", at: "2026-11-18T09:14:00.000Z", times: 1, ...more });

test("a channel shows its own last ten rings, and none of an earlier channel with the same name", () => {
  const channel = { name: "phone", kind: "ntfy", added_at: "2026-11-18T09:00:00.000Z" };
  const own = Array.from({ length: 12 }, (_, n) => ring({ times: n }));
  const others = [ring({ channel: "desk" }), ring({ kind: "telegram" }), ring({ at: "2026-11-17T09:14:00.000Z" })];
  expect(ringsOf(channel, [...others, ...own])).toEqual(own.slice(0, 10));
});

test("every outcome is said with its time and its reason, in both languages", () => {
  const at = new Date(2026, 10, 18, 9, 14);
  const say = (more: Partial<Ring>, language: "en" | "ja" = "en") => outcomeOf(ring({ at: at.toISOString(), ...more }), at.getTime() + 60_000, reachWords[language], language).replaceAll("\u202f", " ");
  expect(say({})).toBe("rang 9:14 AM");
  expect(say({ times: 3 })).toBe("rang 9:14 AM · 3 times");
  expect(say({ state: "answered", why: "Decided by ada (phone)" })).toBe("answered from here 9:14 AM");
  expect(say({ state: "closed", why: "Decided by ada (desk)" })).toBe("rang · decided by ada (desk) 9:14 AM");
  expect(say({ state: "failed", why: "the server answered 500" })).toBe("failed 9:14 AM: the server answered 500");
  expect(say({ state: "suppressed", why: "you have snoozed it" })).toBe("did not ring 9:14 AM: you have snoozed it");
  expect(say({ state: "suppressed", why: "you have snoozed it" }, "ja")).toBe("9:14 は呼び出さず：後回しにしています");
});

test("a random topic is one that ntfy accepts, and differs each time", () => {
  expect(randomTopic()).toMatch(/^ask-[a-z0-9]{24}$/);
  expect(randomTopic()).not.toBe(randomTopic());
  expect(randomTopic((bytes) => bytes.fill(255))).toBe(`ask-${"9".repeat(24)}`);
  expect(atob(randomSecret().replace("whsec_", ""))).toHaveLength(32);
});

test("the public ntfy server is recognised however it is written", () => {
  for (const server of ["https://ntfy.sh", "https://NTFY.sh/", "ntfy.sh", "https://eu.ntfy.sh:443"]) expect(isPublicNtfy(server), server).toBe(true);
  for (const server of ["https://ntfy.example.org", "https://notntfy.sh", "https://ntfy.sh.example.org", ""]) expect(isPublicNtfy(server), server).toBe(false);
});

test("a second channel of a kind has a name of its own", () => {
  expect(freeName("ntfy", [])).toBe("ntfy");
  expect(freeName("ntfy", ["ntfy", "ntfy 2"])).toBe("ntfy 3");
});

test("what is left empty is not sent", () => {
  expect(newChannel("ntfy", { ...nothingTyped, topic: " t " })).toEqual({ kind: "ntfy", server: "https://ntfy.sh", topic: "t" });
  expect(newChannel("webhook", { ...nothingTyped, url: "https://a", secret: " " })).toEqual({ kind: "webhook", url: "https://a" });
  expect(newChannel("command", { ...nothingTyped, program: "/bin/ring", args: "-a\n\nb c\n" })).toEqual({ kind: "command", program: "/bin/ring", args: ["-a", "b c"] });
  expect(quietHours("22:00", "")).toBeUndefined();
  expect(quietHours("22:00", "07:00")).toBe("22:00-07:00");
});

test("the server's key is base64url without padding", () => {
  expect([...bytesOf("-_8")]).toEqual([251, 255]);
});

test("the page has an address below the settings", () => {
  expect(placeOf("/settings/reach")).toEqual({ page: "reach" });
  expect(placeOf("/settings")).toEqual({ page: "settings" });
  expect(placeOf("/settings/elsewhere")).toEqual({ page: "unknown" });
});

test.each([
  [{ kind: "ntfy", server: "https://ntfy.sh", content: "", decides: "" }, { isHidden: true, buttons: 0, hasWords: false }],
  [{ kind: "ntfy", server: "https://ntfy.example.org", content: "", decides: "" }, { isHidden: false, buttons: 2, hasWords: false }],
  [{ kind: "telegram", server: "", content: "", decides: "nothing" }, { isHidden: false, buttons: 0, hasWords: false }],
  [{ kind: "slack", server: "", content: "", decides: "" }, { isHidden: false, buttons: 2, hasWords: true }],
  [{ kind: "webhook", server: "", content: "hidden", decides: "" }, { isHidden: true, buttons: 0, hasWords: false }],
] as const)("the picture of a notice is what the server sends: %o", (chosen, shown) => expect(shownAs(chosen)).toEqual(shown));

test("a ring says when it was seen, and what it was about", () => {
  const at = "2026-11-15T09:15:00.000Z";
  const ring: Ring = { channel: "n", kind: "ntfy", person: "ada", state: "seen", at, rang_at: "2026-11-15T09:14:00.000Z", seen_at: at, times: 1 };
  expect(outcomeOf(ring, Date.parse(at), reachWords.en, "en")).toMatch(/^rang .*14.*, seen .*15/);
  expect(outcomeOf({ ...ring, about: "agent_failed" }, Date.parse(at), reachWords.en, "en")).toMatch(/^An agent stopped or failed · rang/);
});
