/** The addresses of the app. Each is a place to go back to, to bookmark and to share. */

import { useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from "react";

export type Place =
  | { readonly page: "inbox"; readonly ask: string | null }
  | { readonly page: "together"; readonly ask: string }
  | { readonly page: "sessions" }
  | { readonly page: "new_session" }
  | { readonly page: "session"; readonly session: string }
  | { readonly page: "history" }
  | { readonly page: "devices" }
  | { readonly page: "settings" }
  | { readonly page: "reach" }
  | { readonly page: "rules" }
  | { readonly page: "cluster" }
  | { readonly page: "unknown" };

export function placeOf(path: string): Place {
  const [first, second, ...rest] = path.split("/").filter(Boolean);
  if (first === "asks" && second && rest.length === 1 && rest[0] === "together") return { page: "together", ask: second };
  if (rest.length > 0) return { page: "unknown" };
  switch (first) {
    case undefined: return { page: "inbox", ask: null };
    case "asks": return second ? { page: "inbox", ask: second } : { page: "unknown" };
    case "sessions":
      if (second === "new") return { page: "new_session" };
      return second ? { page: "session", session: second } : { page: "sessions" };
    case "settings":
      return second === undefined ? { page: "settings" } : { page: second === "reach" || second === "rules" || second === "cluster" ? second : "unknown" };
    case "history": case "devices":
      return second ? { page: "unknown" } : { page: first };
    default: return { page: "unknown" };
  }
}

const listeners = new Set<() => void>();
window.addEventListener("popstate", () => listeners.forEach((listener) => listener()));

/** Navigates to a place. `replace`: going back does not lead here. */
export function go(path: string, how: "push" | "replace" = "push") {
  if (path === location.pathname) return;
  if (how === "push") history.pushState(null, "", path);
  else history.replaceState(null, "", path);
  for (const listener of listeners) listener();
}

export function usePath(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => location.pathname,
  );
}

/** A link that navigates within the app, and is an ordinary one for every other way of opening it. */
export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
