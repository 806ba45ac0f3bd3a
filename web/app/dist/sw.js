// Opens the app without a network, and brings a person from a notification to its ask. Keeps nothing of asks or answers.

const KEPT = "askbridge-files";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.add("/")).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin || address.pathname.startsWith("/v1/") || address.pathname.startsWith("/docs/")) return;
  if (address.pathname.startsWith("/assets/")) {
    event.respondWith(keptFirst(request));
  } else if (request.mode === "navigate") {
    event.respondWith(fetch(request).then(keepPage, () => caches.match("/")));
  }
});

// Names of these files contain a hash of what is in them.
async function keptFirst(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) (await caches.open(KEPT)).put(request, fresh.clone());
  return fresh;
}

async function keepPage(fresh) {
  if (!fresh.ok || !(fresh.headers.get("content-type") ?? "").startsWith("text/html")) return fresh;
  // Every address of the app is the same page.
  await (await caches.open(KEPT)).put("/", fresh.clone());
  return fresh;
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
