/** The person's preferences on this device. */

import { useSyncExternalStore } from "react";
import { pickLanguage, type Language } from "@askbridge/words";

export type Order = "longest" | "newest" | "due";

export interface Settings {
  readonly language: Language | "auto";
  readonly theme: "auto" | "light" | "dark";
  /** Notifications with the question's text, without it, or none. */
  readonly notify: "off" | "full" | "hidden";
  readonly order: Order;
  /** How many seconds an answer given with one tap can be undone. Some people need more time. */
  readonly undo: "5" | "15" | "60";
  /** The hint that the app can be installed: shown until it is dismissed. */
  readonly installHint: "shown" | "seen";
}

const KEY = "askbridge.settings";
const DEFAULTS: Settings = { language: "auto", theme: "auto", notify: "off", order: "longest", undo: "5", installHint: "shown" };

const listeners = new Set<() => void>();
let current = read();

function read(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return DEFAULTS;
  }
}

export function change(part: Partial<Settings>) {
  current = { ...current, ...part };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // They stay in memory while the page is open.
  }
  apply();
  for (const listener of listeners) listener();
}

/** Sets theme and language where styles and screen readers look for them. */
export function apply() {
  const root = document.documentElement;
  if (current.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = current.theme;
  root.lang = languageOf(current);
}

export const settings = () => current;

export const languageOf = ({ language }: Settings): Language => (language === "auto" ? pickLanguage(navigator.languages) : language);

export function useSettings(): Settings {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

// Another tab may have changed them.
window.addEventListener("storage", ({ key }) => {
  if (key !== KEY) return;
  current = read();
  apply();
  for (const listener of listeners) listener();
});
