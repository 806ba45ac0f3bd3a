/** The entry point. */

import "@askbridge/react/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Client } from "@askbridge/client";
import { App } from "./App.tsx";
import { Boundary } from "./boundary.tsx";
import { LastResort } from "./LastResort.tsx";
import { apply } from "./settings.ts";

declare global {
  interface Window {
    askbridge?: Client;
  }
}

apply();
const place = document.getElementById("app");
if (!place) throw new Error("index.html has an element with the id `app`");
createRoot(place).render(
  <StrictMode>
    <Boundary fallback={(error, again) => <LastResort error={error} again={again} />}><App /></Boundary>
  </StrictMode>,
);

// Optional: needed to install the app and to open it without a server. Pages without TLS have no service worker.
navigator.serviceWorker?.register("/sw.js").catch(() => undefined);
