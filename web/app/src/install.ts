/** Whether this is the installed app, and how to install it. */

import { useSyncExternalStore } from "react";

/** Chromium's event when the app can be installed. */
interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

let offered: InstallPrompt | null = null;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

window.addEventListener("beforeinstallprompt", (event) => {
  // Installing is offered in the settings, not when the browser decides.
  event.preventDefault();
  offered = event as InstallPrompt;
  tell();
});
window.addEventListener("appinstalled", () => {
  offered = null;
  tell();
});

/** Started from the home screen or in its own window. */
export const isInstalled = (): boolean =>
  matchMedia("(display-mode: standalone)").matches || (navigator as { standalone?: boolean }).standalone === true;

/** iPhones and iPads; iPads call themselves a Mac, but have a touch screen. */
export const isIos = (): boolean => /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);

export type Installing = "here" | "ios" | null;

/** Returns how it can be installed: with a button, by hand on iOS, or not at all. */
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
  // The prompt works once.
  offered = null;
  await prompt?.prompt();
  tell();
}
