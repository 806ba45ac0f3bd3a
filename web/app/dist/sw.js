// Opens the app without a server, and brings a person from a notification to its ask. Keeps nothing of asks or answers.

// The build puts in the names of all files, and a name for their whole.
const FILES = ["/","/assets/Chat-Bc6rYpXl.js","/assets/Chat-Czc5kFH_.css","/assets/Devices-CKZMz8FQ.js","/assets/History-C3xiR73K.js","/assets/Input-DPW-3EEf.js","/assets/NewSession-Bn7jywiw.js","/assets/Painted-Bqll81h3.js","/assets/Qr-zCksV-3B.js","/assets/Rendered-BJ4PS0ij.js","/assets/Seen-BWJKiZ7H.js","/assets/Sessions-D3ilIIaR.js","/assets/Settings-DXyz3KdI.js","/assets/Together-C-n0sFfm.js","/assets/index-BkeM2cBG.js","/assets/index-vp0j7513.css","/assets/jsx-runtime-IzPD2q5l.js","/icon-192.png","/icon-512.png","/icon-maskable-192.png","/icon-maskable-512.png","/icon.svg","/manifest.webmanifest"];
const VERSION = "57841bf79b9f";

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
