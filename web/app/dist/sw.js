// Opens the app without a server, and brings a person from a notification to its ask. Keeps nothing of asks or answers.

// The build puts in the names of all files, and a name for their whole.
const FILES = ["/","/assets/Chat-CcWMpp9Y.js","/assets/Chat-Czc5kFH_.css","/assets/Devices-BbcJIwy6.js","/assets/History-DVLwO7li.js","/assets/Input-BRT4fco8.js","/assets/NewSession-SJL0gdxW.js","/assets/Painted-Bqll81h3.js","/assets/Qr-zCksV-3B.js","/assets/Rendered-B08lR193.js","/assets/Seen-BWJKiZ7H.js","/assets/Sessions-RIisFBn2.js","/assets/Settings-DK_YF6Tz.js","/assets/Together-CSLX9HAM.js","/assets/index-CJUd1PxL.js","/assets/index-vp0j7513.css","/assets/jsx-runtime-IzPD2q5l.js","/icon-192.png","/icon-512.png","/icon-maskable-192.png","/icon-maskable-512.png","/icon.svg","/manifest.webmanifest"];
const VERSION = "a661cf8178d1";

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

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data?.path ?? "/";
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((open) => {
      const [first] = open;
      if (!first) return self.clients.openWindow(path);
      first.postMessage({ type: "open", path });
      return first.focus();
    }),
  );
});
