/** Whether this is the installed app, and how it could become one. */

import { useSyncExternalStore } from "react";

/** What Chromium hands out when the app can be installed. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

let offered: InstallPrompt | null = null;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

window.addEventListener("beforeinstallprompt", (event) => {
  // Asked for in the settings, not when the browser thinks so.
  event.preventDefault();
  offered = event as InstallPrompt;
  tell();
});
window.addEventListener("appinstalled", () => {
  offered = null;
  tell();
});

/** Started from the home screen or as a window of its own. */
export const isInstalled = (): boolean =>
  matchMedia("(display-mode: standalone)").matches || (navigator as { standalone?: boolean }).standalone === true;

/** iPhones and iPads; those call themselves a Mac, and have fingers. */
export const isIos = (): boolean => /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

export type Installing = "here" | "ios" | null;

/** How it can be installed: with a button, by hand on iOS, or not. */
export function useInstalling(): Installing {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (isInstalled() ? null : offered ? "here" : isIos() ? "ios" : null),
  );
}

export async function install() {
  const prompt = offered;
  // It works once.
  offered = null;
  await prompt?.prompt();
  tell();
}
