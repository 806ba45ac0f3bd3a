// Opens the app without a server, shows what is pushed to this browser, and brings a person from a notification to its
// ask. Keeps nothing of asks or answers.

// The build puts in the names of all files, and a name for their whole.
const FILES = ["/","/assets/Always-ThFrb0SB.js","/assets/Chat-B4bp6ayN.css","/assets/Chat-C3vqYzdz.js","/assets/Cluster-BPG6qmGp.js","/assets/Cluster-mVsJRlTD.css","/assets/Devices-DcP2N08J.js","/assets/History-CroV51II.js","/assets/Input-DY1PTroo.js","/assets/NewSession-DuRE8gOS.js","/assets/Offer-CjaWSYOB.js","/assets/Painted-DeGfVOP1.js","/assets/Qr-zCksV-3B.js","/assets/Reach-DIDi5GB8.css","/assets/Reach-Dvian_iK.js","/assets/Rendered-8PyOKjEQ.js","/assets/Rules-DUHna4MB.js","/assets/Seen-BVkkWjZS.js","/assets/Sessions-BjC1uBGS.js","/assets/Settings-IrBHySAy.js","/assets/Together-B5YDXeRU.js","/assets/cluster-CfRxVAp9.js","/assets/facts-CCh_wGTD.js","/assets/index-BCuhMgDS.css","/assets/index-Bk3hZgPs.js","/assets/jsx-runtime-IzPD2q5l.js","/assets/rule_words-B1yJf4Eg.js","/assets/rules-D5Q0R4nF.js","/icon-192.png","/icon-512.png","/icon-maskable-192.png","/icon-maskable-512.png","/icon.svg","/manifest.webmanifest"];
const VERSION = "76a309acc103";
// And what it says, in each language.
const WORDS = {"en":{"ticketRefused":"That did not count","ticketUnsent":"Not sent yet: the server cannot be reached. Tap again.","somethingWaits":"Something waits for you."},"ja":{"ticketRefused":"反映されませんでした","ticketUnsent":"まだ送信されていません。サーバーに接続できません。もう一度タップしてください。","somethingWaits":"回答待ちのものがあります。"}};

const KEPT = `askbridge-${VERSION}`;

self.addEventListener("install", (event) => {
  // All of them, or none: half an app is worse than the one before.
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(tidy().then(() => self.clients.claim())));

// Pages that are open may still want files of the version before. Those of older ones go.
async function tidy() {
  const others = (await caches.keys()).filter((name) => name.startsWith("askbridge-") && name !== KEPT);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin || address.pathname.startsWith("/v1/") || address.pathname.startsWith("/docs/")) return;
  if (address.pathname.startsWith("/assets/")) {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  } else if (request.mode === "navigate") {
    event.respondWith(page(request));
  }
});

// Every address of the app is the same page. A proxy whose server is gone answers too: what it says is not the app.
async function page(request) {
  const kept = () => caches.open(KEPT).then((cache) => cache.match("/"));
  try {
    const fresh = await fetch(request);
    return fresh.status >= 500 ? ((await kept()) ?? fresh) : fresh;
  } catch (error) {
    const old = await kept();
    if (old) return old;
    throw error;
  }
}

// Every push is shown, whatever it holds: iOS ends a subscription after three that show nothing. Whether to ring is
// decided on the server.
self.addEventListener("push", (event) => event.waitUntil(rung(event)));

async function rung(event) {
  const { title, badge, options } = noticeOf(event);
  await self.registration.showNotification(title, options);
  await badged(badge);
  await confirm(options.data.receipt, { shown: true });
  // A page in the background may have shown the same ask, with the id of the ask as its tag.
  const { ask } = options.data;
  if (ask && ask !== options.tag) await closeAll((shown) => shown.tag === ask);
}

// Where the system reads the message itself (declarative Web Push), the worker gets a notification and no text.
function noticeOf(event) {
  const read = event.notification ? { notification: event.notification, app_badge: event.appBadge } : messageOf(event.data);
  const { title, body, tag, dir, renotify, requireInteraction, actions, data } = read.notification ?? {};
  const isTagged = typeof tag === "string" && tag !== "";
  return {
    title: title || "askbridge",
    badge: read.app_badge,
    options: {
      body: body ?? say("somethingWaits"), icon: "/icon-192.png", badge: "/icon-192.png", dir: dir ?? "auto",
      requireInteraction: requireInteraction === true, actions: (actions ?? []).map(({ action, title: label }) => ({ action, title: label })),
      data: data ?? {}, ...(isTagged ? { tag, renotify: renotify === true } : {}),
    },
  };
}

function messageOf(data) {
  try {
    return data.json() ?? {};
  } catch {
    return {};
  }
}

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  const ticket = action ? notification.data?.tickets?.[action] : undefined;
  notification.close();
  const { receipt } = notification.data ?? {};
  // A ticket says by itself that the notification was seen.
  event.waitUntil(ticket ? decide(notification, ticket) : Promise.all([show(pathOf(notification.data ?? {})), confirm(receipt, {})]));
});

// The worker has no token. A ticket stands for one decision about one ask, and the server says whether it counts.
const PATIENCE_MS = 20_000;

async function decide(notification, ticket) {
  const { title, body, tag, actions, data } = notification;
  let response;
  try {
    response = await fetch("/v1/tickets", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ticket }), signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch {
    // The same question again, with its buttons.
    const kept = (actions ?? []).map(({ action, title: label }) => ({ action, title: label }));
    return self.registration.showNotification(title, { body: `${say("ticketUnsent")}\n${body}`, icon: "/icon-192.png", tag, actions: kept, data });
  }
  if (response.ok) return badged((await response.json().catch(() => null))?.waiting);
  const problem = await response.json().catch(() => ({}));
  // Without buttons: a tap opens the card.
  const { tickets: _, ...rest } = data ?? {};
  await self.registration.showNotification(say("ticketRefused"), { body: problem.detail ?? String(response.status), icon: "/icon-192.png", tag, data: rest });
}

// The number on the app's icon: how many asks wait for the person. The page keeps it up to date while it is open.
async function badged(waiting) {
  if (!Number.isInteger(waiting)) return;
  const { navigator } = self;
  await (waiting > 0 ? navigator.setAppBadge?.(waiting) : navigator.clearAppBadge?.())?.catch(() => undefined);
}

// Says that a notification was shown, or tapped. Nothing depends on it, so it is tried once.
async function confirm(receipt, what) {
  if (typeof receipt !== "string") return;
  await fetch("/v1/tickets", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ticket: receipt, ...what }), signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => undefined);
}

// The link of a push leads to the server's public address. Where this page has another one, the card is here too.
function pathOf({ path, link, ask }) {
  if (typeof path === "string") return path;
  const there = URL.canParse(link ?? "") ? new URL(link) : null;
  if (there?.origin === location.origin) return there.pathname + there.search + there.hash;
  return ask ? `/asks/${ask}` : "/";
}

async function show(path) {
  const [first] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (!first) return self.clients.openWindow(path);
  first.postMessage({ type: "open", path });
  return first.focus();
}

async function closeAll(isMeant) {
  for (const shown of await self.registration.getNotifications()) if (isMeant(shown)) shown.close();
}

function say(key) {
  const tag = (self.navigator.language ?? "en").split("-")[0];
  return (WORDS[tag] ?? WORDS.en)?.[key] ?? "";
}
